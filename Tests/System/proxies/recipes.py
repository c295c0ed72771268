"""The files and commands of docs/deploy.md, with the paths and ports of the tests in them."""

import re

from live import ROOT


class Missing(Exception):
    """The page has no such recipe, or the recipe lacks a text to replace."""


class Recipes:
    def __init__(self, path=f"{ROOT}/docs/deploy.md"):
        with open(path) as page:
            self.blocks = re.findall(r"^```\w+\n(.*?)^```$", page.read(), re.M | re.S)

    def file(self, name, *replacements):
        """Returns the block that begins with a comment of the file's name."""
        return self.block(f"# {name}", *replacements)

    def block(self, start, *replacements):
        """Returns the only block with a line that begins with `start`."""
        found = [one for one in self.blocks if re.search(f"^{re.escape(start)}", one, re.M)]
        if len(found) != 1:
            raise Missing(f"{len(found)} blocks of docs/deploy.md have a line that begins with {start!r}")
        return replace(found[0], replacements)

    def command(self, start, *replacements):
        """Returns the only command that begins with `start`, as one line."""
        match = re.search(rf"^{re.escape(start)}.*?(?<!\\)$", self.block(start), re.M | re.S)
        return replace(re.sub(r"\s*\\\n\s*", " ", match[0]), replacements)


def replace(text, replacements):
    for pattern, new in replacements:
        text, count = re.subn(pattern, lambda _: new, text, flags=re.M)
        if not count:
            raise Missing(f"there is no {pattern!r} in\n{text}")
    return text

"""What docs/deploy.md tells to write and to type, as the tests run it: at other places, by whoever runs the tests."""

import re

from live import ROOT


class Missing(Exception):
    """The page has no such recipe, or not what is to be replaced in it."""


class Recipes:
    def __init__(self, path=f"{ROOT}/docs/deploy.md"):
        with open(path) as page:
            self.blocks = re.findall(r"^```\w+\n(.*?)^```$", page.read(), re.M | re.S)

    def file(self, name, *replacements):
        """The file that a block is, which begins with its name in a comment."""
        return self.block(f"# {name}", *replacements)

    def block(self, start, *replacements):
        """The one block that has a line which begins so."""
        found = [one for one in self.blocks if re.search(f"^{re.escape(start)}", one, re.M)]
        if len(found) != 1:
            raise Missing(f"{len(found)} blocks of docs/deploy.md have a line that begins with {start!r}")
        return replace(found[0], replacements)

    def command(self, start, *replacements):
        """The one command that begins so, as one line."""
        match = re.search(rf"^{re.escape(start)}.*?(?<!\\)$", self.block(start), re.M | re.S)
        return replace(re.sub(r"\s*\\\n\s*", " ", match[0]), replacements)


def replace(text, replacements):
    for pattern, new in replacements:
        text, count = re.subn(pattern, lambda _: new, text, flags=re.M)
        if not count:
            raise Missing(f"there is no {pattern!r} in\n{text}")
    return text

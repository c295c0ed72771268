"""The contents of each manual page, and the targets of its links."""
import os.path
from dataclasses import dataclass

import markdown
from markdown import Heading, Table
from mdoc import Writer

# Titles to replace, since mandoc expects them only on pages about functions.
NAMES = {"Errors": "Error messages", "Exit codes": "Exit status", "Environment variables": "Environment"}


@dataclass
class Part:
    """Sections of a document: those in `names`, or all but `without`; or, with `within`, the subsections of that section."""
    file: str
    names: tuple = ()
    without: tuple = ()
    within: str = None

    def sections(self, root):
        found = markdown.sections(markdown.read(root / self.file))
        if self.within:
            found = markdown.sections(found[self.within], level=3)
        chosen = self.names or [name for name in found if name not in self.without]
        return [(name, found[name]) for name in chosen]


@dataclass
class Page:
    name: str
    section: int
    about: str
    parts: list
    # The command lines, such as `NAME [OPTION…] check FILE…`, or the document with these in its first table.
    usages: tuple | str = ()
    # The Markdown at the beginning of the description.
    lead: str = ""
    # Further documents.
    documents: tuple = ()

    def text(self, root, day):
        writer = Writer(None)
        sources = " and ".join(dict.fromkeys(part.file for part in self.parts))
        writer.macro(f'.\\" Written by Scripts/man from {sources}.')
        for line in (f".Dd {day}", f".Dt {self.name.upper()} {self.section}", ".Os"):
            writer.macro(line)
        writer.section("Name")
        writer.macro(f".Nm {self.name}")
        writer.macro(f".Nd {self.about}")
        if self.usages:
            writer.section("Synopsis")
            for line in self.synopsis(root):
                writer.macro(line)
        writer.section("Description")
        writer.write(markdown.blocks(self.lead.split("\n")))
        for part in self.parts:
            writer.refer = Links(root, self, part.file).text
            for name, blocks in part.sections(root):
                if name:
                    writer.section(NAMES.get(name, name))
                writer.write(blocks)
        writer.section("See also")
        others = sorted((page.section, page.name) for page in PAGES if page is not self)
        for index, (section, name) in enumerate(others):
            writer.macro(f".Xr {name} {section}" + (" ," if index < len(others) - 1 else ""))
        return "\n".join(writer.lines) + "\n"

    def synopsis(self, root):
        usages = self.usages
        if isinstance(usages, str):
            rows = next(block for block in markdown.read(root / usages) if isinstance(block, Table)).rows
            usages = [row[0].strip("`") for row in rows]
        for usage in usages:
            yield ".Nm"
            for word in usage.split()[1:]:
                name = word.strip("[]…").lower() + (" ..." if "…" in word else "")
                yield f".Op Ar {name}" if word.startswith("[") else f".Ar {name}" if word[0].isupper() else f".Cm {name}"


class Links:
    """The links of a document, for a reader of a page."""

    def __init__(self, root, page, file):
        self.root, self.page, self.file = root, page, file

    def text(self, text, target):
        """Returns the Markdown that replaces a link."""
        if "://" in target:
            return text if text in target else f"{text} ({target})"
        path, _, anchor = target.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(self.file), path)) if path else self.file
        page, title = find(self.root, file, anchor)
        if page is None:
            return f"`{file}`" if text.endswith(".md") else f"{text} (`{file}`)"
        if page is self.page:
            if not title:
                return text
            return f"*{title}*" if text[0].isupper() and text.lower() == title.lower() else f"{text} (see *{title}*)"
        place = f"**{page.name}**({page.section})"
        return place if text.endswith(".md") else f"{text} (see {place})"


def find(root, file, anchor):
    """Returns the page that contains a section of a document, and the section's title there."""
    for page in PAGES:
        for part in page.parts:
            if part.file != file:
                continue
            if not anchor and not part.within:
                return page, None
            for name, blocks in part.sections(root):
                if name and Heading(2, name).anchor == anchor:
                    return page, NAMES.get(name, name).upper()
                for block in blocks:
                    if isinstance(block, Heading) and block.anchor == anchor:
                        return page, block.text
            if part.within and Heading(2, part.within).anchor == anchor:
                return page, None
    return None, None


PAGES = [
    Page(
        "flowclient", 1, "send to, read from and look into a Flow server",
        usages=("flowclient [OPTION…] [COMMAND…]",),
        parts=[
            Part("docs/commands.md", names=(None, "Commands", "Options of every command")),
            Part("docs/client.md", names=("Which server", "Values in", "Values out", "Waiting", "Completion")),
            Part("docs/commands.md", names=("Environment variables",)),
            Part("docs/client.md", names=("Files",)),
            Part("docs/commands.md", names=("Exit codes",)),
            Part("docs/client.md", names=("Examples",)),
        ],
    ),
    Page(
        "FlowServer", 8, "serve subjects and pipelines with backpressure over TCP",
        usages="docs/operations.md",
        lead="`FlowServer` hosts named subjects and pipelines. Clients, **flowclient**(1) or netcat, send values to subjects and subscribe "
        "with explicit demand, which goes through the pipelines up to whoever sends: **flow-protocol**(7). What is defined comes from "
        "files, **flow**(5), and from clients. By default only this machine reaches the server.",
        parts=[
            Part("docs/operations.md", without=(None, "Files", "Exit codes")),
            Part("docs/operations.md", names=("Files", "Exit codes")),
        ],
    ),
    Page(
        "flow", 5, "files of definitions and settings for a Flow server",
        parts=[Part("docs/language.md", within="Files")],
    ),
    Page("flow-language", 7, "the pipeline language of Flow", parts=[Part("docs/language.md", without=("Files",))]),
    Page("flow-protocol", 7, "the protocol of Flow, version 1", parts=[Part("protocol.md")]),
]

"""Parses the Markdown of this project's pages into headings, paragraphs, tables, fenced blocks and lists."""
import re
from dataclasses import dataclass, field

HEADING = re.compile(r"(#+) (.*)")
ITEM = re.compile(r"(- |\d+\. )(.*)")
COMMENT = re.compile(r"<!--.*?-->\n?", re.S)
CELL = re.compile(r"(?<!\\)\|")


@dataclass
class Heading:
    level: int
    text: str

    @property
    def anchor(self):
        """The anchor for links, as on GitHub."""
        return re.sub(r"[^\w\- ]", "", self.text.lower()).replace(" ", "-")


@dataclass
class Paragraph:
    text: str


@dataclass
class Fence:
    lines: list
    language: str


@dataclass
class Table:
    header: list
    rows: list


@dataclass
class List:
    is_numbered: bool
    items: list = field(default_factory=list)


def read(path):
    return blocks(COMMENT.sub("", path.read_text()).split("\n"))


def blocks(lines):
    found, index = [], 0
    while index < len(lines):
        line = lines[index]
        if not line.strip():
            index += 1
        elif match := HEADING.fullmatch(line):
            found.append(Heading(len(match[1]), match[2]))
            index += 1
        elif line.startswith("```"):
            end = lines.index("```", index + 1)
            found.append(Fence(lines[index + 1:end], line[3:]))
            index = end + 1
        elif line.startswith((">", "![", "    ", "<")):
            raise ValueError(f"only headings, paragraphs, tables, fenced blocks and lists are read, not: {line}")
        elif line.startswith("|"):
            end = next((i for i in range(index, len(lines)) if not lines[i].startswith("|")), len(lines))
            rows = [cells(row) for row in lines[index:end]]
            found.append(Table(rows[0], rows[2:]))
            index = end
        elif ITEM.match(line):
            index = read_list(lines, index, found)
        else:
            index = read_paragraph(lines, index, found)
    return found


def cells(row):
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(row)[1:-1]]


def read_list(lines, index, found):
    """Reads a list; lines that are indented like an item's text belong to the item."""
    numbered = not lines[index].startswith("- ")
    result = List(numbered)
    while index < len(lines) and (match := ITEM.match(lines[index])) and (match[1] != "- ") == numbered:
        width = len(match[1])
        own = [match[2]]
        index += 1
        while index < len(lines) and (lines[index].startswith(" " * width) or not lines[index].strip()):
            own.append(lines[index][width:])
            index += 1
        result.items.append(blocks(own))
    found.append(result)
    return index


def read_paragraph(lines, index, found):
    """Reads a paragraph; a line that begins with a command in bold begins a new one."""
    start = index
    while index < len(lines) and lines[index].strip():
        line = lines[index]
        if index > start and (line.startswith(("**`", "```", "|", "#")) or ITEM.match(line)):
            break
        index += 1
    found.append(Paragraph(" ".join(line.strip() for line in lines[start:index])))
    return index


def sections(found, level=2):
    """Returns the blocks below each heading of `level`, by its text; those before the first heading are at None."""
    result = {None: []}
    name = None
    for block in found:
        if isinstance(block, Heading) and block.level == level:
            name = block.text
            result[name] = []
        elif not (isinstance(block, Heading) and block.level < level):
            result[name].append(block)
    return result

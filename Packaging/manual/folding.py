"""Splits lines that are too long for a page."""
import re
import unicodedata

# A line of two columns, with two blanks or more between them.
COLUMNS = re.compile(r"( *\S.*?) {2,}(?=\S(?!.*  ))(.*)")
# The last column in which continuations of a second column may begin.
FARTHEST = 40


def width(text):
    """Returns how many columns a text needs."""
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def folded(lines, most, joint=""):
    """Returns the lines of a block, with too long ones split and indented.

    If all lines of a paragraph have a second column far to the right, as in diagrams, that gets its own lines."""
    result, paragraph = [], []
    for line in lines + [""]:
        if line:
            paragraph.append(line)
            continue
        pairs = [COLUMNS.fullmatch(row) for row in paragraph]
        if all(pairs) and any(width(row) > most for row in paragraph):
            first = max(width(pair[1]) for pair in pairs) + 2
            if first + max(width(pair[2]) for pair in pairs) <= most:
                paragraph = [pair[1] + " " * (first - width(pair[1])) + pair[2] for pair in pairs]
            elif first > FARTHEST:
                paragraph = [row for pair in pairs for row in (pair[1], f"    {pair[2]}")]
        result += [part for row in paragraph for part in fold(row, most, joint)] + [""]
        paragraph = []
    return result[:-1]


def fold(line, most, joint):
    """Splits a line that is too long at blanks, or else at commas; all parts but the last end with `joint`."""
    if width(line) <= most:
        return [line]
    columns = COLUMNS.fullmatch(line)
    if columns and columns.start(2) > FARTHEST:
        line = f"{columns[1]}  {columns[2]}"
    # Continuations are indented by the line's mark: the caret of an error, a client's name, or the left side of a grammar rule.
    mark = re.match(r" *(?:\^+ |[A-Z][<>] |\w+ +[=/] +|\* |(?=\S))", line)[0]
    indent = len(mark) + (0 if "^" in mark else 2)
    if columns and columns.start(2) <= FARTHEST:
        indent = columns.start(2)
    indent = indent if indent <= FARTHEST else 2
    result = []
    while width(line) > most:
        end = most + 1 - len(joint)
        cut = line.rfind(" ", indent + 8, end)
        if cut < 0:
            cut = line.rfind(",", indent + 8, end - 1) + 1
        if cut == 0:
            break
        result.append(line[:cut].rstrip() + joint)
        line = " " * indent + line[cut:].lstrip()
    return result + [line]

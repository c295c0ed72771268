"""Lines that are too long for a page, in several."""
import re
import unicodedata

# Two columns with blanks between them.
COLUMNS = re.compile(r"( *\S.*?) {2,}(?=\S(?!.*  ))(.*)")
# As far to the right as a second column may go on below itself.
FARTHEST = 40


def width(text):
    """The columns that a text takes."""
    return sum(0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def folded(lines, most, joint=""):
    """The lines of a block, of which those that are too long go on in further lines, indented.

    Where all lines of a paragraph have a second column far to the right, as diagrams do, that goes into lines of its own."""
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
    """A line that is too long in several, cut at blanks, or else at commas; all but the last end with the joint."""
    if width(line) <= most:
        return [line]
    columns = COLUMNS.fullmatch(line)
    if columns and columns.start(2) > FARTHEST:
        line = f"{columns[1]}  {columns[2]}"
    # They go on behind what marks the line: a place of an error, who says it, what a rule of grammar defines.
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

"""Writes blocks of Markdown as mdoc(7)."""
import re

from folding import folded, width
from markdown import Fence, Heading, List, Paragraph, Table

# The width of 80 columns without the page's margins.
WIDTH = 72
INLINE = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\*\*(?P<strong>.+?)\*\*|(?<![\w*])\*(?P<emphasis>[^*\s][^*]*)\*"
                    r"|\[(?P<link>(?:[^\[\]]|`[^`]*`)+)\]\((?P<target>[^)\s]+)\)")
SENTENCE = re.compile(r"(?<=[.!?])((?:\\f[BIR])*[)\"]?) (?=[^a-z])")
# Code in which words in capitals are placeholders.
USAGE = re.compile(r"-{1,2}\w|(?:flowclient|FlowServer)(?: |$)")
# The names of mdoc's macros, which must be escaped in arguments.
MACROS = set("Ac Ad An Ao Ap Aq Ar At Bc Bd Bf Bk Bl Bo Bq Brc Bro Brq Bsx Bt Bx Cd Cm Db Dc Dd Dl Do Dq Dt Dv Dx Ec Ed Ef Ek "
             "El Em Eo Er Es Ev Ex Fa Fc Fd Fl Fn Fo Fr Ft Fx Hf Ic In It Lb Li Lk Lp Ms Mt Nd Nm No Ns Nx Oc Oo Op Os Ot Ox Pa "
             "Pc Pf Po Pp Pq Qc Ql Qo Qq Re Rs Rv Sc Sh Sm So Sq Ss St Sx Sy Ta Tg Tn Ud Ux Va Vt Xc Xo Xr".split())
SIGNS = {"\\": "\\e", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti"}


def escaped(text, is_code=False):
    """Escapes a text; in code, signs such as quotes and hyphens stay ASCII."""
    result = []
    for sign in text:
        if ord(sign) > 126:
            result.append(f"\\[u{ord(sign):04X}]")
        elif is_code and sign == "-":
            result.append("\\-")
        elif sign == "\\" or is_code:
            result.append(SIGNS.get(sign, sign))
        else:
            result.append(sign)
    # Keeps mandoc from taking `name()` for a C function.
    return "".join(result) if is_code else re.sub(r"(?<=\w)\(\)", "\\\\&()", "".join(result))


class Writer:
    """Writes blocks; `refer` returns the text of a link on this page."""

    def __init__(self, refer):
        self.refer = refer
        self.lines = []
        # Whether the next paragraph needs no .Pp before it.
        self.is_fresh = True

    def section(self, title):
        self.lines.append(f".Sh {self.argument(title.upper(), is_quoted=False)}")
        self.is_fresh = True

    def macro(self, line):
        self.lines.append(line)

    def write(self, blocks):
        for block in blocks:
            {Heading: self.heading, Paragraph: self.paragraph, Fence: self.fence, Table: self.table, List: self.list}[type(block)](block)

    # Blocks

    def heading(self, block):
        self.lines.append(f".Ss {self.argument(block.text, is_quoted=False)}")
        self.is_fresh = True

    def paragraph(self, block):
        if not self.is_fresh:
            self.lines.append(".Pp")
        self.is_fresh = False
        self.text(block.text)

    def text(self, markdown):
        for sentence in SENTENCE.sub(r"\1\n", self.inline(markdown)).split("\n"):
            line = ""
            for word in sentence.split(" "):
                if line and len(line) + len(word) > 76:
                    self.text_line(line)
                    line = word
                else:
                    line += f" {word}" if line else word
            self.text_line(line)

    def text_line(self, line):
        self.lines.append(f"\\&{line}" if line.startswith((".", "'")) else line)

    def fence(self, block):
        self.lines.append(".Bd -literal")
        for line in folded(block.lines, WIDTH, " \\" if block.language == "sh" else ""):
            self.text_line(escaped(line, is_code=True))
        self.lines.append(".Ed")
        self.is_fresh = False

    def list(self, block):
        is_short = all(len(item) == 1 and isinstance(item[0], Paragraph) and width(self.plain(item[0].text)) < WIDTH - 4
                       for item in block.items)
        self.lines.append(f".Bl -{'enum' if block.is_numbered else 'bullet'}" + (" -compact" if is_short else ""))
        for item in block.items:
            self.lines.append(".It")
            self.is_fresh = True
            self.write(item)
        self.lines.append(".El")
        self.is_fresh = False

    def table(self, block):
        widths = [max(width(self.plain(row[column])) for row in [block.header] + block.rows) for column in range(len(block.header))]
        has_options = all(row[0].startswith("`-") and row[0] != "`-`" for row in block.rows)
        if has_options or sum(widths) + 3 * (len(widths) - 1) > WIDTH:
            self.tagged(block, widths[0])
        else:
            self.columns(block, widths)
        self.is_fresh = False

    def columns(self, block, widths):
        self.lines.append(".Bl -column " + " ".join(f'"{"x" * (columns + 1)}"' for columns in widths))
        for row in [[f"*{name}*" for name in block.header]] + block.rows:
            self.lines.append(".It " + " Ta ".join(self.argument(cell) or '""' for cell in row))
        self.lines.append(".El")

    def tagged(self, block, tags):
        """Writes an item for each row: the first cell is the tag, the others are below it, with their headers if there are several."""
        indent = f"{tags + 2}n" if tags <= 10 else "Ds"
        self.lines.append(f".Bl -tag -width {indent}")
        for tag, *rest in block.rows:
            self.lines.append(f".It {self.argument(tag)}")
            is_told = len(rest) == 1 or re.match("What|Meaning", block.header[1])
            names = [None if is_told else block.header[1]] + block.header[2:]
            for index, (name, cell) in enumerate((name, cell) for name, cell in zip(names, rest) if cell not in ("-", "")):
                if index > 0:
                    self.lines.append(".br")
                self.text(f"*{name}*: {cell}" if name else cell)
        self.lines.append(".El")

    # Text

    def argument(self, markdown, is_quoted=True):
        """Returns a text as one quoted argument of a macro, or as several words without special meaning."""
        text = self.inline(markdown).replace('"', "\\(dq")
        if is_quoted and " " in text:
            return f'"{text}"'
        return " ".join(f"\\&{word}" if word in MACROS or re.fullmatch(r"[^\w\\]", word) else word for word in text.split(" "))

    def inline(self, markdown):
        """Returns a text with escapes for its fonts."""
        return self.fonts(markdown, "R")

    def fonts(self, markdown, outer):
        result, end = [], 0
        for match in INLINE.finditer(markdown):
            result.append(escaped(markdown[end:match.start()]))
            result.append(self.font(match, outer))
            end = match.end()
        return "".join(result) + escaped(markdown[end:])

    def font(self, match, outer):
        if match["code"] is not None:
            code = match["code"].strip(" ") or match["code"]
            # Prevents hyphenation, and ends of sentences after ! or ?.
            words = (f"\\%{word}" if len(word) > 4 else word for word in escaped(code, is_code=True).split(" "))
            text = re.sub("(?<=[.!?]) ", r"\\~", " ".join(words))
            if USAGE.match(code):
                text = re.sub(r"\b[A-Z][A-Z\d]*\b(?!=)", r"\\fI\g<0>\\fB", text)
            bold = f"\\fB{text}\\f{outer}"
            # Quotes code without letters, which would be hard to see.
            return bold if re.search(r"\w", code) else f"\\(oq{bold}\\(cq"
        if match["strong"] is not None:
            return f"\\fB{self.fonts(match['strong'], 'B')}\\f{outer}"
        if match["emphasis"] is not None:
            return f"\\fI{self.fonts(match['emphasis'], 'I')}\\f{outer}"
        return self.fonts(self.refer(match["link"], match["target"]), outer)

    def plain(self, markdown):
        """Returns a text without escapes, as wide as on the page."""
        text = re.sub(r"\\(f[BIR]|%)", "", self.inline(markdown)).replace("\\-", "-").replace("\\e", "\\")
        text = re.sub(r"\\\[u([0-9A-F]+)\]", lambda match: chr(int(match[1], 16)), text)
        return re.sub(r"\\(\(..|~)", "x", text)

#!/usr/bin/env python3
"""Compares `FlowServer --help` and `flowclient COMMAND --help` with the manual pages and with the completions of bash, zsh and fish:
every command, every option of every command, the values of options and operands, and the names of a live server.
"""
import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path

from live import ROOT, Server, expect, program, until

DEFINITIONS = """\
SUBJECT orders
SUBJECT sensors/kitchen/temp
PIPELINE even = orders
RUN copy = orders.assign(to: sensors/kitchen/temp)
"""
SUBJECTS = {"orders", "sensors/kitchen/temp"}

BASH = r"""
source <(flowclient completion bash)
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
while IFS= read -r COMP_LINE; do
  COMP_POINT=${#COMP_LINE}
  _flowclient
  printf '== %s\n' "$COMP_LINE"
  printf '%s\n' "${COMPREPLY[@]}"
done
"""
FISH = r"""
flowclient completion fish | source
while read -l line
  echo "== $line"
  complete -C "$line" | string replace -r '\t.*' ''
end
"""
# One key completes all lines: a widget lists the matches of each, and `compadd` writes them to a file.
ZSH = r"""
autoload -Uz compinit
compinit -u -D
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -O hits "$@"
  print -rl -- $hits >> $WORK/found
  builtin compadd "$@"
}
zle -C list-matches list-choices _main_complete
all-lines() {
  local line
  for line in "${(@f)$(<$WORK/lines)}"; do
    print -r -- "== $line" >> $WORK/found
    BUFFER=$line
    CURSOR=$#BUFFER
    zle list-matches
  done
  print -r -- "== end" >> $WORK/found
  BUFFER=
}
zle -N all-lines
bindkey '^T' all-lines
"""


def answers(text):
    """Returns the completions of each line, by the line."""
    found = {}
    for part in text.split("== ")[1:]:
        line, *words = part.split("\n")
        found[line] = {word for word in words if word}
    return found


def run(command, lines, env):
    result = subprocess.run(command, input="".join(f"{line}\n" for line in lines), env=env, capture_output=True, text=True, timeout=60)
    expect(not result.stderr, f"{command[0]} says {result.stderr}")
    return answers(result.stdout)


def run_zsh(lines, env, work, setup):
    (work / "lines").write_text("\n".join(lines))
    (work / "found").write_text("")
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"], env | {"WORK": str(work), "TERM": "xterm"})
    (work / "setup").write_text(setup)
    os.write(terminal, b"source $WORK/setup; print ready > $WORK/ready\n")

    def is_ready():
        read(terminal)
        return (work / "ready").exists()

    def has_ended():
        read(terminal)
        return (work / "found").read_text().endswith("== end\n")

    until("zsh to be ready", is_ready, 60)
    os.write(terminal, b"\x14")
    until("zsh to complete all lines", has_ended, 60)
    os.close(terminal)
    os.waitpid(pid, 0)
    (work / "ready").unlink()
    return answers((work / "found").read_text())


def read(terminal):
    while select.select([terminal], [], [], 0)[0]:
        os.read(terminal, 65536)


def options(text):
    """Returns the options in the rows of a help text, such as `--output` and `-o`."""
    rows = re.findall(r"^ +(?:(-\w), |)+ *(--[\w-]+)(?: |$)", text, re.M)
    return {word for row in rows for word in row if word}


def manual(page):
    """Returns the options of a manual page, by the title of the section."""
    subprocess.run([f"{ROOT}/Scripts/man"], check=True)
    page = Path(f"{ROOT}/.build/man/{page}").read_text()
    page = re.sub(r"\\(f[BIR]|%)", "", page).replace("\\-", "-")
    found = {}
    for section in re.split(r"^\.S[sh] ", page, flags=re.M):
        name, _, text = section.partition("\n")
        tags = re.findall(r'^\.It "?(?:(-\w), )?(--[\w-]+)', text, re.M)
        found[name] = {word for tag in tags for word in tag if word}
    return found


def expectations(place, folder):
    """Returns the lines to complete with the expected words, and the problems of the manual pages."""
    def output(*words, program="flowclient"):
        return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

    usage = output("--help")
    groups, _, rest = usage.partition("\nOptions of every command:\n")
    commands = re.findall(r"^  (\w+)", groups, re.M)
    general = options(rest.split("\n\n")[0])
    expected = {"flowclient ": set(commands), "flowclient -": general, f"flowclient -s {place} se": {"send", "serve"}}
    pages, problems = manual("flowclient.1"), []
    of_every_command = pages["OPTIONS OF EVERY COMMAND"]
    told, page = options(output("--help", program="FlowServer")), manual("FlowServer.8")["COMMAND LINE"]
    if not told or told != page:
        problems.append(f"FlowServer.8 and FlowServer --help differ: {page} and {told}")
    for name in commands:
        text = output(name, "--help")
        told = options(text)
        expected[f"flowclient {name} -"] = told
        expected[f"flowclient -q {name} x -"] = told
        if pages.get(name, set()) | (of_every_command - {"--output", "-o"}) != told:
            problems.append(f"flowclient.1 and {name} --help differ: {pages.get(name)} and {told}")
        if output("help", name) != text:
            problems.append(f"help {name} and {name} --help differ")
        if forms := re.search(r"--output FORM +([^(\n]*)", text):
            expected[f"flowclient {name} -o "] = set(re.split(", | or ", forms[1].strip()))
        if forms := re.search(r"--format FORM +(.*)", text):
            # A text in brackets, or after "template", explains the word before it.
            forms = re.sub(r" TEXT.*| \(.*?\)", "", forms[1])
            expected[f"flowclient {name} --format "] = set(re.split(", or |, | or ", forms.strip()))
    expected |= {
        "flowclient completion ": {"bash", "zsh", "fish"},
        "flowclient bench ": {"pub", "sub", "e2e", "fanout"},
        "flowclient list ": {"subjects", "pipelines", "runs", "services", "streams", "clients"},
        f"flowclient -s {place} send ": SUBJECTS,
        f"flowclient --server={place} send -q ": SUBJECTS,
        f"flowclient send -s {place} sens": {"sensors/kitchen/temp"},
        f"flowclient -s {place} sub -n 3 ": SUBJECTS | {"even"},
        f"flowclient -s {place} show ": SUBJECTS | {"even", "copy"},
        f"flowclient -s {place} sub x ": set(),
        "flowclient -s 127.0.0.1:1 sub ": set(),
        "flowclient sub -n ": set(),
        "flowclient --color ": {"auto", "always", "never"},
        "flowclient list --color ": {"auto", "always", "never"},
        "flowclient bench pub --flow ": {"slowest", "free"},
        "flowclient top --sort ": {"verdict", "name", "in", "out", "drops", "lost", "subscriptions"},
        f"flowclient lint {folder}/": {f"{folder}/a b.flow", f"{folder}/shop.flow"},
        f"flowclient send orders --file {folder}/sh": {f"{folder}/shop.flow"},
    }
    return expected, problems


def compare(shell, expected, found, folder):
    problems = []
    for line, words in expected.items():
        # Shells escape blanks, and zsh gives a file's folder and name separately.
        got = {word.replace("\\ ", " ") for word in found.get(line, {"no completions at all"})}
        if f"{folder}/" in line:
            words, got = ({os.path.basename(word) for word in some} for some in (words, got))
        if got != words:
            problems.append(f"{shell}: {line!r} lacks {sorted(words - got)}, and has unexpected {sorted(got - words)}")
    return problems


def main(server):
    work, files = Path(server.path("work")), Path(server.path("files"))
    for folder in (work, files):
        folder.mkdir()
    for name in ("a b.flow", "shop.flow"):
        (files / name).write_text(DEFINITIONS)
    env = {"PATH": f"{os.path.dirname(program('flowclient'))}:{os.environ['PATH']}", "HOME": str(work), "LC_ALL": "C.UTF-8"}
    os.environ |= env
    os.environ.pop("FLOW_SERVER", None)
    expected, problems = expectations(server.tcp, files)
    lines = list(expected)
    problems += compare("bash", expected, run(["bash", "--norc", "-c", BASH], lines, env), files)
    problems += compare("fish", expected, run(["fish", "--no-config", "-c", FISH], lines, env), files)
    functions = work / "functions"
    functions.mkdir()
    script = subprocess.run(["flowclient", "completion", "zsh"], capture_output=True, text=True, check=True).stdout
    (functions / "_flowclient").write_text(script)
    found = run_zsh(lines, env, work, f"fpath=({functions} $fpath)\n" + ZSH)
    problems += compare("zsh", expected, found, files)
    few = {line: expected[line] for line in ("flowclient ", "flowclient sub -", f"flowclient -s {server.tcp} show ")}
    found = run_zsh(list(few), env, work, ZSH + "source <(flowclient completion zsh)\n")
    problems += compare("zsh, not installed", few, found, files)
    print("\n".join(problems) or f"{len(expected)} lines are completed as they should be in bash, zsh and fish")
    return 1 if problems else 0


if __name__ == "__main__":
    with Server(DEFINITIONS) as server:
        code = main(server)
    sys.exit(code)

#!/usr/bin/env python3
"""Runs the examples of the README in netcat, flowclient, Swift and Python (flowjs.py runs the browser's), then the console blocks of
several pages, each page with its own demo server, and the recorded session. The Swift programs need the debug build.

    readme.py                everything
    readme.py PAGE…          only the console blocks of these pages, such as docs/tutorials/jobs.md
    readme.py --fill PAGE    prints the page with its current outputs

In a console block, lines after `$ ` and their continuations after `> ` are input. All other lines are the expected output, where `…`
matches any text of a line. A flow block that begins with `# NAME.flow` becomes the file NAME.flow; it is linted, and its tests run.
"""

import contextlib
import glob
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile

from live import ROOT, Server, debug_build, equal, expect, program

PACKAGE = f"""\
// swift-tools-version: 6.1
import PackageDescription
let core = Target.Dependency.product(name: "FlowCore", package: "flow")
let remote = Target.Dependency.product(name: "FlowRemote", package: "flow")
let package = Package(
  name: "example",
  dependencies: [.package(name: "flow", path: "{ROOT}")],
  targets: [
    .executableTarget(name: "example", dependencies: [core]),
    .executableTarget(name: "combine-example", dependencies: [core]),
    .executableTarget(name: "remote-example", dependencies: [core, remote]),
  ]
)
"""
#: FlowRemote and its dependencies.
ROOMS = ("FlowRemote", "FlowCore", "FlowWire", "FlowTransport", "Spelling", "CLinux")
COMBINE = """\
struct Order {
  let id, price: Int
}
let orders = [Order(id: 1, price: 150), Order(id: 2, price: 20), Order(id: 3, price: 120)].publisher
func charge(_ id: Int) -> Just<Int> { Just(id) }
func show(_ receipt: Int) async { print(receipt) }
"""
BLOCK = re.compile(r"(^```console\n)(.*?)(^```$)", re.M | re.S)


def demo():
    return Server("", "demo", web="off")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def block(server, language, number=0, page="README.md"):
    """Returns a block of a page, with the address of `server` in it."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", read(page), re.M | re.S)
    return found[number].replace("127.0.0.1:3569", server.tcp)


# Console blocks


def play(page, server, folder):
    """Runs all console blocks of a page in one shell; returns the output of each."""
    bin = os.path.join(folder, "bin")
    os.mkdir(bin)
    for name, command in {
        "flowclient": f'"{program("flowclient")}" -s {server.tcp} "$@"',
        "nc": f"nc.openbsd 127.0.0.1 {server.port}",
    }.items():
        with open(os.open(f"{bin}/{name}", os.O_CREAT | os.O_WRONLY, 0o755), "w") as file:
            file.write(f"#!/bin/sh\nexec {command}\n")
    for text in re.findall(r"^```flow\n(.*?)^```$", page, re.M | re.S):
        if found := re.search(r"^# ([a-z]+\.flow)$", text, re.M):
            with open(f"{folder}/{found[1]}", "w") as file:
                file.write(text[found.start():])
            for words in (["lint", "--strict"], ["test"]):
                done = subprocess.run([program("flowclient"), *words, f"{folder}/{found[1]}"], capture_output=True, text=True)
                expect(done.returncode == 0, f"{' '.join(words)} {found[1]}: {done.stdout}{done.stderr}")
    blocks = [text for _, text, _ in BLOCK.findall(page)]
    for number, text in enumerate(blocks):
        with open(f"{folder}/{number}.typed", "w") as file:
            file.writelines(line[2:] or "\n" for line in text.splitlines(True) if is_typed(line))
    script = "set -uo pipefail\n" + "".join(f". {folder}/{n}.typed >{folder}/{n}.got 2>&1\n" for n in range(len(blocks)))
    environment = os.environ | {"PATH": f"{bin}:{os.environ['PATH']}"}
    shell = subprocess.Popen(["bash", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        shell.wait(120)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
        shell.wait()
    return [read(f"{folder}/{number}.got") for number in range(len(blocks))]


def is_typed(line):
    return re.match(r"\$ |>( |$)", line)


def agrees(wanted, got):
    return wanted is not None and got is not None and re.fullmatch(".*".join(map(re.escape, wanted.split("…"))), got)


def console(path, is_filled=False):
    page = read(path)
    with demo() as server, tempfile.TemporaryDirectory() as folder:
        outputs = play(page, server, folder)
    if is_filled:
        rest = iter(outputs)
        return print(BLOCK.sub(lambda found: found[1] + typed(found[2]) + next(rest) + found[3], page), end="")
    for number, ((_, text, _), output) in enumerate(zip(BLOCK.findall(page), outputs), 1):
        wanted = [line for line in text.split("\n")[:-1] if not is_typed(line)]
        for row, (one, other) in enumerate(itertools.zip_longest(wanted, output.removesuffix("\n").split("\n") if output else []), 1):
            expect(agrees(one, other), f"{path}, block {number}, line {row}:\n  on the page: {one}\n  came out:    {other}")
    print(f"ok: {path}, {len(outputs)} blocks", flush=True)


def typed(text):
    return "".join(line for line in text.splitlines(True) if is_typed(line))


# The other blocks of the README


def check_readme(server):
    lines = block(server, "text").split("\n")
    said = "".join(f"{line[2:]}\n" for line in lines if line.startswith("> "))
    done = subprocess.run(["nc.openbsd", "127.0.0.1", str(server.port)], input=said, capture_output=True, text=True, timeout=20)
    equal(done.stdout.split("\n"), [line for line in lines if not line.startswith("> ")])
    print("ok: the netcat session", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        check_swift(server, folder)
        with open(f"{folder}/example.py", "w") as file:
            file.write(block(server, "python"))
        environment = os.environ | {"PYTHONPATH": f"{ROOT}/Examples/python"}
        done = subprocess.run([sys.executable, file.name], env=environment, capture_output=True, text=True, timeout=20)
        expect(done.stdout == "20\n40\n60\n", f"the Python example prints {done.stdout!r} {done.stderr}")
    print("ok: the Python example", flush=True)


def check_swift(server, folder):
    combine = re.sub("^import Combine", "import FlowCore", block(server, "swift", 0, "docs/coming-from.md"), flags=re.M)
    programs = {
        "example": (block(server, "swift"), "20\n40\n60\n"),
        "remote-example": (block(server, "swift", 1), "20\n40\n60\n"),
        "combine-example": (COMBINE + combine, "3\n"),  # only the newest: the others are dropped before the first request
    }
    with open(f"{folder}/Package.swift", "w") as file:
        file.write(PACKAGE)
    for name, (text, _) in programs.items():
        os.makedirs(f"{folder}/Sources/{name}")
        with open(f"{folder}/Sources/{name}/main.swift", "w") as file:
            file.write(text)
    # Planning a build shows that another package can depend on the products. To save the time of that build, the programs are then
    # linked to the existing debug build.
    plan = ["swift", "build", "-c", "release", "--package-path", folder, "--print-manifest-job-graph"]
    subprocess.run(plan, stdout=subprocess.DEVNULL, check=True)
    build, options = debug_build()
    objects = [path for room in ROOMS for path in glob.glob(f"{build}/{room}.build/**/*.o", recursive=True)]
    for name, (_, wanted) in programs.items():
        file = f"{folder}/Sources/{name}/main.swift"
        subprocess.run(["swiftc", file, "-module-name", "example", "-o", f"{folder}/{name}", *options, *objects], check=True)
        done = subprocess.run([f"{folder}/{name}"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
        expect(done.returncode == 0, f"{name}: {done.stderr}")
        expect(done.stdout == wanted, f"{name} prints {done.stdout!r}")
        print(f"ok: the Swift program {name}", flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            with demo() as server:
                check_readme(server)
            tutorials = sorted(os.path.relpath(path, ROOT) for path in glob.glob(f"{ROOT}/docs/tutorials/*.md"))
            for path in ["README.md", "docs/tutorial.md", "docs/recipes.md", "docs/coming-from.md", *tutorials]:
                console(path)
            subprocess.run([f"{ROOT}/Packaging/record-cast", "--check"], check=True)
        case ["--fill", path]:
            console(path, is_filled=True)
        case paths:
            for path in paths:
                console(path)

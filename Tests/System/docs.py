#!/usr/bin/env python3
"""Makes the documentation of the libraries with docc from the debug build, in .build-docs/FlowCore and so on. Fails on a warning, and
on a public declaration without a comment.
"""

import glob
import json
import os
import shutil
import subprocess
import sys

from live import ROOT, debug_build, expect

MODULES = ("FlowCore", "FlowRemote", "FlowServer")
SCRATCH = f"{ROOT}/.build-docs"
GRAPHS = f"{SCRATCH}/graphs"


def graphs_of(module):
    return glob.glob(f"{GRAPHS}/{module}.symbols.json") + glob.glob(f"{GRAPHS}/{module}@*.symbols.json")


def extract():
    """Writes the symbol graphs of the modules."""
    target = subprocess.run(["swift", "-print-target-info"], stdout=subprocess.PIPE, text=True, check=True).stdout
    triple = json.loads(target)["target"]["triple"]
    # Skips members that come from a protocol: otherwise each publisher would get a page for every operator.
    options = ["-minimum-access-level", "public", "-skip-synthesized-members", "-target", triple, *debug_build()[1]]
    for module in MODULES:
        subprocess.run(["swift", "symbolgraph-extract", "-module-name", module, "-output-dir", GRAPHS, *options], check=True)


def missing():
    """Yields public declarations without a comment, unless they implement a requirement that has one or is from another library."""
    declared, documented, requirements = {}, set(), {}
    for path in (path for module in MODULES for path in graphs_of(module)):
        with open(path, encoding="utf-8") as file:
            graph = json.load(file)
        for symbol in graph["symbols"]:
            name = symbol["identifier"]["precise"]
            if symbol["accessLevel"] in ("public", "open") and "location" in symbol and "::SYNTHESIZED::" not in name:
                declared[name] = symbol
                if symbol.get("docComment", {}).get("lines"):
                    documented.add(name)
        for relation in graph["relationships"]:
            if "sourceOrigin" in relation:
                requirements.setdefault(relation["source"], set()).add(relation["sourceOrigin"]["identifier"])
    expect(declared, "the symbol graphs are empty")
    for name, symbol in declared.items():
        inherits = any(origin in documented or origin not in declared for origin in requirements.get(name, ()))
        if name not in documented and not inherits:
            place = symbol["location"]
            file = os.path.relpath(place["uri"].removeprefix("file://"), ROOT)
            yield f"{file}:{place['position']['line'] + 1}: {'.'.join(symbol['pathComponents'])} has no documentation comment"


def convert(module):
    own = f"{SCRATCH}/{module}.graphs"
    shutil.rmtree(own, ignore_errors=True)
    os.mkdir(own)
    for path in graphs_of(module):
        shutil.copy(path, own)
    command = [
        "docc", "convert", f"{ROOT}/Sources/{module}/{module}.docc", "--additional-symbol-graph-dir", own, "--output-path", f"{SCRATCH}/{module}",
        "--fallback-display-name", module, "--fallback-bundle-identifier", f"flow.{module}", "--warnings-as-errors",
    ]  # fmt: skip
    subprocess.run(command, check=True)


shutil.rmtree(GRAPHS, ignore_errors=True)
os.makedirs(GRAPHS)
extract()
if undocumented := sorted(missing()):
    sys.exit("\n".join(undocumented))
for name in MODULES:
    convert(name)

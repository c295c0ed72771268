"""Compares the imports in the sources with the dependencies that Package.swift declares."""
import json
import re
import subprocess

IMPORT = re.compile(r"^(?:@\w+(?:\(\w+\))? )?(?:public |package |internal |private |fileprivate )?import (?:\w+ )?(\w+)", re.M)


def check(root):
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=root, capture_output=True, text=True, check=True)
    targets = {target["name"]: target for target in json.loads(dump.stdout)["targets"]}
    problems = []
    for name, target in targets.items():
        declared = {dependency["byName"][0] for dependency in target["dependencies"]}
        folder = root / (target.get("path") or ("Tests" if target["type"] == "test" else "Sources") + "/" + name)
        imported = set()
        for file in folder.rglob("*.swift"):
            imported |= set(IMPORT.findall(file.read_text())) & targets.keys()
        problems += [f"{name} imports {room}, which Package.swift does not declare" for room in sorted(imported - declared)]
        # Tests depend on the programs that they start without importing them.
        unused = {room for room in declared - imported if targets[room]["type"] != "executable"}
        problems += [f"Package.swift declares that {name} depends on {room}, which it does not import" for room in sorted(unused)]
    return problems

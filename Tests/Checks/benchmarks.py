"""Compiles the benchmarks of this package against the modules of a debug build.

Benchmarks is a separate package, whose dependencies need a network, so no other check compiles it.
"""
import subprocess
import tempfile
from pathlib import Path

HEADERS = ["Benchmarks/Sources/CAllocations", "Sources/CLinux", "Sources/CVectors"]
ROOMS = ["FlowScenarios", "calls", "far", "language"]


def check(root):
    bin_path = subprocess.run(["swift", "build", "--scratch-path", ".build-test", "--show-bin-path"], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
    sources = root / "Benchmarks/Sources"
    with tempfile.TemporaryDirectory() as work:
        with open(f"{work}/module.modulemap", "w") as file:
            for folder in HEADERS:
                [header] = (root / folder / "include").glob("*.h")
                file.write(f'module {Path(folder).name} {{ header "{header}" export * }}\n')
        options = ["-swift-version", "6", "-warnings-as-errors", "-module-cache-path", f"{work}/cache", "-I", f"{bin_path}/Modules", "-I", work]
        measure = ["-emit-module", "-emit-module-path", f"{work}/Measure.swiftmodule"]
        for room in ["Measure"] + ROOMS:
            files = sorted((sources / room).glob("*.swift"))
            kind = measure if room == "Measure" else ["-typecheck"]
            compiled = subprocess.run(["swiftc", *options, *kind, "-module-name", room, *files], capture_output=True, text=True)
            if compiled.returncode:
                return [f"Benchmarks/Sources/{room} does not compile:", compiled.stderr]
    return []

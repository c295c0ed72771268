#!/usr/bin/env python3
"""Checks the systemd units of Packaging with systemd-analyze, alone and together with those of docs/deploy.md."""

import os
import re
import subprocess
import sys
import tempfile

from live import ROOT, expect, run
from proxies.recipes import Recipes

#: The path of the program, and its replacement, since systemd-analyze expects the program to exist.
PROGRAM = ("/usr/local/bin/FlowServer", "/bin/true")


def verify(units, *recipes):
    """Expects systemd-analyze to find nothing wrong with `units` of Packaging, or of `recipes`, which are files of docs/deploy.md."""
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/flow.service.d")
        for name in recipes:
            with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(Recipes().file(f"/etc/systemd/system/{name}", *([PROGRAM] if name.endswith(".conf") else [])))
        for name in ("flow.service", "flow.socket"):
            with open(f"{ROOT}/Packaging/{name}", encoding="utf-8") as unit, open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                file.write(unit.read().replace(*PROGRAM))
        command = ["systemd-analyze", "verify", "--man=no", *(f"{folder}/{name}" for name in units)]
        found = subprocess.run(command, capture_output=True, text=True, timeout=20)
        said = [line for line in (found.stdout + found.stderr).splitlines() if folder in line or "flow" in line]
        expect(found.returncode == 0 and not said, f"systemd-analyze verify: {said or found}")


def test_packaging():
    """the units of Packaging"""
    verify(("flow.service", "flow.socket"))


def test_proxies():
    """the units of Packaging with those of docs/deploy.md"""
    sockets = ("flow-proxy.socket", "flow-page.socket")
    verify(("flow.service", *sockets), *sockets, "flow.service.d/proxy.conf")


def test_exposure():
    """the exposure is 1.5 at most"""
    command = ["systemd-analyze", "security", "--offline=true", f"{ROOT}/Packaging/flow.service"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout
    exposure = re.search(r"Overall exposure.*: ([0-9.]+) ", said)[1]
    expect(float(exposure) <= 1.5, f"the exposure is {exposure}")
    return exposure


if __name__ == "__main__":
    sys.exit(run(__name__, sys.argv[1:]))

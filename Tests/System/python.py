#!/usr/bin/env python3
"""Tests Examples/python/flow.py with bytes, a scripted server and a live one, then runs Scripts/conformance with it and flowclient.

    python.py [PATTERN…]    everything, or only the unit tests that match a pattern of `python3 -m unittest -k`
"""

import os
import subprocess
import sys
import unittest

from live import ROOT, expect, program


def conforms(client, *without):
    print(f"{client}:", flush=True)
    subprocess.run([f"{ROOT}/Scripts/conformance", "127.0.0.1:0", client, *without], check=True)


program("flowclient")
os.environ["PYTHONPATH"] = f"{ROOT}/Examples/python"
sys.path.append(os.environ["PYTHONPATH"])
names = [f"flowpy.test_{name}" for name in ("parser", "scripted", "flow")]
arguments = [f"-k{pattern}" for pattern in sys.argv[1:]]
tests = unittest.main(None, argv=["python.py", *arguments, *names], exit=False, warnings="default")
if not tests.result.wasSuccessful():
    sys.exit(1)
with open(f"{ROOT}/Examples/python/flow.py", encoding="utf-8") as file:
    expect(len(file.readlines()) <= 350, "flow.py has more than 350 lines")
if not arguments:
    conforms(f"python3 {ROOT}/Examples/python/conform.py")
    # The command of `flowclient serve` writes lines, so it cannot send values that contain line ends.
    conforms(f"{ROOT}/Tests/System/flowpy/conform-flowclient", "--without", "calls-counted")

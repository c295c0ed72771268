#!/usr/bin/env python3
"""Examples/python/flow.py against bytes, a scripted server and a live one; then what Scripts/conformance says of it and of flowclient.

    python.py [PATTERN…]    all, or the unit tests that match one of the patterns of `python3 -m unittest -k`
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
    # A command of flowclient serve writes lines, and each is a value.
    conforms(f"{ROOT}/Tests/System/flowpy/conform-flowclient", "--without", "calls-counted")

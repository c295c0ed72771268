#!/usr/bin/env python3
"""Runs all conversations of ConversationTests, from the debug build, with a release server under valgrind; expects no invalid access."""

import os
import re
import subprocess
import sys

from live import ROOT, Server

# Reports only invalid accesses: Swift's runtime reads undefined values when it makes metadata of generic types.
VALGRIND = [
    "valgrind", "--quiet", "--error-exitcode=99", "--undef-value-errors=no", "--num-callers=30", "--log-file={folder}/valgrind"
]  # fmt: skip
# Lines about epoll_pwait2, which valgrind does not know.
EXPECTED = "WARNING: unhandled|You may be able to write|Read the file README|Nevertheless we consider|it at http"

with Server(prefix=VALGRIND, web="off", seconds=60) as server:
    environment = os.environ | {"FLOW_CONVERSATIONS_PORT": str(server.port)}
    command = ["swift", "test", "--skip-build", "--disable-xctest", "--scratch-path", ".build-test", "--filter", "ConversationTests.elsewhere"]
    played = subprocess.run(command, cwd=ROOT, env=environment)
    server.terminate()
    ended = server.process.wait(60)
    found = [line for line in server.read("valgrind").splitlines(True) if not re.search(EXPECTED, line)]
    if found or ended:
        subprocess.run(["swift", "demangle"], input="".join(found[:100]), text=True)
        sys.exit(f"the server ended with {ended}")
print("no invalid access")
sys.exit(played.returncode)

#!/usr/bin/env python3
"""Types into `flowclient` in a real terminal: values appear above the line being typed; keys request values; lines are completed, found
in the history and pasted; flowclient reconnects to a killed server; and it leaves the terminal as it was.
"""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time

from live import Server, equal, expect, program, run, until
from terminal import Terminal

SHOP = """\
# A shop.
SUBJECT sold
PIPELINE dear = sold
  .filter { order in
    order.price > 3   # dear
  }
  .map { $0.price }
SUBJECT taken
"""


def cursor_is(terminal, column):
    """Waits until the cursor stands in a column, counted from 0."""
    terminal.await_screen(f"have the cursor in column {column}", lambda: terminal.told("#{cursor_x}") == str(column))


def copies(terminal, text):
    return sum(text in line for line in terminal.screen().split("\n"))


def test_widths(terminal):
    """60, 80 and 200 columns"""
    other = terminal.server.client()
    for columns in (60, 80, 200):
        terminal.begin(columns, 24, "flowclient")
        terminal.shows("^flow> *$")
        terminal.type("SUB ord")
        terminal.shows("^flow> SUB ord")
        terminal.keys("Tab")
        terminal.shows("^flow> SUB orders")
        terminal.type(" 2", "Enter")
        terminal.shows("^OK sub 1 orders demand=2")
        terminal.type("PING half")
        terminal.shows("^flow> PING half")
        other.do('SEND orders {"price":5,"label":"注文 😀"}')
        terminal.shows(r'^= 1 \{"price":5,"label":"注文 😀"\}')
        terminal.shows("^flow> PING half")
        cursor_is(terminal, 15)
        # The typed line is still there, exactly once.
        equal(copies(terminal, "PING half"), 1)
        terminal.type(" done", "Enter")
        terminal.shows("^PONG half done")
        other.do("SEND orders 2")
        terminal.shows("^= 1 2$")
        terminal.shows("0 to come")
        terminal.type("5+")
        terminal.shows("5 to come")
        terminal.type("+")
        terminal.shows("6 to come")
        terminal.type("*")
        terminal.shows("max to come")
        for value in range(1, 41):
            other.do(f"SEND orders {value}")
        terminal.shows("^= 1 40$")
        terminal.type("PIPELINE over = orders.filter { $0.lab", "Tab")
        terminal.shows(r"filter \{ \$0.label")
        terminal.keys("C-u")
        terminal.type("SUB orders.debonce(for: 1).map")
        terminal.shows(r"\^\^\^\^\^\^\^")
        terminal.shows('did you mean "debounce"')
        terminal.keys("C-c", "C-r")
        terminal.type("half")
        terminal.shows("^search: half > PING half done")
        terminal.keys("Enter")
        terminal.shows("^flow> PING half done")
        terminal.hides("^search")
        terminal.keys("Home")
        cursor_is(terminal, 6)
        terminal.keys("C-k")
        terminal.hides("^flow> PING half done +$")
        terminal.type(":pause", "Enter")
        terminal.shows("^paused> ")
        other.do("SEND orders held")
        terminal.shows("1 values? waits?")
        equal(copies(terminal, "= 1 held"), 0)
        terminal.type(":resume", "Enter")
        terminal.shows("^= 1 held")
        terminal.type("CANCEL 1", "Enter")
        terminal.shows("^OK cancel 1")
        terminal.keys("C-d")
        terminal.over()


def test_stops(terminal):
    """control-C stops a flood of values within half a second, a worker, and a TAIL; beside a slow stream it drops only the typed line"""
    terminal.begin(80, 24, "flowclient")
    terminal.shows("^flow> *$")
    for number, typed in ((1, ""), (2, "PING ty")):
        terminal.type("SUB (1...100000000).publisher.map { [$0, $0, $0] } max", "Enter")
        terminal.shows(rf"^= {number} \[\d{{4}}")
        terminal.type(typed)
        terminal.keys("C-c")
        terminal.is_still_after(0.5)
        terminal.shows(rf"^flow> {typed}\^C")
        terminal.shows(rf"^OK cancel {number} values=\d+")
        terminal.shows("^[0-9]+ values were not shown")
    terminal.type("PING on", "Enter")
    terminal.shows("^PONG on")
    terminal.type("SUB orders 5", "Enter")
    terminal.shows("^OK sub 3")
    terminal.server.client().do("SEND orders 1")
    terminal.shows("^= 3 1")
    terminal.type("PING be")
    terminal.keys("C-c")
    terminal.shows(r"^flow> PING be\^C")
    terminal.shows("4 to come")
    terminal.keys("C-c")
    terminal.shows("^OK cancel 3 values=1")
    terminal.type("PING then", "Enter")
    terminal.shows("^PONG then")
    terminal.keys("C-c")
    terminal.shows("^control-D leaves")
    terminal.type("SERVE upper 5", "Enter")
    terminal.shows("^OK serve 4")
    terminal.keys("C-c")
    terminal.shows("CANCEL 4 ends stream 4$")
    asking = terminal.server.client("SUB ask(upper, 7) 1")
    terminal.shows(r"^= 4\.1 7")
    terminal.keys("C-c")
    terminal.shows("^OK cancel 4 values=1")
    asking.close()
    terminal.type("TAIL (1...100000000).publisher", "Enter")
    terminal.shows(r"^\d{4}")
    terminal.keys("C-c")
    terminal.shows("^the TAIL has ended")
    terminal.shows("^reconnected to")
    terminal.is_still_after(0.5)
    terminal.type("PING again", "Enter")
    terminal.shows("^PONG again")
    terminal.keys("C-d")
    terminal.over()


def test_leaves(terminal):
    """exit and quit leave at once, with and without TERM=dumb; HELP fits the width"""
    for word, *variables in (("exit",), ("quit",), ("QUIT",), ("exit", "TERM=dumb"), ("quit", "TERM=dumb")):
        terminal.begin(60, 24, "flowclient", *variables)
        terminal.shows("^connected to")
        terminal.type("SUB orders 5", "Enter")
        terminal.shows("^OK sub 1")
        for topic in ("", " join", " demand"):
            terminal.type(f"HELP{topic}", "Enter")
            terminal.shows(f"^OK help{topic}")
            terminal.fits(60)
        terminal.type(word, "Enter")
        terminal.over()


def test_session(terminal):
    """late names, several lines, wide characters, sizes, pastes, :save, a killed server, control-Z, history, SIGTERM"""
    server = terminal.server
    server.process.send_signal(signal.SIGSTOP)
    terminal.begin(60, 24, "flowclient")
    terminal.shows("^flow>")
    terminal.type("SUB ord", "Tab")
    terminal.shows("^flow> SUB ord ")
    server.process.send_signal(signal.SIGCONT)
    terminal.shows("^flow> SUB orders")
    terminal.keys("C-c")
    terminal.shows("^flow> *$")

    terminal.type("PIPELINE p = orders.map {", "Enter")
    terminal.shows(r"^  \.\.\.")
    terminal.type("$0 }", "Enter")
    terminal.shows("^OK pipeline p")
    terminal.keys("Up")
    terminal.shows(r"^  \.\.\. \$0 }")
    terminal.keys("C-c")
    terminal.shows(r"^  \.\.\. \$0 }\^C")
    terminal.type("SEND orders 注文é😀")
    cursor_is(terminal, 25)
    terminal.keys("Left", "Left", "BSpace")
    cursor_is(terminal, 20)
    terminal.shows("^flow> SEND orders 注é😀")
    terminal.keys("C-e", "C-u")
    terminal.type("SEND orders" + 5 * " abcdefghij")
    terminal.shows("abcdefghij$")
    for columns, rows in ((40, 10), (200, 50), (25, 12), (72, 24)):
        terminal.resize(columns, rows)
        terminal.shows("^flow> SEND orders")
        terminal.await_screen(f"have the line once at {columns} columns", lambda: copies(terminal, "SEND orders abc") == 1)
    terminal.shows("^flow> SEND orders abcdefghij abcdefghij")
    terminal.keys("C-c")

    paste(terminal, "shop.flow", SHOP)
    terminal.shows("^OK subject taken")
    terminal.shows("^OK pipeline dear")
    paste(terminal, "bad.flow", "SUBJECT fresh\nPIPELINE bad = sold.debonce(for: 1)\n")
    terminal.shows("^paste:2:21: error")
    terminal.shows("^nothing of the paste was sent")
    terminal.type(":save saved.flow", "Enter")
    terminal.shows("^saved.flow: [45] definitions")
    subprocess.run([program("flowclient"), "lint", server.path("saved.flow")], check=True, capture_output=True)

    terminal.type("SUB orders 7", "Enter")
    terminal.shows("^OK sub 1 orders demand=7")
    server.kill()
    terminal.shows("^was open: SUB 1 orders, demand 7 left")
    terminal.type("SUBJECT orders")
    terminal.shows("^no connection> SUBJECT orders")
    server.start()
    server.client().ask("SUBJECT orders")
    terminal.shows("^reconnected")
    terminal.shows("^flow> SUB orders 7 as=1")
    terminal.shows("^flow> SUBJECT orders")
    terminal.keys("Enter")
    terminal.shows("^OK subject orders")

    terminal.keys("C-z")
    terminal.shows("Stopped")
    terminal.type("fg", "Enter")
    terminal.shows("^flow>")
    terminal.type(":quit", "Enter")
    terminal.over()
    terminal.begin(80, 24, "flowclient")
    terminal.shows("^flow>")
    terminal.keys("Up")
    terminal.shows("^flow> :quit")
    terminal.type("x")
    terminal.terminate()
    terminal.shows("Terminated")
    terminal.keys("Enter")
    terminal.over()
    equal(os.stat(server.path("state/flowclient/history")).st_mode & 0o777, 0o600)


def paste(terminal, name, text):
    terminal.server.write(name, text)
    terminal.tmux("load-buffer", terminal.server.path(name))
    terminal.tmux("paste-buffer", "-p", "-t", "it")


def test_backoff(terminal):
    """waits longer before each new connection if a stream ends every connection"""
    times = []

    def serve(listener):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = listener.accept()
                times.append(time.monotonic())
                with connection, connection.makefile("rwb", 0) as lines:
                    lines.write(b"HI flow/9 proto=1 maxline=65536 maxvalue=1048576 auth=none\n")
                    while (line := lines.readline()) and not line.startswith(b"SUB"):
                        pass
                    lines.write(b"OK sub 1 x demand=1\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        terminal.begin(80, 24, f"flowclient -s 127.0.0.1:{listener.getsockname()[1]}")
        terminal.shows("^flow>")
        terminal.type("SUB x 1", "Enter")
        until("five connections", lambda: len(times) >= 5)
        expect(times[4] - times[3] > 0.7, f"they were made at {times}")
        terminal.type(":quit", "Enter")
        terminal.over()


def test_plain(terminal):
    """NO_COLOR, TERM=dumb"""
    terminal.begin(60, 24, "flowclient", "NO_COLOR=1")
    terminal.shows("^flow>")
    terminal.type("REQ ")
    terminal.shows(r"^  \(ID\|NAME N\|max\)")
    expect("\x1b[" not in terminal.screen("-e"), "it is coloured in spite of NO_COLOR")
    terminal.keys("C-c", "C-d")
    terminal.over()
    terminal.begin(60, 24, "flowclient", "TERM=dumb")
    terminal.shows("^connected to")
    terminal.type("PING plain", "Enter")
    terminal.shows("^PONG plain")
    terminal.keys("C-d")
    terminal.over()


@contextlib.contextmanager
def made():
    with Server() as server, Terminal(server) as terminal:
        server.client("SUBJECT orders")
        yield terminal


if __name__ == "__main__":
    sys.exit(run(__name__, sys.argv[1:], terminal=made))

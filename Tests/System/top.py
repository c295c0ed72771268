#!/usr/bin/env python3
"""Tests `flowclient top` and `marble` in a real terminal: `top` fits 60, 100 and 200 columns, follows changes of size, reconnects to a
restarted server, and leaves the terminal as it was, however it ends; `marble` leaves its last picture.
"""

import contextlib
import sys
import time

from live import Server, expect, program, run
from terminal import Terminal

DEFINITIONS = """\
SUBJECT taps
RUN ticks = Timer.publish(every: 0.01).autoconnect().map { 1 }.assign(to: taps)
PIPELINE slow = taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropNewest).flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 0.04) }
PIPELINE wide = taps.filter { $0 != "注文注文注文注文注文注文" }.map { "価格 😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀 é" }
"""


def over(terminal):
    """Expects the shell's screen again, with the command line, which may be wrapped."""
    terminal.shows(r"^\$ *$")
    expect("flowclient top" in terminal.screen("-J"), "top did not restore the shell's screen")
    terminal.over()


def test_widths(terminal):
    """60, 100 and 200 columns"""
    for columns in (60, 100, 200):
        terminal.begin(columns, 24, "flowclient top")
        terminal.shows("^> slow +held up")
        terminal.awaits_settings("1 0")
        terminal.fits(columns)
        terminal.shows("slow: loses")
        terminal.keys("Enter")
        terminal.shows("^ *2 +flatMap")
        terminal.shows(" b% | blocked ")
        terminal.fits(columns)
        terminal.keys("Escape")
        terminal.shows("^> slow")
        terminal.keys("/", "ta")
        terminal.shows("filter: ta_")
        terminal.keys("Enter")
        terminal.shows("^> taps")
        terminal.keys("q")
        over(terminal)


def test_wide_characters(terminal):
    """characters that are two columns wide"""
    for columns in (75, 76, 90, 91):
        terminal.begin(columns, 24, "flowclient top wide")
        terminal.shows("^ *2 +map")
        terminal.shows("価")
        terminal.fits(columns)
        terminal.keys("q")
        over(terminal)


def test_unserved(terminal):
    """names the service without a worker that an unnamed expression waits for"""
    asking = terminal.server.client("SUB ask(nobody, 1) 1")
    for view in ("", " taps"):
        terminal.begin(80, 24, f"flowclient top{view}")
        terminal.shows("^nobody has no worker: 1 call of client")
        terminal.fits(80)
        terminal.keys("q")
        over(terminal)
    asking.do("CANCEL 1")


def test_explain_and_list(terminal):
    """explain and list wrap nothing"""
    client = program("flowclient")
    for columns in (60, 100):
        terminal.run(columns, 60, f"'{client}' explain server.flow; '{client}' -s {terminal.server.tcp} list; sleep 60")
        terminal.shows("^pipeline slow")
        terminal.wraps_nothing()
        terminal.end()


def test_changes_of_size(terminal):
    """changes of size, and a killed server"""
    terminal.begin(80, 24, "flowclient top slow")
    terminal.shows("^ *2 +flatMap")
    for columns, rows in ((60, 10), (200, 50), (100, 6), (72, 24)):
        terminal.resize(columns, rows)
        time.sleep(0.5)  # gives top time to redraw
        terminal.fits(columns)
    terminal.shows("Esc: all")
    terminal.server.kill()
    terminal.shows("reconnecting")
    terminal.server.start()
    terminal.shows("^flow .* busy")
    terminal.keys("q")
    over(terminal)


def test_ends(terminal):
    """control-Z, control-C, SIGTERM"""
    terminal.begin(80, 24, "flowclient top")
    terminal.shows("^> ")
    terminal.keys("C-z")
    terminal.shows("Stopped")
    terminal.awaits_settings("0 1")
    terminal.type("fg", "Enter")
    terminal.shows("^> ")
    terminal.awaits_settings("1 0")
    terminal.keys("C-c")
    over(terminal)
    terminal.begin(80, 24, "flowclient top")
    terminal.shows("^> ")
    terminal.terminate()
    terminal.shows("Terminated")
    terminal.keys("Enter")
    over(terminal)


def test_marble(terminal):
    """marble draws on the other screen, and leaves its last picture, whatever ends it"""
    for ends in (lambda: terminal.keys("q"), lambda: terminal.keys("C-c"), terminal.terminate):
        terminal.begin(80, 24, "flowclient marble slow")
        terminal.shows("^2 flatMap")
        terminal.awaits_settings("1 0")
        terminal.fits(80)
        ends()
        terminal.shows(r"^\$ ")
        terminal.awaits_settings("0 1")
        for line in ("^marble slow ", "^taps ", "^2 flatMap"):
            terminal.shows(line)
        terminal.hides("q quits")
        terminal.keys("Enter")
        terminal.over()


@contextlib.contextmanager
def made():
    with Server(DEFINITIONS) as server, Terminal(server) as terminal:
        server.flowclient("-q", "sub", "slow")
        yield terminal


if __name__ == "__main__":
    sys.exit(run(__name__, sys.argv[1:], terminal=made))

"""A real terminal, that of tmux, in which `flowclient` runs in a shell."""

import os
import re
import subprocess
import time
import unicodedata

from live import Failed, equal, program, until


def width(line):
    """Returns how many columns of the terminal a line needs."""
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in line)


class Terminal:
    """A terminal of a new tmux server, until the end of the `with`. Its files are in the folder of `server`."""

    def __init__(self, server):
        self.server = server
        # Keeps tmux running between sessions; it would exit with its last one.
        self.tmux("new-session", "-d", "-s", "keep", "sleep 600")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.tmux("kill-server")

    def tmux(self, *words):
        command = ["tmux", "-S", self.server.path("tmux"), "-f", "/dev/null", *map(str, words)]
        environment = os.environ | {"LC_ALL": "C.UTF-8"}
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=10, env=environment).stdout

    def run(self, columns, rows, command):
        """Begins a session with a command."""
        self.tmux("new-session", "-d", "-s", "it", "-x", columns, "-y", rows, "-c", self.server.folder, command)

    def begin(self, columns, rows, command, *variables):
        """Begins a session with a shell, and types a command; flowclient finds the server by FLOW_SERVER."""
        variables = " ".join([
            "PS1='$ '", "HISTFILE=", f"PATH='{os.path.dirname(program('flowclient'))}':\"$PATH\"",
            f"FLOW_SERVER={self.server.tcp}", f"XDG_STATE_HOME='{self.server.path('state')}'", *variables,
        ])  # fmt: skip
        self.run(columns, rows, f"env {variables} bash --norc --noprofile")
        self.shows(r"^\$")
        self.type(f"stty -g > before; {command}", "Enter")

    def over(self):
        """Expects the shell's prompt and the terminal's original settings, and ends the session."""
        self.shows(r"^\$ *$")
        equal(self.settings(), "0 1")
        self.type("stty -g > after; echo done", "Enter")
        self.shows(r"^done$")
        equal(self.server.read("after"), self.server.read("before"))
        self.end()

    def end(self):
        self.tmux("kill-session", "-t", "it")

    def keys(self, *keys):
        self.tmux("send-keys", "-t", "it", *keys)

    def type(self, text, *keys):
        """Types a text, then keys."""
        self.tmux("send-keys", "-t", "it", "-l", text)
        if keys:
            self.keys(*keys)

    def resize(self, columns, rows):
        self.tmux("resize-window", "-t", "it", "-x", columns, "-y", rows)

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", "-t", "it", *options)

    def told(self, form):
        """Returns what tmux prints for a format such as `#{cursor_x}`."""
        return self.tmux("display-message", "-p", "-t", "it", form).strip()

    def settings(self):
        """Returns two digits: whether the alternate screen is on, and whether the cursor is visible."""
        return self.told("#{alternate_on} #{cursor_flag}")

    def awaits_settings(self, expected):
        until(f"the settings {expected}", lambda: self.settings() == expected)

    def await_screen(self, what, condition):
        try:
            until(f"the screen to {what}", condition)
        except Failed as failure:
            raise Failed(f"{failure}:\n{self.screen()}") from None

    def shows(self, pattern):
        self.await_screen(f"show {pattern}", lambda: re.search(pattern, self.screen(), re.M))

    def hides(self, pattern):
        self.await_screen(f"hide {pattern}", lambda: not re.search(pattern, self.screen(), re.M))

    def is_still_after(self, seconds):
        """Expects that after so many seconds nothing more is printed."""
        time.sleep(seconds)
        screen = self.screen()
        time.sleep(0.5)
        equal(self.screen(), screen)

    def fits(self, columns):
        """Expects no line wider than `columns`, and none that tmux wrapped."""
        self.await_screen(f"fit {columns} columns", lambda: max(map(width, self.screen().split("\n"))) <= columns)
        self.wraps_nothing()

    def wraps_nothing(self):
        """Expects as many lines as with -J, which joins the lines that tmux wrapped."""
        self.await_screen("wrap nothing", lambda: self.screen().count("\n") == self.screen("-J").count("\n"))

    def terminate(self):
        """Sends SIGTERM to the flowclient in the shell."""
        found = subprocess.run(["pgrep", "-P", self.told("#{pane_pid}"), "-x", "flowclient"], stdout=subprocess.PIPE, check=True, text=True)
        os.kill(int(found.stdout.split()[-1]), 15)

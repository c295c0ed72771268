"""Real servers and clients of Flow, for the tests of the page."""

import http.client
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

BIN = os.environ.get("FLOW_BIN", "")


class Server:
    """A FlowServer on free ports of 127.0.0.1, until the end of a `with`."""

    def __init__(self, definitions="", *options, files=()):
        self.folder = tempfile.mkdtemp(prefix="flow-page-")
        self.options = list(options)
        self.commands = []
        for name, text in [("server.flow", definitions), *files]:
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        self.tcp = self.web = "127.0.0.1:0"
        self.start()

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self):
        """Starts it, on the ports that it had before if it was started before."""
        ports = self.path("ports")
        if os.path.exists(ports):
            os.unlink(ports)
        command = [os.path.join(BIN, "FlowServer"), "--config", self.path("server.flow"), "--listen", self.tcp]
        command += ["--http", self.web, "--ports-file", ports, "--log-level", "error", *self.options]
        with open(self.path("log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + 20
        while not os.path.exists(ports) or "http" not in self.read("ports"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"the server does not start: {self.read('log')}")
            time.sleep(0.02)
        addresses = dict(line.split(" ", 1) for line in self.read("ports").splitlines())
        self.tcp, self.web = addresses["tcp"], addresses["http"].removeprefix("http://").rstrip("/")
        self.url = f"http://{self.web}/"

    def read(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        for command in self.commands:
            command.kill()
            command.wait()
        shutil.rmtree(self.folder)

    # HTTP

    def get(self, path, method="GET", body=None, **headers):
        """Status, headers and body of an answer; redirections are not followed."""
        connection = http.client.HTTPConnection(self.web, timeout=10)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        found = answer.status, answer.headers, answer.read().decode()
        connection.close()
        return found

    def dial(self, sent=b"", room=None):
        """A connection by hand."""
        host, port = self.web.split(":")
        link = socket.socket()
        if room:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        link.settimeout(10)
        link.connect((host, int(port)))
        link.sendall(sent)
        return link

    def events(self, query="", count=2):
        """The first events of a stream, as (kind, data)."""
        found = []
        connection = http.client.HTTPConnection(self.web, timeout=10)
        connection.request("GET", f"/events{query}")
        answer = connection.getresponse()
        while len(found) < count:
            kind = answer.readline().decode().removeprefix("event: ").strip()
            data = answer.readline().decode().removeprefix("data: ")
            answer.readline()
            found.append((kind, json.loads(data)))
        connection.close()
        return found

    @property
    def memory(self):
        """The bytes in memory; /metrics tells them too, but to make such a text takes some itself."""
        with open(f"/proc/{self.process.pid}/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    # Flow

    def client(self, name):
        return Client(self.tcp, name)

    def flowclient(self, *arguments):
        """Starts flowclient, which is ended with the `with`: a worker would go on looking for its server."""
        command = [os.path.join(BIN, "flowclient"), "-s", self.tcp, *arguments]
        self.commands.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


class Client:
    """A client by hand: a socket, and a thread that reads what comes."""

    def __init__(self, address, name):
        host, port = address.split(":")
        self.link = socket.create_connection((host, int(port)), timeout=None)
        self.answers = queue.Queue()
        self.values = 0
        threading.Thread(target=self._read, daemon=True).start()
        self.answers.get(timeout=10)
        self.ask(f"HELLO 1 name={name}")

    def _read(self):
        try:
            for line in self.link.makefile("rb"):
                if line.startswith((b"= ", b": ")):
                    self.values += 1
                elif line.startswith((b"OK", b"ERR", b"HI", b"PONG", b"BYE")):
                    self.answers.put(line.decode().rstrip("\n"))
        except OSError:
            pass
        self.answers.put("BYE")

    def say(self, line):
        self.link.sendall(line.encode() + b"\n")

    def ask(self, line, timeout=10):
        self.say(line)
        answer = self.answers.get(timeout=timeout)
        assert answer.startswith(("OK", "PONG")), f"{line}: {answer}"
        return answer

    def close(self):
        self.link.close()


class Repeated:
    """Does something again and again, at a rate, on a thread of its own; over when its server is."""

    def __init__(self, perSecond, action):
        self.isOver = False
        self.pause, self.action = 1 / perSecond, action
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        number = 0
        try:
            while not self.isOver:
                number += 1
                self.action(number)
                time.sleep(self.pause)
        except (OSError, AssertionError, queue.Empty):
            pass


def sends(server, subject, perSecond, value=str):
    """A client that sends numbers to a subject, and waits where that is full."""
    client = server.client(f"sender-of-{subject}")
    return Repeated(perSecond, lambda number: client.ask(f"SEND {subject} {value(number)}", timeout=60))


SCENES = """
SUBJECT jobs flow=slowest
SUBJECT orders flow=slowest
SUBJECT taps
SUBJECT numbers
SUBJECT totals
SUBJECT images flow=slowest
PIPELINE slow-stage = jobs.buffer(size: 8, prefetch: .keepFull, whenFull: .dropNewest)
  .flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.2) }.map { $0 * 10 }
PIPELINE slow-client = orders.buffer(size: 30, prefetch: .keepFull, whenFull: .dropNewest).map { $0 + 1 }
PIPELINE dropping = taps.buffer(size: 6, prefetch: .byRequest, whenFull: .dropOldest)
  .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.2) }
PIPELINE all-well = numbers.filter { $0 % 2 == 0 }.map { $0 * 10 }
PIPELINE joined = numbers.map { $0 * 2 }.merge(with: numbers.filter { $0 % 3 == 0 })
PIPELINE resized = images.flatMap(maxPublishers: .max(4)) { ask(resize, $0) }
PIPELINE unused = numbers.scan(0) { $0 + $1 }
RUN sums = numbers.scan(0) { $0 + $1 }.subscribe(totals)
"""


def play(server, label="billing"):
    """Clients that make of `SCENES` what the names say."""
    for pipeline in ("slow-stage", "dropping", "all-well", "joined", "resized", "slow-client"):
        server.client("quick").ask(f"SUB {pipeline} max as=1")
    slow = server.client(label)
    slow.ask("SUB slow-client 3 as=1")
    parts = [Repeated(3, lambda _: slow.say("REQ 1 1"))]
    parts += [sends(server, subject, 30) for subject in ("jobs", "orders", "taps", "numbers", "images")]
    server.flowclient("serve", "resize", "--jobs", "1", "--", "sh", "-c", "sleep 0.4; echo {}")
    return parts

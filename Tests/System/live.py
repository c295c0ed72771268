"""What all tests of real programs share: a FlowServer, its clients, other processes, waits with a deadline, and the runner.

FLOW_BIN is the folder that Scripts/programs prints.
"""

import base64
import collections
import contextlib
import hashlib
import http.client
import inspect
import os
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def program(name):
    """The path of FlowServer or flowclient."""
    if not (folder := os.environ.get("FLOW_BIN")):
        print("set FLOW_BIN to the folder that Scripts/programs prints", file=sys.stderr)
        sys.exit(64)
    return os.path.join(os.path.abspath(folder), name)


# Expecting and waiting


class Failed(AssertionError):
    """An expectation that failed; the text says which."""


def expect(holds, text):
    if not holds:
        raise Failed(text)


def equal(found, expected):
    expect(found == expected, f"found {str(found)[:300]}, expected {str(expected)[:300]}")


def until(what, condition, seconds=15):
    """Waits until `condition` returns something true, and returns that. An OSError means "not yet"."""
    end, error = time.monotonic() + seconds, None
    while True:
        try:
            if found := condition():
                return found
        except (OSError, http.client.HTTPException) as caught:
            error = caught
        if time.monotonic() > end:
            raise Failed(f"waited {seconds} s for {what}" + (f": {error}" if error else ""))
        time.sleep(0.05)


# The debug build


def debug_build():
    """Returns the folder of the debug build that Scripts/test makes, and the compiler options that find its modules."""
    command = ["swift", "build", "--scratch-path", ".build-test", "--show-bin-path"]
    folder = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    expect(os.path.isdir(f"{folder}/Modules"), "there is no debug build; Scripts/test --build makes it")
    maps = (f"-fmodule-map-file={folder}/{name}.build/module.modulemap" for name in ("CLinux", "CVectors", "CPage"))
    return folder, ["-I", f"{folder}/Modules", *(word for one in maps for word in ("-Xcc", one))]


# Ports and HTTP


def free_port():
    """Returns a free port below the range that the kernel gives to connecting clients, so that none of these takes it."""
    while True:
        port = random.SystemRandom().randint(10_000, 32_000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def is_listening(port):
    with socket.create_connection(("127.0.0.1", port), 1):
        return True


Answer = collections.namedtuple("Answer", "status headers body")


def get(address, path, method="GET", body=None, **headers):
    """Returns the answer of an HTTP server, without following redirections. Underscores in header names become hyphens."""
    with contextlib.closing(http.client.HTTPConnection(address, timeout=10)) as connection:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        return Answer(answer.status, answer.headers, answer.read().decode())


# Processes


class Processes:
    """Programs that are killed at the end of the `with`, each with a log in one folder. If the `with` fails, the logs are shown."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="flow-")
        self.all = {}

    def start(self, name, *command):
        with open(f"{self.folder}/{name}.log", "ab") as log:
            self.all[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True
            )
        return self.all[name]

    def start_nats(self):
        """Starts a nats-server; returns the process and its port."""
        found = shutil.which("nats-server")
        expect(found, "there is no nats-server on the PATH")
        port = free_port()
        nats = self.start("nats", found, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", f"{self.folder}/nats")
        until("NATS to listen", lambda: is_listening(port))
        return nats, port

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for process in self.all.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for name in self.all if kind else ():
            show_log(f"{self.folder}/{name}.log")
        shutil.rmtree(self.folder)


def show_log(path):
    with open(path, errors="replace") as log:
        print(f"-- {path}\n{log.read()[-2000:]}", file=sys.stderr)


class Server:
    """A FlowServer on free ports of 127.0.0.1, until the end of the `with`. It keeps its ports when it is started again.

    Its folder contains server.flow with the definitions, the log, and `files`, given as (name, text); `{folder}` in an option stands
    for its path. `tcp` and `web` are addresses such as 127.0.0.1:3569; if `web` is None, --http is not passed. `prefix` is a command
    that starts the server, such as valgrind. The server must write its ports within `seconds`.
    """

    def __init__(self, definitions="", *options, files=(), web="127.0.0.1:0", prefix=(), seconds=20):
        self.folder = tempfile.mkdtemp(prefix="flow-")
        self.options, self.prefix, self.seconds = options, prefix, seconds
        self.tcp, self.web = "127.0.0.1:0", web
        self.program, self.environment, self.log = None, None, self.path("log")
        self.process, self.commands = None, []
        for name, text in [("server.flow", definitions), *files]:
            self.write(name, text)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Writes a file that only its owner can read."""
        with open(os.open(self.path(name), os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, name):
        with open(self.path(name), encoding="utf-8", errors="replace") as file:
            return file.read()

    @property
    def command(self):
        words = [
            *self.prefix, self.program or program("FlowServer"), "--config", "{folder}/server.flow", "--listen", self.tcp,
            *(["--http", self.web] if self.web else []), "--ports-file", "{folder}/ports", *self.options,
        ]  # fmt: skip
        return [word.replace("{folder}", self.folder) for word in words]

    def start(self):
        """Starts the server and waits until it has written its ports."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path("ports"))
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment
            )
        until(f"the ports of {' '.join(self.command)}", self.find_ports, self.seconds)
        return self

    def find_ports(self):
        expect(self.process.poll() is None, f"the server ended with {self.process.returncode} before it had ports")
        found = dict(line.split(" ", 1) for line in self.read("ports").splitlines())
        self.tcp = found["tcp"]
        if "http" in found:
            self.web = found["http"].removeprefix("http://").rstrip("/")
        return True

    @property
    def url(self):
        return f"http://{self.web}/"

    @property
    def port(self):
        return int(self.tcp.rpartition(":")[2])

    @property
    def memory(self):
        """The resident memory in bytes. /metrics has it too, but making that text needs memory itself."""
        with open(f"/proc/{self.process.pid}/statm", encoding="utf-8") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def thread_times(self):
        """The processor time of each thread in seconds."""
        folder = f"/proc/{self.process.pid}/task"
        times = {}
        for thread in os.listdir(folder):
            with contextlib.suppress(FileNotFoundError), open(f"{folder}/{thread}/schedstat", encoding="utf-8") as file:
                times[thread] = int(file.read().split()[0]) / 1e9
        return times

    def time_since(self, before):
        """The processor time that the busiest thread has spent since `before`."""
        return max(spent - before.get(thread, 0) for thread, spent in self.thread_times().items())

    def terminate(self):
        self.process.terminate()

    def hang_up(self):
        self.process.send_signal(signal.SIGHUP)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__(*sys.exc_info())
            raise

    def __exit__(self, kind, *_):
        code = self.process and self.process.poll()
        has_crashed = code not in (None, 0, -signal.SIGKILL)
        if self.process and code is None:
            self.kill()
        for command in self.commands:
            command.kill()
            command.wait()
        if self.process and (has_crashed or kind not in (None, SystemExit)):
            show_log(self.log)
        shutil.rmtree(self.folder)
        expect(kind or not has_crashed, f"the server ended with {code}")

    def get(self, path, *arguments, **headers):
        return get(self.web, path, *arguments, **headers)

    def client(self, *lines):
        """Connects a client over TCP that sends `lines`, and expects OK for each."""
        client = LineClient(self.tcp)
        for line in lines:
            client.do(line)
        return client

    def flowclient(self, *arguments, **options):
        """Starts flowclient, and kills it at the end of the `with`, since a worker would keep trying to reconnect."""
        quiet = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
        command = [program("flowclient"), "-s", self.tcp, *arguments]
        self.commands.append(subprocess.Popen(command, **(quiet | options)))
        return self.commands[-1]


# Clients


class LineClient:
    """A client over TCP, or over the Unix socket at unix:PATH. It reads only when a method needs data; each wait has a deadline."""

    def __init__(self, address, room=None):
        where = address.removeprefix("unix:")
        if where == address:
            host, _, port = address.rpartition(":")
            where = host, int(port)
        self.socket = socket.socket(socket.AF_UNIX if isinstance(where, str) else socket.AF_INET)
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.settimeout(10)
        self.socket.connect(where)
        self.unread = b""
        self.begin()

    def begin(self):
        self.greeting = self.line()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # Bytes

    def send(self, data, seconds=10):
        self.socket.settimeout(seconds)
        self.socket.sendall(data)

    def receive(self):
        """Receives some bytes, or none at the end of the connection."""
        return self.socket.recv(1 << 18)

    def fill(self, awaited, end):
        """Waits until the time `end` for more bytes; `awaited` is for the error message."""
        self.socket.settimeout(max(0.001, end - time.monotonic()))
        try:
            more = self.receive()
        except TimeoutError:
            raise TimeoutError(f"timed out waiting for {awaited}, after {self.unread[-200:]!r}") from None
        if not more:
            raise EOFError(f"the connection ended before {awaited}, after {self.unread[-200:]!r}")
        self.unread += more

    def is_quiet(self, seconds=0.3):
        """Whether nothing arrives for `seconds`."""
        try:
            self.fill("anything", time.monotonic() + seconds)
        except TimeoutError:
            return True
        return False

    def end_input(self):
        """Closes the sending side; reading goes on."""
        self.socket.shutdown(socket.SHUT_WR)

    def close(self):
        self.socket.close()

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    # Lines

    def say(self, *lines):
        self.send(b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines))

    def line(self, seconds=10, awaited="a line"):
        """Returns the next line, without its end."""
        end = time.monotonic() + seconds
        while b"\n" not in self.unread:
            self.fill(awaited, end)
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode(errors="replace")

    def until(self, start, seconds=10):
        """Returns the next line that begins with `start`, skipping others."""
        end = time.monotonic() + seconds
        while not (line := self.line(end - time.monotonic(), f"a line that begins with {start!r}")).startswith(start):
            pass
        return line

    def ask(self, command, seconds=10):
        """Returns the answer to a command, skipping rows, values and comments."""
        self.say(command)
        end = time.monotonic() + seconds
        while (line := self.line(end - time.monotonic(), f"the answer to {command!r}")).startswith(("#", "*", "= ")):
            pass
        return line

    def do(self, command, seconds=10):
        """Sends a command and expects OK or PONG; returns the answer."""
        answer = self.ask(command, seconds)
        expect(answer.startswith(("OK", "PONG")), f"{command}: {answer}")
        return answer

    def rows(self, command):
        """Returns the lines before the OK of a command."""
        self.say(command)
        rows = []
        while not (line := self.line(awaited=f"the OK of {command!r}")).startswith("OK"):
            expect(not line.startswith("ERR"), f"{command}: {line}")
            rows.append(line)
        return rows

    def rest(self, seconds=10):
        """Returns all lines until the connection ends."""
        end = time.monotonic() + seconds
        with contextlib.suppress(EOFError, ConnectionResetError):
            while True:
                self.fill("the end of the connection", end)
        return self.unread.decode(errors="replace").splitlines()

    def drain(self):
        """Discards all input on a new thread until the connection ends."""

        def read():
            self.socket.settimeout(None)
            with contextlib.suppress(OSError):
                while self.receive():
                    pass

        threading.Thread(target=read, daemon=True).start()
        return self


TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class Refused(ConnectionError):
    """A connection that the server refused; the text is its answer."""


class WebSocketClient(LineClient):
    """A client over a WebSocket, whose text messages are lines. It begins with `hello`, unless that is empty."""

    def __init__(self, server, protocol="flow.1", room=None, hello="HELLO 1", **headers):
        self.web, self.protocol, self.hello, self.headers = server.web, protocol, hello, headers
        super().__init__(server.web, room)

    def begin(self):
        key = base64.b64encode(os.urandom(16)).decode()
        head = {"Host": self.web, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        if self.protocol:
            head["Sec-WebSocket-Protocol"] = self.protocol
        head |= {name.replace("_", "-"): value for name, value in self.headers.items()}
        self.send("\r\n".join(["GET /flow HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]).encode())
        end = time.monotonic() + 10
        while b"\r\n\r\n" not in self.unread:
            self.fill("the answer to the upgrade", end)
        answer, self.unread = self.unread.split(b"\r\n\r\n", 1)
        self.answer = answer.decode()
        if " 101 " not in self.answer.split("\r\n")[0]:
            raise Refused(self.answer)
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        expect(f"Sec-WebSocket-Accept: {expected}" in self.answer, self.answer)
        self.greeting = self.line()
        if self.hello:
            self.do(self.hello)

    # Frames

    @staticmethod
    def frame(opcode, payload=b"", final=True, reserved=0):
        mask, length = os.urandom(4), len(payload)
        head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
        if length < 126:
            head += bytes([0x80 | length])
        elif length < 65536:
            head += b"\xfe" + struct.pack(">H", length)
        else:
            head += b"\xff" + struct.pack(">Q", length)
        key = (mask * (length // 4 + 1))[:length]
        return head + mask + (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big")

    def send_frame(self, opcode, payload=b"", **more):
        self.send(self.frame(opcode, payload, **more))

    def take(self, count, awaited, end):
        while len(self.unread) < count:
            self.fill(awaited, end)
        taken, self.unread = self.unread[:count], self.unread[count:]
        return taken

    def next_frame(self, seconds=10, awaited="a frame"):
        """Returns the opcode and the payload of the next frame, which must be final and not masked."""
        end = time.monotonic() + seconds
        first, length = self.take(2, awaited, end)
        expect(first & 0xF0 == 0x80 and not length & 0x80, f"the frame begins with {first} {length}")
        if length == 126:
            (length,) = struct.unpack(">H", self.take(2, awaited, end))
        elif length == 127:
            (length,) = struct.unpack(">Q", self.take(8, awaited, end))
        opcode, payload = first & 0x0F, self.take(length, awaited, end)
        if opcode == TEXT:
            payload.decode()  # fails if the text is no UTF-8, for which a browser would end the connection
        return opcode, payload

    # Messages

    def say(self, *lines):
        for line in lines:
            self.send_frame(TEXT, line.encode())

    def say_counted(self, key, payload):
        self.say(f": {key} {len(payload)}")
        self.send_frame(BINARY, payload)

    def line(self, seconds=10, awaited="a text message"):
        opcode, payload = self.next_frame(seconds, awaited)
        expect(opcode == TEXT, f"the opcode is {opcode}, of {payload[:200]}")
        return payload.decode()

    def value(self):
        """Returns the next value, from a text or a binary message, as (id, bytes)."""
        head = self.line()
        if head.startswith(": "):
            _, key, length = head.split(" ")
            opcode, payload = self.next_frame()
            expect(opcode == BINARY and len(payload) == int(length), f"{head!r} comes before {len(payload)} bytes of opcode {opcode}")
            return key, payload
        expect(head.startswith("= "), head[:200])
        key, _, value = head[2:].partition(" ")
        return key, value.encode()

    def closed(self):
        """Returns the code and the reason of the close frame, skipping other frames; expects the connection to end after it."""
        while (frame := self.next_frame())[0] != CLOSE:
            pass
        self.ends()
        payload = frame[1]
        return (struct.unpack(">H", payload[:2])[0], payload[2:].decode()) if payload else (None, "")

    def ends(self):
        """Expects the end of the connection."""
        with contextlib.suppress(EOFError, ConnectionResetError):
            self.fill("the end", time.monotonic() + 10)
            raise Failed(f"received after the close frame: {self.unread[:100]}")


class Repeated:
    """Repeats an action at a rate on a new thread, until `isOver` is set or the connection ends."""

    def __init__(self, perSecond, action):
        self.isOver = False
        self.pause, self.action = 1 / perSecond, action
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        number = 0
        with contextlib.suppress(OSError, EOFError, AssertionError):
            while not self.isOver:
                number += 1
                self.action(number)
                time.sleep(self.pause)


# The runner


def run(name, words, each=contextlib.nullcontext, **fixtures):
    """Runs the functions test_* of a module, or those whose names contain one of `words`; returns the exit code.

    Each test runs in a new context of `each`. Each argument of a test names a fixture, which is entered once, before the first test
    that uses it.
    """
    tests = {
        one.removeprefix("test_"): test for one, test in vars(sys.modules[name]).items()
        if one.startswith("test_") and (not words or any(word in one for word in words))
    }
    if not tests:
        print(f"no test has a name with {' or '.join(words)}", file=sys.stderr)
        return 64
    made = {}
    with contextlib.ExitStack() as stack:
        def passes(one):
            began, test = time.monotonic(), tests[one]
            try:
                wanted = list(inspect.signature(test).parameters)
                for fixture in wanted:
                    if fixture not in made:
                        made[fixture] = stack.enter_context(fixtures[fixture]())
                with each():
                    told = test(*(made[fixture] for fixture in wanted))
                about = f": {test.__doc__.strip()}" if test.__doc__ else ""
                print(f"ok: {one}, {time.monotonic() - began:.1f} s{about}{f' ({told})' if told else ''}", flush=True)
                return True
            except Exception:
                traceback.print_exc()
                print(f"FAILED: {one}", flush=True)
                return False

        failed = [one for one in tests if not passes(one)]
    print(f"{len(tests) - len(failed)} of {len(tests)} tests have passed" + (f"; failed: {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0

"""Servers for the tests of Examples/python/flow.py: a real one, and one that says what a test tells it to."""
import asyncio, os, re, signal, subprocess, tempfile, time


class Server:
    """A FlowServer on a free port, until the end of a `with`; started again it has the same port."""

    def __init__(self, definitions="", *options, files=()):
        self.folder = tempfile.TemporaryDirectory(prefix="flow-python-")
        self.options, self.address = options, "127.0.0.1:0"
        for name, text in [("test.flow", definitions), *files]:
            with open(self.path(name), "w", encoding="utf-8") as file: file.write(text)
            os.chmod(self.path(name), 0o600)

    def path(self, name): return os.path.join(self.folder.name, name)

    def read(self, name):
        try:
            with open(self.path(name), encoding="utf-8") as file: return file.read()
        except FileNotFoundError: return ""

    def start(self):
        ports = self.path("ports")
        if os.path.exists(ports): os.unlink(ports)
        command = [os.path.join(os.environ["FLOW_BIN"], "FlowServer"), "--config", self.path("test.flow"), "--listen", self.address]
        command += ["--http", "off", "--ports-file", ports, *[option.format(folder=self.folder.name) for option in self.options]]
        with open(self.path("log"), "a") as log: self.process = subprocess.Popen(command, stdout=log, stderr=log)
        end = time.monotonic() + 20
        while not (found := re.search(r"tcp (\S+)\n", self.read("ports"))):
            assert self.process.poll() is None and time.monotonic() < end, self.read("log")
            time.sleep(0.01)
        self.address = found[1]
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self): self.process.send_signal(signal.SIGTERM)

    def __enter__(self): return self.start()

    def __exit__(self, *_):
        self.kill()
        self.folder.cleanup()


class Script:
    """A server whose side of each connection is `play(peer)`, once for each connection and the last one for all that follow."""

    def __init__(self, *plays): self.plays, self.peers, self.arrived = plays, [], asyncio.Event()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0, limit=1 << 22)
        self.address = "127.0.0.1:%d" % self.server.sockets[0].getsockname()[1]
        self.failures = []
        return self

    async def __aexit__(self, kind, *_):
        self.server.close()
        for peer in self.peers: peer.writer.transport.abort()
        if self.failures and kind is None: raise self.failures[0]

    async def serve(self, reader, writer):
        play = self.plays[min(len(self.peers), len(self.plays) - 1)]
        peer = Peer(reader, writer)
        self.peers.append(peer)
        self.arrived.set()
        try: await play(peer)
        except (asyncio.IncompleteReadError, OSError, EOFError): pass  # the client has gone, which its test notices
        except Exception as error: self.failures.append(error)
        finally: writer.close()


class Peer:
    """One connection of a Script."""

    def __init__(self, reader, writer): self.reader, self.writer, self.lines = reader, writer, []

    def say(self, *lines): self.writer.write(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines))

    async def line(self):
        """The next line but PING."""
        while (line := await self.reader.readline()) == b"PING\n": self.say("PONG")
        if not line: raise EOFError
        self.lines.append(line := line.decode().removesuffix("\n"))
        return line

    async def greet(self):
        self.say("HI flow/9 proto=1 maxline=65536 maxvalue=1048576 auth=none")
        assert (await self.line()).startswith("HELLO 1")
        self.say("OK hello 1")

    async def expect(self, pattern):
        """The parts of the next line that the groups of `pattern` match."""
        line = await self.line()
        found = re.fullmatch(pattern, line)
        assert found, f"{line!r} is not {pattern!r}"
        return found.groups()

    async def opened(self, pattern=r"SUB x (\d+) as=(\d+)"):
        """Answers the command that opens a stream; its demand and its id."""
        tag, demand, id = await self.expect(rf"@(\S+) {pattern}")
        self.say(f"@{tag} OK sub {id} - demand={demand}")
        return int(demand), id

    async def end(self):
        """Until the client has closed the connection."""
        while await self.reader.read(1 << 16): pass

"""A scripted server for the tests of Examples/python/flow.py."""
import asyncio
import re


class Script:
    """A server that calls one of `plays` with the peer of each new connection, in order, and the last one for all later connections."""

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
        except (asyncio.IncompleteReadError, OSError, EOFError): pass  # the client closed the connection
        except Exception as error: self.failures.append(error)
        finally: writer.close()


class Peer:
    """One connection of a Script."""

    def __init__(self, reader, writer): self.reader, self.writer, self.lines = reader, writer, []

    def say(self, *lines): self.writer.write(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines))

    async def line(self):
        """Returns the next line; answers PING itself."""
        while (line := await self.reader.readline()) == b"PING\n": self.say("PONG")
        if not line: raise EOFError
        self.lines.append(line := line.decode().removesuffix("\n"))
        return line

    async def greet(self):
        self.say("HI flow/9 proto=1 maxline=65536 maxvalue=1048576 auth=none")
        assert (await self.line()).startswith("HELLO 1")
        self.say("OK hello 1")

    async def expect(self, pattern):
        """Expects the next line to match `pattern`; returns its groups."""
        line = await self.line()
        found = re.fullmatch(pattern, line)
        assert found, f"{line!r} is not {pattern!r}"
        return found.groups()

    async def opened(self, pattern=r"SUB x (\d+) as=(\d+)"):
        """Answers the command that opens a stream; returns its demand and its id."""
        tag, demand, id = await self.expect(rf"@(\S+) {pattern}")
        self.say(f"@{tag} OK sub {id} - demand={demand}")
        return int(demand), id

    async def end(self):
        """Waits until the client has closed the connection."""
        while await self.reader.read(1 << 16): pass

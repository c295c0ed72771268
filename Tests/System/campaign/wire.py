"""A connection to the server, line by line."""

import asyncio
import logging
import socket
import struct

# Silences warnings about writes to closed connections.
logging.getLogger("asyncio").setLevel(logging.ERROR)


class Peer(asyncio.Protocol):
    """One side of a connection; subclasses override `greeted`, `heard` and `ended`."""

    def __init__(self):
        self.last_line = ""

    async def connect(self, where):
        """Connects to a port of this machine, or to the path of a Unix socket; returns whether the server greeted it."""
        loop = asyncio.get_running_loop()
        self.rest, self.is_greeted = b"", False
        self.gone, self.greeting = loop.create_future(), loop.create_future()
        if isinstance(where, int):
            await loop.create_connection(lambda: self, "127.0.0.1", where)
        else:
            await loop.create_unix_connection(lambda: self, where)
        if not await self.greeting:
            self.transport.abort()
            await self.gone
        return self.is_greeted

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            text = line.decode()
            self.last_line = text[:200]
            if self.is_greeted:
                self.heard(text)
            else:
                self.is_greeted = text.startswith("HI ")
                if self.is_greeted:
                    self.greeted()
                if not self.greeting.done():
                    self.greeting.set_result(self.is_greeted)

    def connection_lost(self, error):
        if not self.greeting.done():
            self.greeting.set_result(False)
        self.gone.set_result(error)
        if self.is_greeted:
            self.ended(error)

    def say(self, *lines):
        self.transport.write("".join(line + "\n" for line in lines).encode())

    def greeted(self):
        pass

    def heard(self, line):
        pass

    def ended(self, error):
        pass


def reset(transport):
    """Ends a connection with a reset, like a peer that crashes with unread input."""
    if not transport.is_closing():
        option = struct.pack("ii", 1, 0)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
    transport.abort()


def field(line, name):
    """Returns the number after `name=` in an answer."""
    return int(line.split(f" {name}=", 1)[1].split(" ", 1)[0])


def value(sender, number, size=0):
    """Returns a value with its sender, its number, and an end mark that shows whether it is whole."""
    return f"{sender} {number} {'x' * size};"


def parse(text):
    """Returns the sender and the number of a value, or None if it is not whole."""
    parts = text.split(" ")
    if len(parts) != 3 or parts[2] != "x" * (len(parts[2]) - 1) + ";":
        return None
    return parts[0], int(parts[1])

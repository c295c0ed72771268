"""crew.py SEED COUNT SERVER ROUGH PATH: runs COUNT clients that connect, do something, leave in a bad way, and come back."""

import asyncio
import os
import random
import sys

from counting import tell, telling
from wire import Peer, reset, value


class Rogue(Peer):
    """A client whose commands follow the protocol, but which leaves in a bad way."""

    number = 0

    def __init__(self, role):
        super().__init__()
        Rogue.number += 1
        self.name = f"u{os.getpid()}-{Rogue.number}"
        self.role, self.sent, self.grant = role, 0, 0
        self.is_silent = False

    def greeted(self):
        self.say(*(line.replace("NAME", self.name) for line in ROLES[self.role][1]))

    def say(self, *lines):
        if not self.is_silent:
            super().say(*lines)

    def heard(self, line):
        words = line.split(" ", 3)
        if words[0] == "=" and "." in words[1]:
            self.later(lambda: self.say(f"= {words[1]} {2 * int(words[2])}", f"DONE {words[1]}", "REQ 1 1"))
        elif words[0] == "=" and self.role in ("slowest", "buffered"):
            self.later(lambda: self.say("REQ 1 1"))
        elif words[0] == "OK" and words[1] == "pub":
            self.granted(line.rsplit("=", 1)[1])
        elif words[0] == "REQ" and self.role == "publish":
            self.granted(words[2])
        elif line.startswith("OK hello") and self.role == "feed":
            self.feed()
        elif words[0] == "DONE" and self.role == "call":
            self.greeted()

    def later(self, act):
        delay = random.choice((0, 0, 0.02, 0.3))
        asyncio.get_running_loop().call_later(delay, lambda: self.gone.done() or act())

    def granted(self, count):
        self.grant += 10 if count == "max" else int(count)
        self.publish()

    def publish(self):
        if self.grant > 0:
            self.grant -= 1
            self.sent += 1
            self.say("= 1 " + value(self.name, self.sent, random.choice((0, 10, 3000))))
            self.later(self.publish)

    def feed(self):
        if self.transport.get_write_buffer_size() == 0:
            self.sent += 1
            self.say(value(self.name, self.sent))
        self.later(self.feed)


# The share of each role in percent, and the lines that it sends.
ROLES = {
    "idle": (20, ["PING"]),
    "look": (5, ["HELLO 1", "LIST clients", "STATS", "LIST streams", "SUB $stats 1"]),
    "free": (25, ["HELLO 1", "SUB loose max as=1"]),
    "buffered": (20, ["HELLO 1", "SUB loose.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest) 5 as=1"]),
    "tail": (8, ["TAIL loose.map { $0 }"]),
    "slowest": (0.5, ["HELLO 1", "SUB shared 5 as=1"]),
    "publish": (2, ["HELLO 1", "PUB shared as=1"]),
    "feed": (1, ["HELLO 1", "FEED shared"]),
    "send": (3, ["HELLO 1", "SEND loose NAME 1 ;", "SEND loose NAME 2 ;"]),
    "work": (6, ["HELLO 1", "SERVE double 1 as=1"]),
    "call": (
        6,
        ["HELLO 1", "TAKE (1...9).publisher.flatMap(maxPublishers: .max(3)) { ask(double, $0).retry(3) } 9 as=1"],
    ),
}


async def fin(client):
    client.transport.close()
    await asyncio.wait([client.gone], timeout=5)


async def rst(client):
    reset(client.transport)


async def half_close(client):
    client.is_silent = True
    client.transport.write_eof()
    await asyncio.wait([client.gone], timeout=random.uniform(0, 5))


async def stop_reading(client):
    client.transport.pause_reading()
    await asyncio.wait([client.gone], timeout=random.uniform(2, 10))


async def middle_of_a_line(client):
    client.transport.write(b"= 1 u")
    await fin(client)


async def say_quit(client):
    client.say("QUIT")
    await asyncio.wait([client.gone], timeout=5)


ENDS = {
    "RST": rst,
    "FIN": fin,
    "half-closes": half_close,
    "stops reading": stop_reading,
    "leaves in the middle of a line": middle_of_a_line,
    "QUIT": say_quit,
}


async def come_and_go(places):
    while True:
        role = random.choices(list(ROLES), [weight for weight, _ in ROLES.values()])[0]
        client = Rogue(role)
        try:
            if not await client.connect(random.choice(places)):
                tell("told that there is no room")
                await asyncio.sleep(1)
                continue
        except OSError:
            await asyncio.sleep(0.5)
            continue
        tell("unstable clients came")
        await asyncio.wait([client.gone], timeout=random.expovariate(0.12))
        if not client.gone.done():
            end = random.choice(list(ENDS))
            tell(f"clients: {end}")
            try:
                await ENDS[end](client)
            except OSError:
                pass  # the connection was reset meanwhile
            if not client.gone.done():
                reset(client.transport)
                await client.gone


async def main():
    seed, count, server, rough = map(int, sys.argv[1:5])
    random.seed(seed)
    places = [server] * 6 + [rough, rough, sys.argv[5], sys.argv[5]]
    # Within a crew all connect at once; crews start one after the other.
    for _ in range(count):
        asyncio.ensure_future(come_and_go(places))
    await telling()


asyncio.run(main())

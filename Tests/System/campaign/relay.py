"""relay.py SEED SERVER GENTLE ROUGH: relays connections from two ports of this machine to the server.

Both ports delay and split the data; the rough one also stalls, resets connections, and silently stops forwarding.
"""

import asyncio
import random
import sys

from counting import tell, telling
from wire import reset


async def pass_on(reader, writer, is_rough):
    try:
        while data := await reader.read(random.choice((7, 100, 5000, 60000))):
            await asyncio.sleep(random.choice((0, 0, 0.001, 0.01)))
            if is_rough and random.random() < 0.02:
                tell("relay: stalls")
                await asyncio.sleep(random.uniform(0.5, 3))
            writer.write(data)
            await writer.drain()
        writer.write_eof()
    except (OSError, RuntimeError):
        writer.transport.abort()


async def relay(client_in, client_out, server, is_rough):
    try:
        server_in, server_out = await asyncio.open_connection("127.0.0.1", server)
    except OSError:
        return client_out.transport.abort()
    tell("relay: takes a connection, splits and delays it")
    ways = [
        asyncio.ensure_future(pass_on(reader, writer, is_rough))
        for reader, writer in ((client_in, server_out), (server_in, client_out))
    ]
    if is_rough:
        await asyncio.wait(ways, timeout=random.uniform(0.5, 8))
        if not all(way.done() for way in ways):
            for way in ways:
                way.cancel()
            if random.random() < 0.5:
                tell("relay: stops forwarding without a word")
                await asyncio.sleep(random.uniform(1, 10))
            tell("relay: resets both sides")
            reset(server_out.transport)
            reset(client_out.transport)
    await asyncio.wait(ways)
    server_out.close()
    client_out.close()


async def main():
    seed, server, *ports = map(int, sys.argv[1:])
    random.seed(seed)
    for port, is_rough in zip(ports, (False, True)):
        serve = lambda i, o, is_rough=is_rough: relay(i, o, server, is_rough)
        await asyncio.start_server(serve, "127.0.0.1", port)
    await telling()


asyncio.run(main())

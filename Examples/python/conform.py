#!/usr/bin/env python3
"""flow.py as Scripts/conformance wants a client: `sub ADDRESS EXPR N`, `send ADDRESS NAME` or `serve ADDRESS NAME`."""
import asyncio, os, sys
from flow import Flow, FlowError


async def sub(flow, expression, count):
    async with flow.subscribe(expression, demand=16, raw=True) as values:
        left = int(count)
        async for value in values:
            sys.stdout.buffer.write(value + b"\n")
            left -= 1
            if not left: break
    if values.missed: print("missed", values.missed, file=sys.stderr)


async def send(flow, name):
    async with flow.publisher(name) as publisher:
        for line in sys.stdin.buffer: await publisher.send(line.removesuffix(b"\n"))


async def serve(flow, name):
    async with flow.serve(name, lambda value: value, jobs=2, raw=True) as service: await service.wait()


async def main(verb, address, *words):
    try:
        async with Flow(address, token=os.environ.get("FLOW_TOKEN"), name="conform") as flow:
            await {"sub": sub, "send": send, "serve": serve}[verb](flow, *words)
    except FlowError as error: sys.exit(f"{type(error).__name__}: {error}")
    finally: sys.stdout.flush()


asyncio.run(main(*sys.argv[1:]))

#!/usr/bin/env python3
"""Tests that a run with resume=exact gives each value's output, or its dead letter, once, though the server that carries it out is
killed. It needs a nats-server.
"""

import json
import threading
import time

from live import Processes, Server, equal, expect, until

DEFINITIONS = """
SUBJECT a flow=slowest on=nats
SUBJECT b flow=slowest on=nats
SUBJECT bad flow=slowest on=nats
RUN r failed=bad = a.map { $0 * 2 }.assign(to: b)
"""
COUNT = 3000
#: The server that carries out the run is killed when so many outputs have come.
ENOUGH = 500


def is_bad(number):
    return number % 3 == 0


def publish(server):
    with server.client("HELLO 1") as client:
        for start in range(0, COUNT, 50):
            numbers = range(start, start + 50)
            client.say(*[f'SEND a "x{n}"' if is_bad(n) else f"SEND a {n}" for n in numbers])
            for _ in numbers:
                answer = client.line(60, "the answer to SEND")
                expect(answer.startswith("OK send a "), answer)
            time.sleep(0.02)


def has_run(server):
    with server.client("HELLO 1") as client:
        return any(" lease=here resume=exact " in row for row in client.rows("LIST runs"))


def main(processes):
    _, port = processes.start_nats()
    options = "--nats", f"127.0.0.1:{port}", "--log-level", "warning"
    with Server(DEFINITIONS, *options) as first:
        until("the run on the first server", lambda: has_run(first), 30)
        with Server(DEFINITIONS, *options) as second:
            reader = second.client("HELLO 1", "SUB b max", "SUB bad max")
            publisher = threading.Thread(target=publish, args=[second], daemon=True)
            publisher.start()
            outputs, letters, end = [], [], time.monotonic() + 90
            while len(outputs) + len(letters) < COUNT:
                line = reader.line(end - time.monotonic(), f"an output, after {len(outputs)} and {len(letters)} dead letters")
                expect(line.startswith("= "), line)
                _, stream, text = line.split(" ", 2)
                (outputs if stream == "1" else letters).append(json.loads(text))
                if len(outputs) == ENOUGH and first.process.poll() is None:
                    first.kill()
            publisher.join(60)
            equal(outputs, [n * 2 for n in range(COUNT) if not is_bad(n)])
            equal([letter["value"] for letter in letters], [f"x{n}" for n in range(COUNT) if is_bad(n)])
            equal({letter["stage"] for letter in letters}, {"map { $0 * 2 }"})
            expect(reader.is_quiet(2), "an output came twice")
            expect(has_run(second), "the run is not on the second server")


if __name__ == "__main__":
    with Processes() as processes:
        main(processes)
    print("each value has one output or one dead letter")

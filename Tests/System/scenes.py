"""Pipelines that are slowed down in several ways, and the clients that do this."""

from live import Repeated


def sends(server, subject, perSecond, value=str):
    """Starts a client that sends numbers to a subject, and waits while that is full."""
    client = server.client(f"HELLO 1 name=sender-of-{subject}")
    return Repeated(perSecond, lambda number: client.do(f"SEND {subject} {value(number)}", 60))


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


def subscribe(server, name, label="quick"):
    """Starts a client that subscribes without a limit."""
    server.client(f"HELLO 1 name={label}", f"SUB {name} max as=1").drain()


def play(server, label="billing"):
    """Starts clients that put each pipeline of `SCENES` into the state that its name says."""
    for pipeline in ("slow-stage", "dropping", "all-well", "joined", "resized", "slow-client"):
        subscribe(server, pipeline)
    slow = server.client(f"HELLO 1 name={label}", "SUB slow-client 3 as=1").drain()
    parts = [Repeated(3, lambda _: slow.say("REQ 1 1"))]
    parts += [sends(server, subject, 30) for subject in ("jobs", "orders", "taps", "numbers", "images")]
    server.flowclient("serve", "resize", "--jobs", "1", "--", "sh", "-c", "sleep 0.4; echo {}")
    return parts

#!/usr/bin/env python3
"""Tests the prices of running pipelines: for each operator, deep, wide and below a flatMap, the memory that the server charges for many
subscriptions is within a factor of 1.5 of what its process has grown by, and is given back at their end.

`prices.py measure` prints the bytes of each counted stage instead: the price in its row of Sources/FlowLanguage/Operators, 80 bytes of its
counter, and 120 more if it does not count itself (StagePrice).
"""

import sys

from live import Server, expect, until

#: How far the charge may be from the growth, either way.
FACTOR = 1.5
#: Growth below this is lost in the noise of the allocator.
LEAST = 512 << 10

SUBJECTS = "".join(f"SUBJECT s{n}\n" for n in range(1000)) + "SUBJECT s\n"
#: A stage of each operator, behind a subject. Those that have at most one inner publisher are charged with it from the start.
STAGES = {
    "append": "append(1)", "prepend": "prepend(1)", "buffer": "buffer(size: 4, prefetch: .byRequest, whenFull: .dropOldest)",
    "collect": "collect(9)", "merge": "merge(with: s1)", "zip": "zip(s1)", "combineLatest": "combineLatest(s1)",
    "withLatest": "withLatest(from: s1)", "eraseToAnyPublisher": "eraseToAnyPublisher()", "catch": "catch { error in Just(1) }",
    "retry": "retry(3)", "replaceError": "replaceError(with: 0)", "mapError": 'mapError { error in "x" }',
    "setFailureType": "setFailureType(to: Error.self)", "filter": "filter { $0 != 1 }", "removeDuplicates": "removeDuplicates()",
    "first": "first()", "last": "last()", "prefix": "prefix(99)", "dropFirst": "dropFirst(1)", "drop": "drop(while: { $0 == 1 })",
    "output": "output(in: 1...9)", "ignoreOutput": "ignoreOutput()", "flatMap": "flatMap { Just($0).append(1) }",
    "concatMap": "concatMap { Just($0).append(1) }", "flatMapLatest": "flatMapLatest { Just($0) }",
    "exhaustMap": "exhaustMap { Just($0) }", "switchToLatest": "map { Just($0) }.switchToLatest()",
    "scan": "scan(0) { $1 }", "reduce": "reduce(0) { $1 }", "group": "group(by: { $0 }) { $0.count() }",
    "window": "window(.seconds(9)) { $0.count() }", "join": "join(s1, on: { $0 }, within: .seconds(9))", "print": 'print("p")',
    "log": 'log("p")', "map": "map { [$0] }", "compactMap": "compactMap { [$0] }", "replaceNil": "replaceNil(with: 0)",
    "pace": "pace(5, per: .seconds(1))", "contains": "contains(7)", "allSatisfy": "allSatisfy { $0 != 7 }", "count": "count()",
    "min": "min()", "max": "max()", "replaceEmpty": "replaceEmpty(with: 0)", "pairwise": "pairwise()", "enumerated": "enumerated()",
    "sample": "sample(when: s1)", "share": "share()", "sum": "sum()", "average": "average()", "median": "median()",
    "percentile": "percentile(0.5)", "delay": "delay(for: .seconds(1))", "debounce": "debounce(for: .seconds(1))",
    "throttle": "throttle(for: .seconds(1), latest: true)", "timeout": "timeout(.seconds(3600))",
    "measureInterval": "measureInterval(using: DispatchQueue.main)", "timestamp": "timestamp()",
    "receive": "receive(on: DispatchQueue.main)", "ask": "flatMap { ask(nobody, $0) }",
}  # fmt: skip
#: What can stand between other stages only once, or changes the kind of the values for most of them.
ONCE = {"average", "median", "percentile", "sum", "ask", "share"}
#: Sources that stay.
SOURCES = {
    "Timer": "Timer.publish(every: .seconds(3600)).autoconnect()", "Deferred": "Deferred { s }",
    "Empty": "Empty(completeImmediately: false)", "Just": "Just(1).delay(for: .seconds(3600))", "Fail": 'Fail("x").catch { error in s }', "Record": "Record(output: [1]).append(s)",
    "publisher": "[1, 2].publisher.delay(for: .seconds(3600))",
}  # fmt: skip


def deep(stage, count):
    return "s" + f".{stage}" * count


#: Wide pipelines: what joins a hundred subjects.
def joined(operator, each):
    """All of s0 … s99 by an operator of up to `each` further publishers."""
    level = [f"s{n}" for n in range(100)]
    while len(level) > 1:
        groups = [level[n : n + each + 1] for n in range(0, len(level), each + 1)]
        level = [f"{first}.{operator(rest)}" if rest else first for first, *rest in groups]
    return level[0]


WIDE = {
    "merge": joined(lambda rest: f"merge(with: {', '.join(rest)})", 99),
    "merge tree": joined(lambda rest: f"merge(with: {', '.join(rest)})", 1),
    "zip": joined(lambda rest: f"zip({', '.join(rest)})", 3),
    "combineLatest": joined(lambda rest: f"combineLatest({', '.join(rest)})", 3),
    "withLatest": joined(lambda rest: f"withLatest(from: {rest[0]})", 1),
    "append": joined(lambda rest: f"append({rest[0]})", 1),
    "append in a row": "s0" + "".join(f".append(s{n})" for n in range(1, 30)),
    "prepend": joined(lambda rest: f"prepend({rest[0]})", 1),
    "prepend in a row": "s0" + "".join(f".prepend(s{n})" for n in range(1, 30)),
    "sample": joined(lambda rest: f"sample(when: {rest[0]})", 1),
    "join": joined(lambda rest: f"join({rest[0]}, on: {{ $0 }}, within: .seconds(9))", 1),
    "pattern": "s1*",
}  # fmt: skip


class Growth:
    """What many subscriptions to one pipeline take: what the process has grown by, and what the ledger has charged."""

    #: Streams of one connection; it may have 1024.
    MOST = 900

    def __init__(self, expression, streams, demand="0"):
        self.expression = expression
        with Server(SUBJECTS + f"PIPELINE p = {expression}\n", "--memory", "8GiB", "--log-level", "error") as server:
            clients = [server.client("HELLO 1") for _ in range(0, streams, self.MOST)]
            asker = server.client("HELLO 1")
            # The first few make tables that stay.
            self.subscribe(clients[:1], 50, demand)
            charged = self.held(asker)
            before = server.memory
            self.subscribe(clients, streams, demand)
            self.grown = server.memory - before
            self.charged = self.held(asker) - charged
            for client in clients:
                client.close()
            until(f"the charge for {expression[:60]} to be given back", lambda: self.held(asker) == 0, 30)
        self.streams = streams

    @classmethod
    def subscribe(cls, clients, count, demand):
        for number in range(0, count, 50):
            client = clients[number // cls.MOST]
            client.say(*[f"SUB p {demand}"] * 50)
            for _ in range(50):
                client.until("OK")

    @staticmethod
    def held(asker):
        row = next(row for row in asker.rows("STATS") if row.startswith('* flow_held_bytes{by="pipelines"}'))
        return int(row.split()[2])

    def check(self, what):
        expect(self.grown > LEAST, f"{what}: grown by only {self.grown} bytes; use more streams")
        ratio = self.charged / self.grown
        print(f"{what}: charged {self.charged / self.streams:.0f}, took {self.grown / self.streams:.0f} bytes each", flush=True)
        return None if 1 / FACTOR <= ratio <= FACTOR else f"{what}: charged {ratio:.2f} times what it takes"


def cases():
    for name, stage in STAGES.items():
        yield name, deep(stage, 1 if name in ONCE else 8), 3600 if name in ONCE else 900
    for name, source in SOURCES.items():
        yield name, source, 3600
    for name, expression in WIDE.items():
        yield f"wide {name}", expression, 200


def measure():
    """Prints what each stage takes."""
    for name, stage in STAGES.items():
        most = 2 if name in ONCE else 9
        few, many = Growth(deep(stage, 1), 1800), Growth(deep(stage, most), 1800)
        print(f"{name}: {(many.grown - few.grown) / 1800 / (most - 1):.0f} (one with its stream {few.grown / 1800:.0f})", flush=True)
    for name, source in SOURCES.items():
        print(f"{name}: {Growth(source, 3600).grown / 3600:.0f} with its stream", flush=True)
    for name, expression in WIDE.items():
        print(f"wide {name}: {Growth(expression, 200).grown / 200 / 100:.0f} for each of 100 subjects", flush=True)


def main():
    with Server() as server, server.client("HELLO 1") as client:
        row = next(row for row in client.rows("HELP") if row.startswith("* operators: "))
    missing = set(row.split()[2:]) - STAGES.keys() - SOURCES.keys() - {"autoconnect", "subscribe", "assign"}
    expect(not missing, f"there is no pipeline with {missing}")
    wrong = [text for what, expression, streams in cases() if (text := Growth(expression, streams).check(what))]
    expect(not wrong, "\n".join(wrong))
    print("the prices are what running pipelines take")


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["measure"] else main()

#!/usr/bin/env python3
"""Tests that wide pipelines, long rows of names and long files do not take the server from others: its memory stays below the limit,
a bystander's PINGs are answered soon, and when the cause has gone everybody is accepted again.

Where time is limited, time that the processor spent on others does not count.
"""

import resource, subprocess, threading, time

from live import Server, expect, program, until

LIMIT = 512 << 20
#: The longest that a PING may take, in seconds. 100 ms are aimed at; a shared machine with cold caches may take twice as long.
LONGEST = 0.2
SUBJECTS = [f"n{number:03}" for number in range(1000)]
WIDE = f"PIPELINE w = n000.merge(with: {', '.join(SUBJECTS[1:])})"


def joined(operator):
    """As many subjects as 256 stages may join of which each takes four."""
    level = SUBJECTS[:700]
    while len(level) > 1:
        groups = [level[n : n + 4] for n in range(0, len(level), 4)]
        level = [group[0] + (f".{operator}({', '.join(group[1:])})" if group[1:] else "") for group in groups]
    return level[0]


#: What joins many subjects, by name.
JOINS = {"w": WIDE, "z": f"PIPELINE z = {joined('zip')}", "c": f"PIPELINE c = {joined('combineLatest')}"}
DEFINITIONS = "".join(f"{line}\n" for line in [*(f"SUBJECT {name}" for name in SUBJECTS), *JOINS.values()])


class Bystander:
    """A client that says PING all the time, and notes how long the slowest answer took."""

    def __init__(self, server):
        self.client = server.client("HELLO 1")
        self.server, self.slowest, self.most, self.is_over = server, 0, 0, False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.is_over:
            start, spent = time.monotonic(), self.server.thread_times()
            self.client.do("PING", 60)
            took = min(time.monotonic() - start, self.server.time_since(spent))
            self.slowest = max(self.slowest, took)
            self.most = max(self.most, self.server.memory)
            time.sleep(0.002)

    def check(self, what):
        print(f"{what}: slowest PING {self.slowest * 1000:.0f} ms, at most {self.most >> 20} MiB", flush=True)
        expect(self.thread.is_alive(), f"{what}: the bystander was ended")
        expect(self.slowest < LONGEST, f"{what}: a PING took {self.slowest:.2f} s")
        expect(self.most < LIMIT * 5 // 4, f"{what}: the server took {self.most >> 20} MiB")
        self.slowest = self.most = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over = True
        self.thread.join(60)


def expect_accepted(server, what):
    """Waits until a new client may define and subscribe."""

    def is_accepted():
        with server.client("HELLO 1") as client:
            return all(client.ask(line).startswith("OK") for line in ("PIPELINE fresh = n000", "SUB w 0", "DELETE fresh"))

    until(f"acceptance after {what}", is_accepted, 60)


def open_inner(server, join):
    with server.client("HELLO 1") as client:
        client.say(f"SUB (1...10000).publisher.flatMap {{ v in {join} }} max")
        line = client.until("FAIL 1 ", 60)
        expect(line.startswith("FAIL 1 limit "), line)


def open_many(server, join):
    clients = [server.client("HELLO 1").drain() for _ in range(8)]
    for client in clients:
        client.say(*[f"SUB {join} 0"] * 1000)
    time.sleep(5)
    for client in clients:
        client.close()


def define_many(server):
    with server.client("HELLO 1") as client:
        before = server.memory
        for number in range(1900):
            client.do(f"PIPELINE w{number} = {f'w{number - 1}' if number % 2 else 'w'}", 60)
        expect(server.memory - before < 16 << 20, f"1,900 names took {server.memory - before} bytes")
        for number in range(1900):
            client.do(f"DELETE w{number}", 60)


def define_row(server):
    with server.client("HELLO 1") as client:
        client.do("PIPELINE p0 = w")
        client.say(*[f"PIPELINE p{number} = p{number - 1}" for number in range(1, 5000)], "PING row")
        client.until("PONG row", 60)
        client.do("SUB p4999 0", 60)
        client.say(*[f"DELETE p{number}" for number in range(5000)], "PING gone")
        client.until("PONG gone", 60)


def close_patterns(server):
    client = server.client("HELLO 1", *["SUB ** 0"] * 100)
    client.close()


def delete_source(server, join):
    """Ends thousands of streams by the end of one subject."""
    clients = [server.client("HELLO 1").drain() for _ in range(4)]
    for client in clients:
        client.say(*[f"SUB {join} 0"] * 200)
    time.sleep(2)
    with server.client("HELLO 1") as other:
        other.do("DELETE n000", 60)
        other.do("SUBJECT n000", 60)
    for client in clients:
        client.close()


def end_readers(server, line):
    """Ends 10,000 readers of one subject: each is told once, in order, and the name can be used again at once."""
    with server.client("HELLO 1", "SUBJECT many") as other:
        readers = [server.client("HELLO 1") for _ in range(10)]
        for reader in readers:
            reader.say(*["SUB many max"] * 1000, "PING open")
            reader.until("PONG open", 60)
        other.do(line, 60)
        if line == "DELETE many":
            other.do("SUBJECT many", 60)
        for reader in readers:
            ends = [reader.line(60) for _ in range(1000)]
            start = "DONE" if line == "DONE many" else "FAIL"
            wrong = [end for number, end in enumerate(ends, 1) if end.split(" ")[:2] != [start, str(number)]]
            expect(not wrong, f"{line}: {wrong[:3]}")
            reader.say("PING told")
            expect(reader.line(60) == "PONG told", f"{line}: a reader was told more")
            reader.close()


def watch_readers(server):
    """Watches a subject and a pipeline with 10,000 readers each."""
    readers = [server.client("HELLO 1").drain() for _ in range(20)]
    with server.client("HELLO 1", "SUBJECT many", "PIPELINE each = n000.map { $0 }") as other:
        for number, reader in enumerate(readers):
            reader.say(*[f"SUB {'many' if number % 2 else 'each'} max"] * 1000)
        for name in ("many", "each", "many", "each"):
            for line in (f"WATCH {name}", f"SHOW {name}", "LIST streams", "STATS"):
                other.say(line)
                other.until("OK ", 60)
            time.sleep(1.1)
    for reader in readers:
        reader.close()


def close_publishers(server):
    """Closes clients with 1,000 publications and 1,000 subscriptions each."""
    clients = [server.client("HELLO 1").drain() for _ in range(10)]
    for number, client in enumerate(clients):
        client.say(*[f"{'SUB' if number % 2 else 'PUB'} {name}" for name in SUBJECTS])
    time.sleep(2)
    for client in clients:
        client.close()


def send_unknown(server):
    with server.client("HELLO 1") as client:
        # Errors in a row would end the connection.
        client.say(*["SEND unknown 1", "SEND n000 1"] * 2000, "PING sent")
        client.until("PONG sent", 60)


def reload(server):
    lines = "".join(f"PIPELINE r{number} = {f'r{number - 1}' if number else 'w'}\n" for number in range(9000))
    server.write("server.flow", DEFINITIONS + lines)
    server.hang_up()
    with server.client("HELLO 1") as client:
        until("the names of the new file", lambda: client.ask("SHOW r8999").startswith("OK"), 60)
    server.write("server.flow", DEFINITIONS)
    server.hang_up()
    with server.client("HELLO 1") as client:
        until("the end of those names", lambda: client.ask("SHOW r8999").startswith("ERR"), 60)


def check_files(server):
    """Checks a file of 10,000 lines, and one with a text of 40,000, in less than 2 s each."""
    row = "".join(f"PIPELINE r{number} = r{number - 1}\n" for number in range(1, 9998))
    texts = {
        0: "SUBJECT s\nSUBJECT t\nPIPELINE r0 = s\n" + row,
        1: "SUBJECT s\nPIPELINE p = s\n" + "  .map { $0 + 1 }\n" * 40_000,
    }
    for mistakes, text in texts.items():
        server.write("long.flow", text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        checked = subprocess.run([program("FlowServer"), "check", server.path("long.flow")], capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        print(f"checking {len(text.splitlines())} lines: {seconds:.1f} s", flush=True)
        expect((checked.returncode != 0) == bool(mistakes), checked.stdout[-500:] + checked.stderr[-500:])
        expect(seconds < 2, f"checking {len(text.splitlines())} lines took {seconds:.1f} s")


def scrape(server):
    for _ in range(5):
        expect(server.get("/metrics").status == 200, "no metrics")


def main():
    cases = [(case, [join]) for case in (open_inner, open_many, delete_source) for join in JOINS]
    cases += [(end_readers, [line]) for line in ("DELETE many", "DONE many", "FAIL many broken", "KILL NAME many")]
    cases += [(case, []) for case in (define_many, define_row, close_patterns, close_publishers, watch_readers)]
    cases += [(case, []) for case in (send_unknown, scrape, check_files, reload)]
    options = "--memory", f"{LIMIT >> 20}MiB", "--log-level", "warning"
    for case, joins in cases:
        name = " ".join([case.__name__, *joins])
        with Server(DEFINITIONS, *options) as server, Bystander(server) as bystander:
            case(server, *joins)
            expect_accepted(server, name)
            bystander.check(name)
    print("nobody's input outranks the server")


if __name__ == "__main__":
    main()

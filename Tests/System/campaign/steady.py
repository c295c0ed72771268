"""The steady clients, which follow the protocol and check that they get everything they are owed."""

import asyncio
from collections import Counter

from wire import Peer, field, parse, reset, value


class Ledger:
    """Counts of all acts, and the problems found."""

    def __init__(self):
        self.counts = Counter()
        self.problems = []
        self.slowest = 0.0

    def wrong(self, kind, text):
        self.counts[kind] += 1
        self.problems.append(f"{kind}: {text}")
        if len(self.problems) <= 40:
            print(f"  WRONG {kind}: {text}", flush=True)


class Steady(Peer):
    """A client that stays until it is told to leave."""

    opening = ()

    def __init__(self, crowd, name, where):
        super().__init__()
        self.crowd, self.name, self.where = crowd, name, where
        self.ledger, self.random = crowd.ledger, crowd.random
        self.is_leaving = False
        self.ready = asyncio.get_running_loop().create_future()

    def greeted(self):
        self.say(*self.opening)

    def is_ready(self):
        if not self.ready.done():
            self.ready.set_result(None)

    def later(self, seconds, act):
        asyncio.get_running_loop().call_later(seconds, lambda: self.gone.done() or act())

    def ended(self, error):
        self.is_ready()
        if not self.is_leaving and not self.crowd.is_server_going:
            self.ledger.wrong("lost", f"the connection of {self.name} ended: {error} {self.last_line}")

    def unexpected(self, line):
        if not self.crowd.is_server_going:
            self.ledger.wrong("lost", f"{self.name} was told {line[:200]}")

    def leave(self):
        self.is_leaving = True
        self.transport.abort()

    async def finish(self):
        pass


class Busy(Steady):
    """A client that works until `finish`, which returns when its last command is answered."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.is_finishing = False
        self.done = asyncio.get_running_loop().create_future()

    async def finish(self):
        self.is_finishing = True
        await self.done


class Publisher(Busy):
    """Publishes numbered values, as many as it is granted."""

    def __init__(self, crowd, name, where, subject, pace):
        super().__init__(crowd, name, where)
        self.opening = ("HELLO 1", f"PUB {subject} as=1")
        self.pace, self.grant, self.sent = pace, 0, 0

    def heard(self, line):
        if line.startswith("OK pub"):
            demand = line.rsplit("=", 1)[1]
            self.grant = float("inf") if demand == "max" else int(demand)
            self.is_ready()
            self.tick()
        elif line.startswith("REQ 1 "):
            self.grant += int(line[6:])
        elif line.startswith("@end "):
            self.done.set_result(None)
        elif not line.startswith("OK hello"):
            self.unexpected(line)

    def tick(self):
        if self.is_finishing:
            return self.say("@end DONE 1")
        for _ in range(int(min(self.grant, self.random.randint(1, 5)))):
            self.sent += 1
            self.grant -= 1
            size = self.random.randint(20_000, 60_000) if self.random.random() < 0.003 else self.sent % 50
            self.say("= 1 " + value(self.name, self.sent, size))
        self.later(self.random.uniform(0, 2 * self.pace), self.tick)


class Sender(Busy):
    """Sends values one after the other by SEND, and repeats each until the server takes it."""

    def __init__(self, crowd, name, where, subject):
        super().__init__(crowd, name, where)
        self.opening = ("HELLO 1",)
        self.subject, self.sent, self.is_waiting = subject, 0, False

    def heard(self, line):
        if line.startswith("OK hello"):
            self.is_ready()
            return self.send()
        if line.startswith("BYE"):
            return None if self.crowd.is_server_going else self.unexpected(line)
        self.is_waiting = False
        self.ledger.counts["answers of SEND"] += 1
        if line.startswith("OK send"):
            self.sent += 1
        elif not line.startswith("ERR no-demand"):
            return self.unexpected(line)
        self.later(0.02, self.send)

    def send(self):
        if self.is_finishing:
            return self.done.set_result(None)
        self.is_waiting = True
        self.say(f"SEND {self.subject} " + value(self.name, self.sent + 1))


class Feeder(Busy):
    """Sends lines to a FEED as fast as TCP takes them."""

    def __init__(self, crowd, name, where, subject):
        super().__init__(crowd, name, where)
        self.opening = ("HELLO 1", f"FEED {subject}")
        self.sent = 0

    def heard(self, line):
        if line.startswith("OK hello"):
            self.is_ready()
            self.tick()
        elif line.startswith("OK feed"):
            if (field(line, "sent"), field(line, "missed"), field(line, "refused")) != (self.sent, 0, 0):
                self.unexpected(f"{line} for {self.sent} lines")
            self.done.set_result(None)
        else:
            self.unexpected(line)

    def tick(self):
        if self.is_finishing:
            return self.say(".")
        if self.transport.get_write_buffer_size() == 0:
            self.sent += 1
            self.say(value(self.name, self.sent, self.sent % 100))
        self.later(self.random.uniform(0, 0.1), self.tick)


class Reader(Steady):
    """Expects all values of each sender, once and in order; on a free subject values may be missing."""

    def __init__(self, crowd, name, where, subject, is_free=False):
        super().__init__(crowd, name, where)
        self.subject, self.is_free = subject, is_free
        self.came = 0
        self.last = Counter()

    def take(self, text):
        self.came += 1
        self.ledger.counts["values that steady clients received"] += 1
        parsed = parse(text)
        if parsed is None:
            # An unstable feeder killed in the middle of a line may leave part of a value; steady senders begin with "s".
            if text.startswith("s"):
                self.ledger.wrong("lost", f"{self.name} got {text[:100]}")
            return
        sender, number = parsed
        expected = self.last[sender] + 1
        if number < expected:
            self.ledger.wrong("twice", f"{self.name} got {sender} {number} after {expected - 1}")
        elif number > expected and not self.is_free:
            self.ledger.wrong("lost", f"{self.name} got {sender} {number} after {expected - 1}")
        self.last[sender] = number


class Subscriber(Reader):
    """A reader by SUB, which requests a few values at a time."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.opening = ("HELLO 1", f"SUB {self.subject} 0 as=1")
        self.demand = self.told = 0
        self.done = asyncio.get_running_loop().create_future()

    def heard(self, line):
        if line.startswith("= 1 "):
            if self.demand == 0:
                self.ledger.wrong("twice", f"{self.name} got more than it requested")
            self.demand -= 1
            self.take(line[4:])
            if self.demand == 0:
                self.later(self.random.choice((0, 0, 0.01, 0.05)), self.ask)
        elif line.startswith("DROP 1 "):
            self.told += int(line.split(" ")[2])
            if not self.is_free:
                self.unexpected(line)
        elif line.startswith("OK sub"):
            self.is_ready()
            self.ask()
        elif line.startswith("OK cancel"):
            self.told += field(line, "missed")
            if field(line, "values") != self.came:
                self.unexpected(f"{line} after {self.came} values")
            self.done.set_result(None)
        elif not line.startswith("OK hello"):
            self.unexpected(line)

    def ask(self):
        count = self.random.randint(1, 20)
        self.demand += count
        self.say(f"REQ 1 {count}")

    async def finish(self):
        self.say("CANCEL 1")
        await self.done


class Tail(Reader):
    """A reader by TAIL."""

    def greeted(self):
        self.say(f"TAIL {self.subject}")
        self.is_ready()

    def heard(self, line):
        self.take(line)

    def leave(self):
        self.is_leaving = True
        reset(self.transport)


class Worker(Steady):
    """Answers calls of `double`."""

    opening = ("HELLO 1", "SERVE double 2 as=1")

    def heard(self, line):
        if line.startswith("= 1."):
            _, call, number = line.split(" ")
            answer = (f"= {call} {2 * int(number)}", f"DONE {call}", "REQ 1 1")
            self.later(self.random.uniform(0, 0.03), lambda: self.say(*answer))
        elif line.startswith("OK serve"):
            self.is_ready()
        elif not line.startswith(("REQ 1.", "CANCEL 1.", "OK hello")):
            self.unexpected(line)


class Caller(Busy):
    """Calls `double` with numbers, and repeats a call whose worker leaves."""

    opening = ("HELLO 1",)
    batch = 40

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.first, self.results = 1, []

    def heard(self, line):
        if line.startswith("OK hello"):
            self.is_ready()
            self.call()
        elif line.startswith("= 1 "):
            self.results.append(int(line[4:]))
        elif line.startswith("DONE 1"):
            numbers = range(self.first, self.first + self.batch)
            results = Counter(self.results)
            expected = Counter(2 * number for number in numbers)
            if results - expected:
                self.ledger.wrong("twice", f"{self.name} got {list(results - expected)} too often")
            if expected - results:
                self.ledger.wrong("lost", f"{self.name} did not get {list(expected - results)}")
            self.ledger.counts["calls that steady clients made"] += self.batch
            self.first += self.batch
            self.results = []
            self.done.set_result(None) if self.is_finishing else self.call()
        elif not line.startswith("OK take"):
            self.unexpected(line)

    def call(self):
        numbers = f"({self.first}...{self.first + self.batch - 1}).publisher"
        work = "ask(double, $0).first().retry(10000)"
        self.say(f"TAKE {numbers}.flatMap(maxPublishers: .max(3)) {{ {work} }} {self.batch} as=1")


class Bystander(Steady):
    """Sends PING ten times a second, and requests STATS."""

    opening = ("HELLO 1",)

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.asked, self.rows, self.pinged = {}, {}, None

    def heard(self, line):
        if line.startswith("PONG"):
            late = asyncio.get_running_loop().time() - self.pinged
            self.pinged = None
            self.ledger.slowest = max(self.ledger.slowest, late)
            self.ledger.counts["PINGs answered"] += 1
            self.later(0.1, self.ping)
        elif line.startswith("OK hello"):
            self.is_ready()
            self.ping()
        elif line.startswith("@"):
            tag, word, rest = line.split(" ", 2)
            if word == "*":
                name, number = rest.rsplit(" ", 1)
                self.rows.setdefault(tag, {})[name] = float(number)
            else:
                self.asked.pop(tag).set_result(self.rows.pop(tag, {}))
        else:
            self.unexpected(line)

    def ping(self):
        self.pinged = asyncio.get_running_loop().time()
        self.say("PING")

    def late(self):
        """Returns for how many seconds a PING has been unanswered."""
        return 0 if self.pinged is None else asyncio.get_running_loop().time() - self.pinged

    async def stats(self, name=""):
        return await self.ask(f"STATS {name}".rstrip())

    async def ask(self, command):
        """Sends a command; returns the rows of its answer."""
        tag = f"@{self.random.getrandbits(60)}"
        answer = self.asked[tag] = asyncio.get_running_loop().create_future()
        self.say(f"{tag} {command}")
        return await asyncio.wait_for(answer, 30)

    def ended(self, error):
        super().ended(error)
        for answer in self.asked.values():
            if not answer.done():
                answer.set_exception(ConnectionError("gone"))

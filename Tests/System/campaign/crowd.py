"""All steady clients of one life of the server."""

import asyncio

from steady import Bystander, Caller, Feeder, Publisher, Sender, Subscriber, Tail, Worker


class Crowd:
    def __init__(self, ledger, random, port, path, gentle):
        self.ledger, self.random = ledger, random
        self.is_server_going = False
        self.bystander = Bystander(self, "bystander", port)
        self.readers = [
            Subscriber(self, "direct", port, "shared"),
            Subscriber(self, "behind the relay", gentle, "shared"),
            Subscriber(self, "piped", path, "shared.filter { true }"),
            Tail(self, "tail", port, "shared"),
            Subscriber(self, "quiet", port, "quiet"),
            Subscriber(self, "quiet behind the relay", gentle, "quiet"),
        ]
        self.free = [
            Subscriber(self, "free", port, "loose", is_free=True),
            Subscriber(self, "free behind the relay", gentle, "loose", is_free=True),
        ]
        self.senders = [
            Publisher(self, "s1", port, "shared", 0.02),
            Publisher(self, "s2", gentle, "shared", 0.05),
            Sender(self, "s3", path, "shared"),
            Feeder(self, "s4", port, "shared"),
            Publisher(self, "s5", path, "quiet", 0.02),
            Publisher(self, "s6", gentle, "quiet", 0.05),
            Publisher(self, "s7", port, "loose", 0.2),
        ]
        self.callers = [Caller(self, "caller", port), Caller(self, "caller behind the relay", gentle)]
        self.workers = [Worker(self, "worker", port), Worker(self, "worker behind the relay", gentle)]

    def everybody(self):
        return [self.bystander, *self.readers, *self.free, *self.workers, *self.senders, *self.callers]

    async def come(self):
        """Connects all clients, readers before senders."""
        for client in self.everybody():
            for _ in range(100):
                try:
                    if await client.connect(client.where):
                        break
                except OSError:
                    pass
                # Refused, since the kernel had no memory or descriptors for it.
                await asyncio.sleep(0.1)
            await asyncio.wait_for(client.ready, 30)
            if client is self.readers[-3]:
                await self.until(self.are_reading, "the TAIL is there")

    async def are_reading(self):
        rows = await self.bystander.stats("shared")
        return sum(number for name, number in rows.items() if "subscriptions" in name) == 4

    async def until(self, holds, what, seconds=40):
        """Waits until `holds` returns True; otherwise reports what it returned last."""
        end = asyncio.get_running_loop().time() + seconds
        while True:
            answer = await holds()
            if answer is True:
                return True
            if asyncio.get_running_loop().time() > end:
                self.ledger.wrong("lost", f"not within {seconds} s: {what}; {answer}")
                return False
            await asyncio.sleep(0.2)

    async def all_finish(self, clients, what):
        """Waits until all `clients` have finished."""
        tasks = {asyncio.ensure_future(client.finish()): client.name for client in clients}
        _, late = await asyncio.wait(tasks, timeout=60)
        for task in late:
            task.cancel()
            self.ledger.wrong("lost", f"{tasks[task]} waits for {what}")

    async def settle(self):
        """Ends all clients, expects each to have received what it was owed, and the server to hold nothing of theirs."""
        await self.all_finish(self.senders + self.callers, "the answer to its last command")
        sent = {sender.name: sender.sent for sender in self.senders}
        shared = {name: sent[name] for name in ("s1", "s2", "s3", "s4")}
        quiet = {name: sent[name] for name in ("s5", "s6")}

        async def have_all():
            return [
                f"{reader.name} has {last} of {name} {number}"
                for reader in self.readers
                for name, number in (quiet if reader.subject == "quiet" else shared).items()
                if (last := reader.last[name]) != number
            ] or True

        await self.until(have_all, "steady clients have all values of steady clients")
        published = (await self.bystander.stats("loose"))[
            'flow_subject_values_total{subject="loose",outcome="published"}'
        ]
        await self.all_finish(self.free, "the answer to CANCEL")
        for reader in self.free:
            self.ledger.counts["values told as missed"] += reader.told
            if reader.came + reader.told != published:
                text = f"{reader.name} got {reader.came} of {published:.0f} values, and {reader.told} were reported as missed"
                self.ledger.wrong("lost", text)
        for client in self.everybody()[1:]:
            client.leave()

        async def is_empty():
            # Without a value to send, the server would notice only after a minute that a TAIL has gone.
            await self.bystander.ask("SEND loose farewell")
            rows = await self.bystander.stats()
            subjects = [await self.bystander.stats(name) for name in ("shared", "quiet", "loose")]
            left = {name: number for name, number in rows.items() if self.is_left(name, number)}
            for figures in subjects:
                left |= {n: f for n, f in figures.items() if f and not n.startswith("flow_subject_values")}
            return left or True

        await self.until(is_empty, "the server holds nothing of clients that have left")

    @staticmethod
    def is_left(name, number):
        """Whether a metric shows that the server holds more than the bystander's connection."""
        if name == "flow_connections":
            return number != 1
        if name.startswith(("flow_streams{", "flow_calls{")):
            return number != 0
        # The server keeps the memory of old connections for new ones.
        return name == 'flow_held_bytes{by="pipelines"}' and number != 0

    def count_sent(self):
        self.ledger.counts["values that steady clients sent"] += sum(sender.sent for sender in self.senders)

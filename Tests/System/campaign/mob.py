"""The processes of the unstable clients (crews and flowclients), and the relay."""

import asyncio
import os
import signal
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# The arguments of each flowclient, and the number of its input lines.
FLOWCLIENTS = [
    (["sub", "loose"], 0),
    (["sub", "shared", "--demand", "5"], 0),
    (["sub", "tenfold", "--delay", "100ms"], 0),
    (["send", "loose", "--rate", "2"], 1000),
    (["serve", "double", "-j", "1", "--", "sh", "-c", "sleep 0.1; echo $((2 * {}))"], 0),
]


class Mob:
    def __init__(self, counts, random, flowclient, port, gentle, rough, path):
        self.counts, self.random, self.flowclient = counts, random, flowclient
        self.port, self.gentle, self.rough, self.path = port, gentle, rough, path
        self.crews, self.flowclients, self.relay = [], [], None
        self.tasks = set()

    def later(self, work):
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def start(self, script, *words):
        """Starts a script of the campaign, and adds up the counts that it prints."""
        process = await asyncio.create_subprocess_exec(
            sys.executable, os.path.join(HERE, script), *map(str, words), stdout=asyncio.subprocess.PIPE
        )
        self.later(self.count(process.stdout))
        return process

    async def count(self, told):
        async for line in told:
            number, what = line.decode().rstrip().split("\t")
            self.counts[what] += int(number)

    async def start_relay(self):
        seed = self.random.getrandbits(30)
        self.relay = await self.start("relay.py", seed, self.port, self.gentle, self.rough)

    async def add_crew(self, size):
        # A lower priority than the steady clients and the server have.
        crew = await self.start("crew.py", self.random.getrandbits(30), size, self.port, self.rough, self.path)
        os.setpriority(os.PRIO_PROCESS, crew.pid, 10)
        self.crews.append((crew, size))

    async def add_flowclient(self):
        words, lines = self.random.choice(FLOWCLIENTS)
        client = await asyncio.create_subprocess_exec(
            self.flowclient, "-q", "-s", f"127.0.0.1:{self.port}", *words,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        client.stdin.write(b"u\n" * lines)
        os.setpriority(os.PRIO_PROCESS, client.pid, 10)
        self.flowclients.append(client)

    async def kill_crew(self):
        crew, size = self.crews.pop(self.random.randrange(len(self.crews)))
        self.kill(crew)
        self.counts["kill -9 of many clients at once"] += 1
        await crew.wait()
        await self.add_crew(size)

    async def kill_flowclient(self):
        client = self.flowclients.pop(self.random.randrange(len(self.flowclients)))
        self.kill(client)
        self.counts["kill -9 of a flowclient"] += 1
        await client.wait()
        await self.add_flowclient()

    async def stop_crew(self):
        self.freeze(self.random.choice(self.crews)[0])
        self.counts["SIGSTOP of many clients at once"] += 1

    async def stop_flowclient(self):
        self.freeze(self.random.choice(self.flowclients))
        self.counts["SIGSTOP of a flowclient"] += 1

    def freeze(self, process):
        async def thaw():
            await asyncio.sleep(self.random.uniform(0.5, 8))
            if process.returncode is None:
                process.send_signal(signal.SIGCONT)

        if process.returncode is None:
            process.send_signal(signal.SIGSTOP)
            self.later(thaw())

    async def print_on_full_disk(self):
        """Returns the exit code of a flowclient whose output is a full disk."""
        with open("/dev/full", "w") as full:
            client = await asyncio.create_subprocess_exec(
                self.flowclient, "-q", "-s", f"127.0.0.1:{self.port}", "sub", "(1...100000).publisher",
                stdout=full,
                stderr=asyncio.subprocess.DEVNULL,
            )
        self.counts["full disk: output of a flowclient"] += 1
        try:
            return await asyncio.wait_for(client.wait(), 30)
        except asyncio.TimeoutError:
            client.kill()
            return None

    @staticmethod
    def kill(process):
        if process.returncode is None:
            process.kill()

    async def disperse(self):
        """Kills all clients."""
        processes = [crew for crew, _ in self.crews] + self.flowclients
        self.crews, self.flowclients = [], []
        await self.end(processes)

    async def end_relay(self):
        await self.end([self.relay])

    async def end(self, processes):
        for process in processes:
            self.kill(process)
        for process in processes:
            await process.wait()

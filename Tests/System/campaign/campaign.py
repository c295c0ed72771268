"""campaign.py SECONDS SEED FLOWCLIENT FAULTS NAME=SERVER…: tests the servers for SECONDS in all, then prints a table.

Each server is started several times, with the same files. One of three lives ends after all clients have left with everything they
were owed, one by kill -9 and one by SIGTERM, both under load.
"""

import asyncio
import os
import random
import shutil
import signal
import sys
import time

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))  # live.py is there
from crowd import Crowd
from live import free_port
from mob import Mob
from server import DEFINITIONS, Server
from steady import Ledger, Sender, Tail
from table import print_table
from wire import Peer

# For each build, the number of unstable clients, and the seconds that a PING may take.
SIZES = {"release": (1000, 10), "address": (600, 30), "thread": (300, 30)}
CREW = 50
LIVES = ("leaves nothing", "kill -9", "SIGTERM")


class Campaign:
    def __init__(self, name, binary, flowclient, faults, seed):
        self.name, self.seed = name, seed
        self.random = random.Random(seed)
        self.ledger = Ledger()
        self.counts = self.ledger.counts
        self.server = Server(binary, seed, faults)
        self.gentle, rough = free_port(), free_port()
        self.mob = Mob(self.counts, self.random, flowclient, self.server.port, self.gentle, rough, self.server.socket)
        self.size, self.patience = SIZES[name]

    def say(self, text):
        print(f"{time.strftime('%H:%M:%S')} {self.name}: {text}", flush=True)

    async def run(self, seconds):
        """Runs lives of about a minute, with each kind of end at least once; stops after a life with problems."""
        end = time.monotonic() + seconds
        self.server.write("server.flow", DEFINITIONS)
        self.check_full_disk()
        lives = max(len(LIVES), int(seconds / 60))
        for life in range(lives):
            try:
                share = (end - time.monotonic()) / (lives - life)
                await self.live(life, LIVES[life % len(LIVES)], max(15, share))
            except (asyncio.TimeoutError, ConnectionError) as error:
                self.ledger.wrong("lost", f"an answer: {error!r}")
            finally:
                self.crowd.is_server_going = True
                await self.mob.disperse()
                await self.mob.end_relay()
                await self.server.end(within=0)
            if self.ledger.problems:
                break
        self.counts.update({f"kernel: {name}": n for name, n in self.server.faults_done().items()})
        for report in self.server.reports():
            self.ledger.wrong("reports of the sanitizer", report[:3000])

    def check_full_disk(self):
        seen = self.server.start_on_full_disk()
        if seen is None:
            return self.say("a full file system for the ports file is not possible here")
        self.counts["full disk: ports file"] += 1
        if seen != ["73", "old"]:
            self.ledger.wrong("lost", f"with the ports file on a full disk: {seen}")

    async def live(self, life, kind, seconds):
        """Runs one life of the server, which ends in the way `kind`."""
        self.until = time.monotonic() + seconds
        self.server.write("server.flow", DEFINITIONS)
        # Over several lives, each kind of end happens with and without faults of the kernel.
        self.has_faults = life % 4 != 2
        has_full_log = life % 3 == 1
        log = "/dev/full" if has_full_log else self.server.path("log")
        self.counts["full disk: log of the server"] += has_full_log
        self.crowd = Crowd(self.ledger, self.random, self.server.port, self.server.socket, self.gentle)
        await self.mob.start_relay()
        if not await self.server.begin(log, threads=1 + 3 * (life % 2), with_faults=self.has_faults):
            return self.ledger.wrong("crashes", f"the server did not start: {self.tail(log)}")
        await asyncio.sleep(0.3)
        await self.crowd.come()
        if await self.defined() != (3, 1):
            self.ledger.wrong("lost", "definitions of the server's files")
        watch = asyncio.ensure_future(self.watch())
        await self.gather()
        self.say(f"life {life + 1}, {len(self.crowd.everybody())} steady clients and {self.size} others, then {kind}")
        await self.make_faults()
        if not self.server.is_there():
            self.ledger.wrong("crashes", f"the server is gone: {self.server.process.returncode}; {self.tail(log)}")
        elif not self.ledger.problems:
            await {"leaves nothing": self.leave_nothing, "kill -9": self.kill, "SIGTERM": self.terminate}[kind]()
        watch.cancel()
        self.crowd.count_sent()

    def tail(self, log):
        if log == "/dev/full":
            return ""
        with open(log, errors="replace") as file:
            return file.read()[-2000:]

    async def gather(self):
        for _ in range(self.size // CREW):
            await self.mob.add_crew(CREW)
        for _ in range(5):
            await self.mob.add_flowclient()

    async def watch(self):
        """Checks twice a second that the server answers, and counts its connections."""
        while True:
            await asyncio.sleep(0.5)
            if self.crowd.bystander.late() > self.patience:
                return self.ledger.wrong("lost", f"a PING is unanswered after {self.patience} s")
            if self.crowd.is_server_going or self.crowd.bystander.gone.done():
                return
            try:
                rows = await self.crowd.bystander.stats()
            except (asyncio.TimeoutError, ConnectionError):
                continue
            self.counts["most connections at once"] = max(
                self.counts["most connections at once"], int(rows["flow_connections"])
            )
            if rows["flow_relieved_total"]:
                return self.ledger.wrong("lost", "the server ran out of memory and ended a connection")

    async def make_faults(self):
        acts = [
            self.mob.kill_crew, self.mob.kill_flowclient, self.mob.stop_crew, self.mob.stop_flowclient,
            self.print_on_full_disk, self.reload, self.break_files, self.take_descriptors, self.stop_server,
        ]
        while True:
            for act in self.random.sample(acts, len(acts)):
                await asyncio.sleep(self.random.uniform(0.1, 0.6))
                if self.ledger.problems or not self.server.is_there() or time.monotonic() > self.until:
                    return
                await act()

    async def print_on_full_disk(self):
        code = await self.mob.print_on_full_disk()
        if not code:
            self.ledger.wrong("lost", f"a flowclient that could not print exits with {code}")

    async def reload(self):
        """Reloads the file with an additional subject, then without it."""
        for text, subjects in ((DEFINITIONS + "SUBJECT extra\n", 4), (DEFINITIONS, 3)):
            self.hang_up(text, "SIGHUP with a good file")

            async def is_read(subjects=subjects):
                return await self.defined() == (subjects, 1) or await self.defined()

            await self.crowd.until(is_read, "a file is read again")

    async def break_files(self):
        self.hang_up("SUBJECT extra\nSUBJECT 1\n", "SIGHUP with a broken file")
        await asyncio.sleep(0.5)
        if await self.defined() != (3, 1):
            self.ledger.wrong("lost", "definitions, after a broken file was read")

    def hang_up(self, text, what):
        self.server.write("server.flow", text)
        self.server.signal(signal.SIGHUP)
        self.counts[what] += 1

    async def defined(self):
        """Returns the numbers of subjects and pipelines."""
        rows = await self.crowd.bystander.stats()
        return rows['flow_names{kind="subject"}'], rows['flow_names{kind="pipeline"}']

    async def take_descriptors(self):
        """Connects clients while the server has no descriptors; each must be refused with a reason, or served later."""
        restore = self.server.take_descriptors()
        clients = [Peer() for _ in range(40)]
        tasks = [asyncio.ensure_future(client.connect(self.server.port)) for client in clients]
        await asyncio.wait(tasks, timeout=1.5)
        restore()
        await asyncio.wait(tasks, timeout=self.patience)
        for client, task in zip(clients, tasks):
            # With faults of the kernel, sending the reason may fail, too.
            told = ("HI", "BYE limit", "") if self.has_faults else ("HI", "BYE limit")
            if not task.done() or not client.last_line.startswith(told):
                text = f"the answer to a client that connected when there were no descriptors: {task} {client.last_line}"
                self.ledger.wrong("lost", text)
            self.counts["EMFILE: clients told that there is no room"] += client.last_line.startswith("BYE limit")
            client.transport.abort()

    async def stop_server(self):
        self.server.signal(signal.SIGSTOP)
        await asyncio.sleep(self.random.uniform(0.2, 1))
        self.server.signal(signal.SIGCONT)
        self.counts["SIGSTOP of the server"] += 1

    async def leave_nothing(self):
        self.say("the unstable clients leave; the steady clients check what they received")
        await self.mob.disperse()
        await self.crowd.settle()
        self.crowd.is_server_going = True
        self.server.signal(signal.SIGTERM)
        await self.expect_end("SIGTERM with nobody there")

    async def kill(self):
        self.crowd.is_server_going = True
        self.server.signal(signal.SIGKILL)
        self.counts["kill -9 of the server under load"] += 1
        await self.server.end(within=10)
        await self.all_notice()

    async def terminate(self):
        self.crowd.is_server_going = True
        self.server.signal(signal.SIGTERM)
        self.counts["SIGTERM of the server under load"] += 1
        await self.expect_end("SIGTERM under load")
        await self.all_notice()
        for client in self.crowd.everybody():
            if not isinstance(client, Tail) and not client.last_line.startswith("BYE shutdown"):
                self.ledger.wrong("lost", f"the goodbye to {client.name}, after {client.last_line}")
            if isinstance(client, Sender) and client.is_waiting:
                self.ledger.wrong("lost", "the answer to the last SEND")

    async def expect_end(self, what):
        """Expects exit code 0 within the drain time of 4 s, and some time for a busy machine."""
        began = time.monotonic()
        code = await self.server.end(within=4.5 + self.patience / 2)
        if code != 0:
            self.ledger.wrong("crashes", f"after {what} it ended with {code}, after {time.monotonic() - began:.1f} s")

    async def all_notice(self):
        for client in self.crowd.everybody():
            await asyncio.wait([client.gone], timeout=10)
            if not client.gone.done():
                self.ledger.wrong("lost", f"{client.name} does not see that the server is gone")


async def main():
    seconds, seed, flowclient, faults, *builds = sys.argv[1:]
    # SIGTERM to the campaign cancels it, which ends its processes.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    campaigns = []
    for build in builds:
        campaign = Campaign(*build.split("="), flowclient, faults, int(seed))
        campaigns.append(campaign)
        try:
            await campaign.run(float(seconds) / len(builds))
        finally:
            shutil.rmtree(campaign.server.folder)
    is_fine = print_table({campaign.name: campaign.ledger for campaign in campaigns})
    print(f"seed {seed}")
    sys.exit(0 if is_fine else 1)


asyncio.run(main())

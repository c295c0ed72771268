"""The server of the campaign, as a process."""

import asyncio
import os
import resource
import struct
import subprocess

import live

DEFINITIONS = """\
set drain 4s
set stall 2s
SUBJECT shared flow=slowest
SUBJECT quiet flow=slowest
SUBJECT loose
PIPELINE tenfold = loose.map { $0 }
"""


class Server(live.Server):
    def __init__(self, binary, seed, faults):
        super().__init__(DEFINITIONS, seconds=30)
        self.tcp, self.socket = f"127.0.0.1:{live.free_port()}", self.path("socket")
        self.program, self.seed, self.faults = binary, seed, faults
        self.counts = self.path("faults")

    def make_environment(self, with_faults):
        report = self.path("report")
        environment = os.environ | {
            "SWIFT_BACKTRACE": "enable=no",
            "ASAN_OPTIONS": f"detect_leaks=0:log_path={report}",
            "TSAN_OPTIONS": f"suppressions={live.ROOT}/Tests/tsan-suppressions:log_path={report}",
        }
        if with_faults:
            environment |= {
                "LD_PRELOAD": self.faults,
                "FAULTS_SEED": str(self.seed),
                "FAULTS_ONE_IN": "200",
                "FAULTS_FILE": self.counts,
            }
        return environment

    async def begin(self, log, threads, with_faults):
        """Starts the server; returns whether it has written its ports."""
        self.log, self.environment = log, self.make_environment(with_faults)
        self.options = ["--memory", "4GiB", "--listen", f"unix:{self.socket}", "--threads", str(threads)]
        try:
            await asyncio.to_thread(self.start)
        except live.Failed:
            return False
        return True

    def is_there(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    async def end(self, within):
        """Waits for the server's end; returns its exit code, or kills it and returns None if it does not end in time."""
        for _ in range(int(within * 20)):
            if not self.is_there():
                return self.process.returncode
            await asyncio.sleep(0.05)
        self.process.kill()
        self.process.wait()
        return None

    def take_descriptors(self):
        """Limits the server to its current descriptors; returns a function that restores the limit."""
        before = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (used, before[1]))
        return lambda: resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, before)

    def faults_done(self):
        """Returns how often each system call was made to fail, by call and error."""
        if not os.path.exists(self.counts):
            return {}
        with open(self.counts, "rb") as file:
            rows = struct.iter_unpack("24sQ", file.read())
        return {name.rstrip(b"\0").decode(): count for name, count in rows if count}

    def reports(self):
        """Returns the reports of the sanitizers."""
        texts = []
        for name in sorted(os.listdir(self.folder)):
            if name.startswith("report"):
                with open(os.path.join(self.folder, name), errors="replace") as file:
                    texts.append(file.read())
        return texts

    def start_on_full_disk(self):
        """Starts the server with its ports file on a full file system; returns its exit code and the contents of the old file.

        Returns None if this machine does not allow the mount.
        """
        place = os.path.join(self.folder, "full")
        os.makedirs(place, exist_ok=True)
        mount = f"mount -t tmpfs -o size=4k full '{place}'"
        if subprocess.run(["unshare", "-rm", "sh", "-c", mount], stderr=subprocess.DEVNULL).returncode:
            return None
        words = [self.program, "--config", self.path("server.flow"), "--listen", "127.0.0.1:0", "--http", "off"]
        command = " ".join(f"'{word}'" for word in words)
        script = f"{mount}; echo old > '{place}/ports'; {command} --ports-file '{place}/ports'; echo $?; cat '{place}/ports'"
        run = subprocess.run(
            ["unshare", "-rm", "sh", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.make_environment(False),
            timeout=60,
        )
        return run.stdout.decode().split()


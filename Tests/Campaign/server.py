"""The server as a process, with what can be done to a process."""

import asyncio
import os
import resource
import struct
import subprocess

SCRIPTS = os.path.join(os.path.dirname(__file__), "..", "..", "Scripts")

DEFINITIONS = """\
set drain 4s
set stall 2s
SUBJECT shared flow=slowest
SUBJECT quiet flow=slowest
SUBJECT loose
PIPELINE tenfold = loose.map { $0 }
"""


class Server:
    def __init__(self, build, binary, folder, port, path, seed, faults):
        self.build, self.binary, self.folder = build, binary, folder
        self.port, self.path, self.seed, self.faults = port, path, seed, faults
        self.files = os.path.join(folder, "server.flow")
        self.ports = os.path.join(folder, "ports")
        self.counts = os.path.join(folder, "faults")

    def write(self, text):
        with open(self.files, "w") as file:
            file.write(text)

    def environment(self, with_faults):
        report = os.path.join(self.folder, "report")
        environment = os.environ | {
            "SWIFT_BACKTRACE": "enable=no",
            "ASAN_OPTIONS": f"detect_leaks=0:log_path={report}",
            "TSAN_OPTIONS": f"suppressions={SCRIPTS}/tsan-suppressions:log_path={report}",
        }
        if with_faults:
            environment |= {
                "LD_PRELOAD": self.faults,
                "FAULTS_SEED": str(self.seed),
                "FAULTS_ONE_IN": "200",
                "FAULTS_FILE": self.counts,
            }
        return environment

    def arguments(self, *more):
        return [self.binary, "--config", self.files, "--memory", "4GiB", *more]

    async def start(self, log, threads, with_faults):
        """Starts it; returns once it has written its ports file."""
        if os.path.exists(self.ports):
            os.unlink(self.ports)
        listen = ["--listen", f"127.0.0.1:{self.port}", "--listen", f"unix:{self.path}"]
        with open(log, "w") as file:
            self.process = subprocess.Popen(
                self.arguments(*listen, "--ports-file", self.ports, "--threads", str(threads)),
                stderr=file,
                env=self.environment(with_faults),
            )
        for _ in range(300):
            if os.path.exists(self.ports) or self.process.poll() is not None:
                break
            await asyncio.sleep(0.1)
        return os.path.exists(self.ports)

    def is_there(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    async def end(self, within):
        """Waits for its end; its exit code, or None if it does not end in time."""
        for _ in range(int(within * 20)):
            if not self.is_there():
                return self.process.returncode
            await asyncio.sleep(0.05)
        self.process.kill()
        self.process.wait()
        return None

    def take_descriptors(self):
        """Leaves it none but those that it has; returns what gives them back."""
        before = resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE)
        used = len(os.listdir(f"/proc/{self.process.pid}/fd"))
        resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, (used, before[1]))
        return lambda: resource.prlimit(self.process.pid, resource.RLIMIT_NOFILE, before)

    def faults_done(self):
        """How often each call of the kernel was made to fail, by call and error."""
        if not os.path.exists(self.counts):
            return {}
        with open(self.counts, "rb") as file:
            rows = struct.iter_unpack("24sQ", file.read())
        return {name.rstrip(b"\0").decode(): count for name, count in rows if count}

    def reports(self):
        """What a sanitizer has to say."""
        texts = []
        for name in sorted(os.listdir(self.folder)):
            if name.startswith("report"):
                with open(os.path.join(self.folder, name), errors="replace") as file:
                    texts.append(file.read())
        return texts

    def start_on_full_disk(self):
        """Starts it with its ports file on a file system that is full: its exit code, and what the old file has.

        None if this machine lets nobody mount one.
        """
        place = os.path.join(self.folder, "full")
        os.makedirs(place, exist_ok=True)
        mount = f"mount -t tmpfs -o size=4k full '{place}'"
        if subprocess.run(["unshare", "-rm", "sh", "-c", mount], stderr=subprocess.DEVNULL).returncode:
            return None
        command = " ".join(f"'{word}'" for word in self.arguments("--listen", "127.0.0.1:0"))
        script = f"{mount}; echo old > '{place}/ports'; {command} --ports-file '{place}/ports'; echo $?; cat '{place}/ports'"
        run = subprocess.run(
            ["unshare", "-rm", "sh", "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=self.environment(False),
            timeout=60,
        )
        return run.stdout.decode().split()


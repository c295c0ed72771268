"""A FlowServer, and the proxies of docs/deploy.md in front of it, as processes of whoever runs the tests."""

import contextlib, os, re, shutil, signal, socket, subprocess, time

#: Until when everything has to be over.
DEADLINE = time.monotonic() + 110


class Failed(Exception):
    pass


def expect(holds, text):
    if not holds:
        raise Failed(text)


def until(what, condition, seconds=15):
    """Waits until `condition` holds; returns what it gave."""
    end = min(DEADLINE, time.monotonic() + seconds)
    while True:
        with contextlib.suppress(OSError):
            if found := condition():
                return found
        if time.monotonic() > end:
            raise Failed(f"waited in vain for {what}")
        time.sleep(0.05)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Processes:
    def __init__(self, folder):
        self.folder = folder
        self.all = {}

    def start(self, name, *command):
        with open(self.log(name), "ab") as log:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True
            )
        self.all[name] = process
        return process

    def log(self, name):
        return f"{self.folder}/{name}.log"

    def end(self):
        for process in self.all.values():
            if process.poll() is None:
                process.terminate()
        for process in self.all.values():
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def show_logs(self):
        for name in self.all:
            with open(self.log(name), errors="replace") as log:
                print(f"-- {name}\n{log.read()[-20000:]}")


class Server:
    """A FlowServer that serves proxies as the page says, and others at `port`."""

    TOKENS = "0123456789ab all\ncert:alice pub,sub lab-*\n"
    #: Each proxy has subjects of its own.
    DEFINITIONS = "SUBJECT office\n" + "".join(
        f"SUBJECT lab-{name}\nSUBJECT lab-{name}-slow flow=slowest stall=10m\n" for name in ("haproxy", "stunnel", "nginx")
    )

    def __init__(self, processes, recipes, program):
        self.processes, self.program = processes, program
        folder = processes.folder
        self.write_tokens(self.TOKENS)
        with open(f"{folder}/server.flow", "w") as file:
            file.write(self.DEFINITIONS)
        command = recipes.command("FlowServer --config", ("/etc/flow|/run/flow", folder))
        self.options = command.split()[1:] + ["--listen", "127.0.0.1:0", "--ports-file", f"{folder}/ports"]
        self.options += ["--log-level", "debug"]

    def write_tokens(self, text):
        with open(os.open(f"{self.processes.folder}/tokens", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)

    def start(self):
        ports = f"{self.processes.folder}/ports"
        with contextlib.suppress(FileNotFoundError):
            os.remove(ports)
        self.process = self.processes.start("server", self.program, *self.options)

        def read():
            expect(self.process.poll() is None, "the server has ended")
            with open(ports) as file:
                return re.search(r"^tcp .*:(\d+)$", file.read(), re.M)

        self.port = int(until("the server's port", read)[1])

    def ask(self, *lines):
        """What is answered to `lines` of one who comes from this machine."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as client:
            client.sendall("".join(f"{line}\n" for line in ("AUTH 0123456789ab", *lines)).encode())
            client.shutdown(socket.SHUT_WR)
            return client.makefile(errors="replace").read().splitlines()[2:]


class Proxy:
    """One of the three: what it is called, how it is started, and what the page says of it."""

    name = ""
    #: Whether the name in a client's certificate reaches the server.
    tells_names = False
    #: Whether the end of what is said is told as TLS wants it.
    tells_end = True

    def __init__(self, processes, recipes):
        self.processes, self.recipes = processes, recipes
        self.folder = processes.folder
        self.port, self.page = free_port(), free_port()
        #: The server's certificate is each proxy's own: they are renewed at different times.
        self.places = f"{self.folder}/{self.name}"
        os.mkdir(self.places)
        shutil.copy(f"{self.folder}/server.pem", self.places)
        self.configure()

    def write(self, name, text):
        path = f"{self.places}/{name}"
        with open(path, "w") as file:
            file.write(text)
        return path

    def recipe(self, name, *replacements):
        """A file of the page, with the places and the ports of this test."""
        return self.recipes.file(
            name,
            ("/etc/ssl/flow/server.pem", f"{self.places}/server.pem"),
            ("/etc/ssl/flow/clients-ca.pem", f"{self.folder}/clients-ca.pem"),
            *replacements,
        )

    def start(self):
        self.process = self.processes.start(self.name, *self.command)

        def listens():
            expect(self.process.poll() is None, f"{self.name} has ended")
            return all(socket.create_connection(("127.0.0.1", port), 1).close() is None for port in (self.port, self.page))

        until(f"{self.name} to listen", listens)

    def reload(self):
        """Has the new certificate taken, as the page says."""
        self.process.send_signal(signal.SIGHUP)


class HAProxy(Proxy):
    name = "haproxy"
    tells_names = True

    def configure(self):
        recipe = self.recipe(
            "/etc/haproxy/haproxy.cfg, at its end",
            (r"bind :::3570 v4v6", f"bind 127.0.0.1:{self.port}"),
            (r"bind :::8570 v4v6", f"bind 127.0.0.1:{self.page}"),
            (r"unix@/flow/", f"unix@{self.folder}/"),
            # So short that it would end what it is not meant for.
            (r" 30s$", " 1s"),
        )
        self.admin = f"{self.places}/admin.sock"
        start = f"global\n    stats socket {self.admin} mode 660 level admin\n    log stderr format raw local0\n"
        self.command = ["haproxy", "-W", "-f", self.write("haproxy.cfg", f"{start}defaults\n    log global\n{recipe}")]

    def reload(self):
        self.process.send_signal(signal.SIGUSR2)

    def replace(self):
        """The other way of the page, without a new process."""
        command = self.recipes.block(
            "pem=", ("/etc/ssl/flow", self.places), ("/run/haproxy/admin.sock", self.admin), ("sudo ", "")
        )
        said = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=10).stdout
        expect("Success!" in said, f"haproxy says {said!r}")


class Stunnel(Proxy):
    name = "stunnel"

    def configure(self):
        recipe = self.recipe(
            "/etc/stunnel/flow.conf",
            (r"accept = :::3570", f"accept = 127.0.0.1:{self.port}"),
            (r"accept = :::8570", f"accept = 127.0.0.1:{self.page}"),
            ("/run/flow", self.folder),
            ("^set[ug]id = .*\n", ""),
        )
        self.command = ["stunnel", self.write("flow.conf", recipe)]


class Nginx(Proxy):
    name = "nginx"
    tells_end = False

    def configure(self):
        recipe = self.recipe(
            "/etc/nginx/flow.conf",
            (r"\[::\]:3570 ssl ipv6only=off", f"127.0.0.1:{self.port} ssl"),
            (r"\[::\]:8570 ssl ipv6only=off", f"127.0.0.1:{self.page} ssl"),
            ("/run/flow", self.folder),
        )
        user = "user root;\n" if os.geteuid() == 0 else ""
        # What Debian's nginx.conf says, and its modules-enabled.
        start = (
            f"{user}daemon off;\npid {self.places}/pid;\nerror_log stderr notice;\n"
            "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\nevents { worker_connections 768; }\n"
        )
        self.command = ["nginx", "-e", "stderr", "-p", self.places, "-c", self.write("nginx.conf", start + recipe)]

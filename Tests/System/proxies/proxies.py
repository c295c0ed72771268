"""A FlowServer and the proxies of docs/deploy.md in front of it, as processes of the current user."""

import os, re, shutil, signal, subprocess

from live import Server, expect, free_port, is_listening, until

TOKEN = "0123456789ab"
TOKENS = f"{TOKEN} all\ncert:alice pub,sub lab-*\n"
#: Each proxy has subjects of its own.
DEFINITIONS = "SUBJECT office\n" + "".join(
    f"SUBJECT lab-{name}\nSUBJECT lab-{name}-slow flow=slowest stall=10m\n" for name in ("haproxy", "stunnel", "nginx")
)


def make_server(recipes):
    """Returns a FlowServer with the page's options for proxies, which also listens on its own port."""
    command = recipes.command("FlowServer --config", ("/etc/flow|/run/flow", "{folder}"))
    options = re.fullmatch(r"FlowServer --config {folder}/server.flow (.*)", command)[1].split()
    return Server(DEFINITIONS, *options, "--log-level", "debug", files=[("tokens", TOKENS)], web=None)


def ask(server, *lines):
    """Sends `lines` directly to the server; returns the answers."""
    with server.client(f"AUTH {TOKEN}") as client:
        client.say(*lines)
        client.end_input()
        return client.rest()


class Proxy:
    """One of the three proxies: its name, its command, and its files from the page."""

    name = ""
    #: Whether the name in a client's certificate reaches the server.
    tells_names = False
    #: Whether the proxy ends a connection with TLS's closing alert.
    tells_end = True

    def __init__(self, processes, recipes, server):
        self.processes, self.recipes = processes, recipes
        self.folder, self.sockets = processes.folder, server.folder
        self.port, self.page = free_port(), free_port()
        #: The proxy's own folder; it has a copy of the server's certificate, since each proxy renews it at another time.
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
        """Returns a file of the page, with the paths and the ports of this test."""
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
            return is_listening(self.port) and is_listening(self.page)

        until(f"{self.name} to listen", listens)

    def reload(self):
        """Makes the proxy load the new certificate, as the page says."""
        self.process.send_signal(signal.SIGHUP)


class HAProxy(Proxy):
    name = "haproxy"
    tells_names = True

    def configure(self):
        recipe = self.recipe(
            "/etc/haproxy/haproxy.cfg, at its end",
            (r"bind :::3570 v4v6", f"bind 127.0.0.1:{self.port}"),
            (r"bind :::8570 v4v6", f"bind 127.0.0.1:{self.page}"),
            (r"unix@/flow/", f"unix@{self.sockets}/"),
            # A timeout so short that the test would notice if it ended streams.
            (r" 30s$", " 1s"),
        )
        self.admin = f"{self.places}/admin.sock"
        start = f"global\n    stats socket {self.admin} mode 660 level admin\n    log stderr format raw local0\n"
        self.command = ["haproxy", "-W", "-f", self.write("haproxy.cfg", f"{start}defaults\n    log global\n{recipe}")]

    def reload(self):
        self.process.send_signal(signal.SIGUSR2)

    def replace(self):
        """Replaces the certificate in the page's other way, without a new process."""
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
            ("/run/flow", self.sockets),
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
            ("/run/flow", self.sockets),
        )
        user = "user root;\n" if os.geteuid() == 0 else ""
        # The settings of Debian's nginx.conf and modules-enabled.
        start = (
            f"{user}daemon off;\npid {self.places}/pid;\nerror_log stderr notice;\n"
            "load_module /usr/lib/nginx/modules/ngx_stream_module.so;\nevents { worker_connections 768; }\n"
        )
        self.command = ["nginx", "-e", "stderr", "-p", self.places, "-c", self.write("nginx.conf", start + recipe)]

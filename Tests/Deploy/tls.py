"""Certificates, made as docs/deploy.md says, and a client that speaks TLS and can half-close."""

import socket, ssl, subprocess

#: What the recipes call the server, and what it is called on this machine.
SERVER = "flow.example.org"
HERE = "localhost"


class Refused(ConnectionError):
    """The connection ended; the text says how."""


def run(command, folder):
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"{command}\n{done.stderr}")
    return done.stdout


def make_authorities(recipes, folder):
    """A CA for clients, one for servers, and one that nobody knows."""
    command = recipes.command("openssl req -x509 -newkey")
    for name in ("clients-ca", "servers-ca", "other-ca"):
        run(command.replace("clients-ca", name).replace("Flow clients", name), folder)


def make_client(recipes, folder, name, authority="clients-ca", file=None):
    """A certificate with the common name `name`, in `file`.pem."""
    block = recipes.block("openssl req -x509 -CA").replace("clients-ca", authority)
    run(block.replace("alice", file or name).replace(f"/CN={file or name}", f"/CN={name}"), folder)


def make_server(folder, path, names=(SERVER, HERE)):
    """The certificate of the server and its key, at `path`; returns its serial number."""
    alternative = ",".join(f"DNS:{name}" for name in names)
    run(
        "openssl req -x509 -CA servers-ca.pem -CAkey servers-ca.key -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
        f" -days 2 -subj /CN={names[0]} -addext basicConstraints=critical,CA:FALSE -addext subjectAltName={alternative}"
        f" -keyout {path}.key -out {path}.crt && cat {path}.crt {path}.key > {path}.new && mv {path}.new {path}",
        folder,
    )
    return run(f"openssl x509 -in {path}.crt -noout -serial", folder).strip().removeprefix("serial=").lstrip("0")


class Client:
    """A connection to `port` over TLS; `name` is the certificate that is shown, if one is."""

    def __init__(self, folder, port, name="alice", version=None, room=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(f"{folder}/servers-ca.pem")
        # Whether the end is told is to be seen.
        context.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
        if name:
            context.load_cert_chain(f"{folder}/{name}.pem")
        if version:
            context.set_ciphers("DEFAULT@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
        self.socket = socket.socket()
        if room:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
        self.socket.settimeout(10)
        self.socket.connect(("127.0.0.1", port))
        self.address = "%s:%d" % self.socket.getsockname()
        self.arrived, self.leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.arrived, self.leaving, server_hostname=SERVER)
        self.unread = b""
        self.work(self.tls.do_handshake)

    def work(self, act, *arguments):
        """Does what needs bytes from the other side, or makes some for it."""
        try:
            while True:
                try:
                    return act(*arguments)
                except ssl.SSLWantReadError:
                    self.flush()
                    self.arrived.write(self.socket.recv(65536)) or self.arrived.write_eof()
                finally:
                    self.flush()
        except (ssl.SSLError, OSError) as error:
            raise Refused(f"{type(error).__name__}: {error}") from None

    def flush(self):
        if bytes := self.leaving.read():
            self.socket.sendall(bytes)

    @property
    def serial(self):
        """The number of the certificate that the server has shown."""
        return self.tls.getpeercert()["serialNumber"].lstrip("0")

    def say(self, *lines):
        self.send("".join(f"{line}\n" for line in lines).encode())

    def send(self, data):
        while data:
            data = data[self.work(self.tls.write, data):]

    def read(self):
        """More of what comes; nothing at the end."""
        try:
            return self.work(self.tls.read, 65536)
        except Refused as refusal:
            if "SSLZeroReturnError" in f"{refusal}":
                return b""
            raise

    def line(self):
        while b"\n" not in self.unread:
            more = self.read()
            if not more:
                raise Refused(f"the connection ended after {self.unread!r}")
            self.unread += more
        line, self.unread = self.unread.split(b"\n", 1)
        return line.decode()

    def until(self, start):
        """The next line that begins so."""
        while not (line := self.line()).startswith(start):
            pass
        return line

    def ask(self, line):
        self.say(line)
        return self.line()

    def rest(self):
        """All lines until the connection ends; and whether TLS said so."""
        said = True
        try:
            while more := self.read():
                self.unread += more
        except Refused as refusal:
            if "UNEXPECTED_EOF" not in f"{refusal}":
                raise
            said = False
        return self.unread.decode().splitlines(), said

    def end_input(self):
        """Says that no more comes, and goes on to read."""
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()

    def close(self):
        self.socket.close()

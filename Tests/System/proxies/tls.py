"""Certificates made as docs/deploy.md says, and a TLS client that can close its sending side."""

import ssl, subprocess

from live import LineClient, Refused

#: The server's name in the recipes, and on this machine.
SERVER = "flow.example.org"
HERE = "localhost"


def run(command, folder):
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"{command}\n{done.stderr}")
    return done.stdout


def make_authorities(recipes, folder):
    """Makes a CA for clients, one for servers, and one that no program trusts."""
    command = recipes.command("openssl req -x509 -newkey")
    for name in ("clients-ca", "servers-ca", "other-ca"):
        run(command.replace("clients-ca", name).replace("Flow clients", name), folder)


def make_client(recipes, folder, name, authority="clients-ca", file=None):
    """Makes a certificate with the common name `name`, in `file`.pem."""
    block = recipes.block("openssl req -x509 -CA").replace("clients-ca", authority)
    run(block.replace("alice", file or name).replace(f"/CN={file or name}", f"/CN={name}"), folder)


def make_server(folder, path, names=(SERVER, HERE)):
    """Makes the certificate of the server and its key, in `path`; returns its serial number."""
    alternative = ",".join(f"DNS:{name}" for name in names)
    run(
        "openssl req -x509 -CA servers-ca.pem -CAkey servers-ca.key -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc"
        f" -days 2 -subj /CN={names[0]} -addext basicConstraints=critical,CA:FALSE -addext subjectAltName={alternative}"
        f" -keyout {path}.key -out {path}.crt && cat {path}.crt {path}.key > {path}.new && mv {path}.new {path}",
        folder,
    )
    return run(f"openssl x509 -in {path}.crt -noout -serial", folder).strip().removeprefix("serial=").lstrip("0")


class Client(LineClient):
    """A connection to `port` over TLS, with the certificate `name`, if given."""

    def __init__(self, folder, port, name="alice", version=None, room=None):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(f"{folder}/servers-ca.pem")
        # Reports an end without TLS's closing alert as an error.
        context.options &= ~getattr(ssl, "OP_IGNORE_UNEXPECTED_EOF", 0)
        if name:
            context.load_cert_chain(f"{folder}/{name}.pem")
        if version:
            context.set_ciphers("DEFAULT@SECLEVEL=0")
            context.minimum_version = context.maximum_version = version
        self.arrived, self.leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = context.wrap_bio(self.arrived, self.leaving, server_hostname=SERVER)
        super().__init__(f"127.0.0.1:{port}", room)

    def begin(self):
        self.address = "%s:%d" % self.socket.getsockname()
        self.work(self.tls.do_handshake)

    def work(self, act, *arguments):
        """Calls `act` until it succeeds, and moves bytes between TLS and the socket."""
        try:
            while True:
                try:
                    return act(*arguments)
                except ssl.SSLWantReadError:
                    self.flush()
                    self.arrived.write(self.socket.recv(65536)) or self.arrived.write_eof()
                finally:
                    self.flush()
        except TimeoutError:
            raise
        except (ssl.SSLError, OSError) as error:
            raise Refused(f"{type(error).__name__}: {error}") from None

    def flush(self):
        if bytes := self.leaving.read():
            self.socket.sendall(bytes)

    @property
    def serial(self):
        """The serial number of the server's certificate."""
        return self.tls.getpeercert()["serialNumber"].lstrip("0")

    def send(self, data, seconds=10):
        self.socket.settimeout(seconds)
        while data:
            data = data[self.work(self.tls.write, data):]

    def receive(self):
        try:
            return self.work(self.tls.read, 65536)
        except Refused as refusal:
            if "SSLZeroReturnError" in f"{refusal}":
                return b""
            raise

    def rest(self, seconds=10):
        """Returns all lines until the connection ends, and whether TLS's closing alert came."""
        try:
            return super().rest(seconds), True
        except Refused as refusal:
            if "UNEXPECTED_EOF" not in f"{refusal}":
                raise
            return self.unread.decode().splitlines(), False

    def end_input(self):
        try:
            self.tls.unwrap()
        except ssl.SSLWantReadError:
            pass
        self.flush()

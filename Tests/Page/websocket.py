#!/usr/bin/env python3
"""The protocol over a WebSocket, against a live server: the standard library, nothing else.

    websocket.py [NAME…]     all tests, or those whose names contain one of the words

FLOW_BIN is the folder of FlowServer. The tests `case_N` are Autobahn's, by their published numbers; what it echoes goes
here through a subject and back.
"""
import base64, hashlib, os, re, signal, socket, struct, subprocess, sys, tempfile, threading, time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


# ---- what the tests need ------------------------------------------------------------------------


class Server:
    """A FlowServer on free ports, without the files of anybody's home."""

    def __init__(self, *options, lines="", free=True):
        self.folder = tempfile.TemporaryDirectory()
        ports, self.log = os.path.join(self.folder.name, "ports"), os.path.join(self.folder.name, "log")
        places = ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"] if free else []
        options = [*places, "--ports-file", ports, *options]
        if lines:
            path = os.path.join(self.folder.name, "test.flow")
            with open(path, "w") as file: file.write(lines)
            options += ["--config", path]
        program = os.path.join(os.environ["FLOW_BIN"], "FlowServer")
        with open(self.log, "w") as log: self.process = subprocess.Popen([program, *options], stderr=log, stdout=log)
        end = time.monotonic() + 20
        while not (os.path.exists(ports) and "http" in (text := open(ports).read())):
            assert self.process.poll() is None and time.monotonic() < end, open(self.log).read()
            time.sleep(0.02)
        self.port = int(re.search(r"^(?!http).*\D(\d+)$", text, re.M)[1])
        self.web = int(re.search(r"^http \S*:(\d+)/?$", text, re.M)[1])

    def __enter__(self): return self

    def __exit__(self, *_):
        if self.process.poll() is None: self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def terminate(self): self.process.send_signal(signal.SIGTERM)

    def memory(self):
        """The bytes of real memory that it takes."""
        with open(f"/proc/{self.process.pid}/status") as file: return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) * 1024


class Netcat:
    """A client over TCP."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=10)
        self.file = self.socket.makefile("rb")
        assert self.line().startswith("HI flow/")

    def say(self, text): self.socket.sendall((text if isinstance(text, bytes) else text.encode()) + b"\n")
    def line(self): return self.file.readline().decode().removesuffix("\n")

    def ask(self, text):
        """The answer to a command; lines for people and values are passed over."""
        self.say(text)
        while (line := self.line()).startswith(("#", "*", "=")): pass
        return line

    def close(self):
        self.file.close()
        self.socket.close()


class Refused(Exception): pass


class WebSocket:
    def __init__(self, server, protocol="flow.1", receive=None, hello=None, **headers):
        self.socket = socket.socket()
        self.socket.settimeout(10)
        if receive: self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive)
        self.socket.connect(("127.0.0.1", server.web))
        key = base64.b64encode(os.urandom(16)).decode()
        head = {"Host": f"127.0.0.1:{server.web}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key}
        if protocol: head["Sec-WebSocket-Protocol"] = protocol
        head |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.buffer = b""
        self.send_raw(f"GET /flow HTTP/1.1\r\n{''.join(f'{n}: {v}' + chr(13) + chr(10) for n, v in head.items())}\r\n".encode())
        while b"\r\n\r\n" not in self.buffer: self.fill()
        answer, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        self.answer = answer.decode()
        if " 101 " not in self.answer.split("\r\n")[0]: raise Refused(self.answer)
        expected = base64.b64encode(hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()).decode()
        assert f"Sec-WebSocket-Accept: {expected}" in self.answer, self.answer
        self.greeting = self.text()
        if hello is not False: assert self.ask(hello or "HELLO 1") .startswith("OK hello"), "HELLO"

    # frames

    def send_raw(self, data): self.socket.sendall(data)

    @staticmethod
    def frame(opcode, payload=b"", final=True, reserved=0, mask=None):
        mask = os.urandom(4) if mask is None else mask
        length = len(payload)
        head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
        head += bytes([0x80 | length]) if length < 126 else b"\xfe" + struct.pack(">H", length) if length < 65536 else b"\xff" + struct.pack(">Q", length)
        key = (mask * (length // 4 + 1))[:length]
        return head + mask + (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(length, "big")

    def send(self, opcode, payload=b"", **more): self.send_raw(self.frame(opcode, payload, **more))

    def fill(self):
        more = self.socket.recv(1 << 18)
        if not more: raise EOFError
        self.buffer += more

    def take(self, count):
        while len(self.buffer) < count: self.fill()
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def receive(self):
        """The next frame, which must be whole and not masked."""
        first, second = self.take(2)
        assert first & 0xF0 == 0x80 and not second & 0x80, (first, second)
        length = second
        if length == 126: length, = struct.unpack(">H", self.take(2))
        elif length == 127: length, = struct.unpack(">Q", self.take(8))
        opcode, payload = first & 0x0F, self.take(length)
        if opcode == TEXT: payload.decode()  # a browser ends the connection otherwise
        return opcode, payload

    # messages

    def say(self, line): self.send(TEXT, line.encode())
    def say_counted(self, key, payload):
        self.say(f": {key} {len(payload)}")
        self.send(BINARY, payload)

    def text(self):
        opcode, payload = self.receive()
        assert opcode == TEXT, (opcode, payload[:200])
        return payload.decode()

    def ask(self, line):
        self.say(line)
        while (answer := self.text()).startswith(("#", "*", "= ")): pass
        return answer

    def value(self):
        """The next value, however it comes, as (id, bytes)."""
        opcode, payload = self.receive()
        assert opcode == TEXT, (opcode, payload[:200])
        if payload.startswith(b": "):
            _, key, length = payload.decode().split(" ")
            opcode, payload = self.receive()
            assert opcode == BINARY and len(payload) == int(length), (opcode, len(payload))
            return key, payload
        assert payload.startswith(b"= "), payload[:200]
        key, _, value = payload[2:].partition(b" ")
        return key.decode(), value

    def closed(self):
        """The code and the reason of the close frame that comes, whatever comes before it, behind which the server ends."""
        while True:
            opcode, payload = self.receive()
            if opcode == CLOSE: break
        self.eof()
        return (struct.unpack(">H", payload[:2])[0], payload[2:].decode()) if payload else (None, "")

    def eof(self):
        try:
            self.fill()
            raise AssertionError(f"more after the close frame: {self.buffer[:100]}")
        except (EOFError, ConnectionResetError): pass

    def is_quiet(self, seconds=0.3):
        self.socket.settimeout(seconds)
        try:
            self.fill()
            return False
        except TimeoutError: return True
        finally: self.socket.settimeout(10)

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self): self.socket.close()


def equal(found, expected):
    assert found == expected, f"found {str(found)[:300]}, expected {str(expected)[:300]}"


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.02)


SUBJECTS = "SUBJECT echo\nSUBJECT taps\nSUBJECT slow flow=slowest\nSUBJECT raw\n"
shared = None


def echo():
    """A WebSocket whose values come back to it."""
    socket = WebSocket(shared)
    name = f"e{os.urandom(8).hex()}"
    for command in (f"SUBJECT {name}", f"PUB {name} as=9", f"SUB {name} max as=10"): assert socket.ask(command).startswith("OK"), command
    return socket


# ---- Autobahn's cases ---------------------------------------------------------------------------


def fails(data, code=1002):
    """The server closes with this code, and goes."""
    socket = echo()
    socket.send_raw(data)
    equal(socket.closed()[0], code)
    socket.close()


def octets(socket, data):
    socket.socket.setsockopt(6, 1, 1)  # TCP_NODELAY
    for byte in data: socket.send_raw(bytes([byte]))


def test_case_1_echo():
    """Lengths of texts and binaries, at once and octet by octet."""
    socket = echo()
    for length in (0, 1, 117, 118, 119, 120, 121, 122, 123, 124, 125, 126, 127, 128, 65531, 65532, 65535, 65536):
        socket.say("= 9 " + "*" * length)
        equal(socket.value(), ("10", b"*" * length))
        socket.say_counted(9, b"\xfe" * length)
        equal(socket.value(), ("10", b"\xfe" * length))
    octets(socket, socket.frame(TEXT, b"= 9 " + b"*" * 300))
    equal(socket.value(), ("10", b"*" * 300))
    data = socket.frame(TEXT, b"= 9 " + b"*" * 65536)
    for start in range(0, len(data), 997): socket.send_raw(data[start:start + 997])
    equal(socket.value(), ("10", b"*" * 65536))
    socket.close()


def test_case_2_pings():
    socket = echo()
    for payload in (b"", b"Hello, world!", b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff", b"\xfe" * 125):
        socket.send(PING, payload)
        equal(socket.receive(), (PONG, payload))
    octets(socket, socket.frame(PING, b"\xfe" * 125))
    equal(socket.receive(), (PONG, b"\xfe" * 125))
    socket.send(PONG)
    socket.send(PONG, b"unsolicited")
    socket.send(PING, b"after it")
    equal(socket.receive(), (PONG, b"after it"))
    for number in range(10):
        socket.send(PING, b"payload-%d" % number)
    for number in range(10): equal(socket.receive(), (PONG, b"payload-%d" % number))
    socket.close()
    fails(WebSocket.frame(PING, b"\xfe" * 126))


def test_case_3_reserved_bits():
    for bits in range(1, 8):
        fails(WebSocket.frame(TEXT, b"PING", reserved=bits))
        fails(WebSocket.frame(BINARY, b"PING", reserved=bits))
    fails(WebSocket.frame(TEXT, b"PING") + WebSocket.frame(PING, reserved=2))
    fails(WebSocket.frame(CLOSE, reserved=7))


def test_case_4_opcodes():
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        fails(WebSocket.frame(opcode))
        fails(WebSocket.frame(TEXT, b"PING") + WebSocket.frame(opcode, b"reserved opcode payload"))


def test_case_5_fragments():
    fails(WebSocket.frame(PING, b"fragment1", final=False) + WebSocket.frame(0, b"fragment2"))
    fails(WebSocket.frame(PONG, b"fragment1", final=False) + WebSocket.frame(0, b"fragment2"))
    socket = echo()
    two = socket.frame(TEXT, b"= 9 fragment1", final=False), socket.frame(0, b"fragment2")
    for part in two: socket.send_raw(part)
    equal(socket.value(), ("10", b"fragment1fragment2"))
    socket.send_raw(b"".join(two))
    equal(socket.value(), ("10", b"fragment1fragment2"))
    octets(socket, b"".join(two))
    equal(socket.value(), ("10", b"fragment1fragment2"))
    for send in (socket.send_raw, lambda data: octets(socket, data)):
        send(two[0] + socket.frame(PING, b"ping") + two[1])
        equal(socket.receive(), (PONG, b"ping"))
        equal(socket.value(), ("10", b"fragment1fragment2"))
    # 5.19: pings between five fragments
    socket.send(TEXT, b"= 9 fragment1", final=False)
    socket.send(0, b"fragment2", final=False)
    socket.send(PING, b"pongme 1!")
    equal(socket.receive(), (PONG, b"pongme 1!"))
    socket.send(0, b"fragment3", final=False)
    socket.send(0, b"fragment4", final=False)
    socket.send(PING, b"pongme 2!")
    equal(socket.receive(), (PONG, b"pongme 2!"))
    socket.send(0, b"fragment5")
    equal(socket.value(), ("10", b"fragment1fragment2fragment3fragment4fragment5"))
    # a binary in fragments, empty ones among them
    socket.say(": 9 4")
    socket.send(BINARY, b"", final=False)
    for part, final in ((b"a\n", False), (b"", False), (b"b\r", True)): socket.send(0, part, final=final)
    equal(socket.value(), ("10", b"a\nb\r"))
    socket.close()
    for final in (True, False):
        fails(WebSocket.frame(0, b"no continuation", final=final) + WebSocket.frame(TEXT, b"PING"))
    fails(WebSocket.frame(TEXT, b"PING a", final=False) + WebSocket.frame(TEXT, b"fragment2"))
    fails(WebSocket.frame(TEXT, b"PING a", final=False) + WebSocket.frame(0, b"b") + WebSocket.frame(0, b"no continuation", final=False))


GOOD = [
    "κόσμε".encode(), "Hello-µ@ßöäüàá-UTF-8!!".encode(), b"", b"\x00", b"\xc2\x80", b"\xe0\xa0\x80", b"\xf0\x90\x80\x80", b"\x7f",
    b"\xdf\xbf", b"\xef\xbf\xbf", b"\xf4\x8f\xbf\xbf", b"\xed\x9f\xbf", b"\xee\x80\x80", b"\xef\xbf\xbd", b"\xf0\x9f\xbf\xbf", b"\xf3\xbf\xbf\xbf",
    b"\xef\xbf\xbe", "\U0001f600\u2028\u202e".encode(),
]
BAD = [
    b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited", b"\xce", b"\xce\xba\xe1", b"\xce\xba\xe1\xbd", b"\xf8\x88\x80\x80\x80", b"\xfc\x84\x80\x80\x80\x80",
    b"\xf7\xbf\xbf\xbf", b"\xfb\xbf\xbf\xbf\xbf", b"\xfd\xbf\xbf\xbf\xbf\xbf", b"\xf4\x90\x80\x80", b"\x80", b"\xbf", b"\x80\xbf", b"\x80\xbf\x80\xbf\x80\xbf",
    bytes(range(0x80, 0xC0)), b" ".join(bytes([b]) for b in range(0xC0, 0xE0)), b"\xe0 ", b"\xf0 ", b"\xf8 ", b"\xfc ", b"\xc0", b"\xe0\x80", b"\xf0\x80\x80",
    b"\xf8\x80\x80\x80", b"\xfc\x80\x80\x80\x80", b"\xdf", b"\xef\xbf", b"\xf7\xbf\xbf", b"\xfe", b"\xff", b"\xfe\xfe\xff\xff", b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf",
    b"\xf8\x80\x80\x80\xaf", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf", b"\xc0\x80", b"\xed\xa0\x80", b"\xed\xad\xbf", b"\xed\xae\x80", b"\xed\xbf\xbf",
    b"\xed\xa0\x80\xed\xb0\x80", b"\xed\xaf\xbf\xed\xbf\xbf",
]


def test_case_6_utf8():
    socket = echo()
    for text in GOOD:
        for parts in ([text], [text[:1], text[1:]], [bytes([byte]) for byte in text]):
            frames = [socket.frame(TEXT, b"= 9 ", final=False)] + [socket.frame(0, part, final=False) for part in parts] + [socket.frame(0)]
            socket.send_raw(b"".join(frames))
            equal(socket.value(), ("10", text))
    socket.close()
    for text in BAD:
        fails(WebSocket.frame(TEXT, b"= 9 " + text), 1007)
        fails(WebSocket.frame(TEXT, b"= 9 ", final=False) + WebSocket.frame(0, text[:1], final=False) + WebSocket.frame(0, text[1:]), 1007)
    # 6.4: at once, not at the end of the message
    socket = echo()
    socket.send(TEXT, b"= 9 \xf4\x90", final=False)
    equal(socket.closed()[0], 1007)
    socket.close()


def test_case_7_close():
    def closes(payload, expected, before=b"", after=b""):
        socket = echo()
        socket.send_raw(before + socket.frame(CLOSE, payload) + after)
        code, _ = socket.closed()
        equal(code, expected)
        socket.close()

    normal = struct.pack(">H", 1000)
    closes(normal, 1000, before=WebSocket.frame(TEXT, b"PING"))
    closes(normal, 1000, after=WebSocket.frame(CLOSE, normal))
    closes(normal, 1000, after=WebSocket.frame(PING))
    closes(normal, 1000, after=WebSocket.frame(TEXT, b"PING"))
    closes(normal, 1000, before=WebSocket.frame(TEXT, b"fragment1", final=False), after=WebSocket.frame(0, b"fragment2"))
    closes(normal, 1000, before=WebSocket.frame(TEXT, b"= 9 " + b"*" * (256 << 10)), after=WebSocket.frame(PING))
    closes(b"", 1000)
    closes(b"\x03", 1002)
    closes(normal + b"Hello World!", 1000)
    closes(normal + b"*" * 123, 1000)
    fails(WebSocket.frame(CLOSE, normal + b"*" * 124))
    closes(normal + BAD[0], 1007)
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999): closes(struct.pack(">H", code), code)
    for code in (0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535): closes(struct.pack(">H", code), 1002)


def test_case_9_limits():
    """Long messages, in pieces of several sizes; what is longer than a value may be is refused before it comes."""
    socket = echo()
    longest = 1 << 20
    for length in (64 << 10, 256 << 10, longest):
        for piece in (64, 1000, 4096, 1 << 16):
            if length // piece > 4096: continue
            data = b"= 9 " + b"*" * length
            pieces = [data[start:start + piece] for start in range(0, len(data), piece)]
            frames = [socket.frame(0 if index else TEXT, part, final=index == len(pieces) - 1) for index, part in enumerate(pieces)]
            threading.Thread(target=socket.send_raw, args=(b"".join(frames),)).start()
            equal(socket.value(), ("10", b"*" * length))
    payload = os.urandom(longest)
    threading.Thread(target=socket.say_counted, args=(9, payload)).start()
    equal(socket.value(), ("10", payload))
    socket.close()
    fails(b"\x81\xff" + struct.pack(">Q", longest + 1000), 1009)
    fails(b"\x82\xff" + struct.pack(">Q", 1 << 62), 1009)
    fails(b"\x82\xff" + struct.pack(">Q", 1 << 63), 1002)
    fails(WebSocket.frame(TEXT, b"*" * (900 << 10), final=False) + b"\x80\xff" + struct.pack(">Q", 200 << 10), 1009)


def test_case_10_pieces():
    socket = echo()
    data = socket.frame(TEXT, b"= 9 " + b"*" * 65536)
    for start in range(0, len(data), 1300): socket.send_raw(data[start:start + 1300])
    equal(socket.value(), ("10", b"*" * 65536))
    socket.close()


def test_case_12_no_compression():
    socket = WebSocket(shared, Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
    assert "extensions" not in socket.answer.lower(), socket.answer
    socket.close()
    fails(b"\xc1\x80\x00\x00\x00\x00")


def test_unmasked_is_refused():
    fails(b"\x81\x04PING")


# ---- the door -----------------------------------------------------------------------------------


def refused(status, server=None, **options):
    try:
        WebSocket(server or shared, **options).close()
        raise AssertionError("was let in")
    except Refused as refusal:
        assert f" {status} " in str(refusal).split("\r\n")[0], refusal


def test_who_may_open_one():
    refused(400, protocol=None)
    refused(400, protocol="flow.2, chat")
    refused(426, Sec_WebSocket_Version="8")
    refused(426, Upgrade="h2c")
    refused(400, Connection="keep-alive")
    refused(400, Sec_WebSocket_Key="short")
    refused(421, Host="evil.example")
    for origin in ("http://evil.example", "null", "https://127.0.0.1.evil.example", f"http://evil.example/127.0.0.1:{shared.web}", "http://127.0.0.1:1"):
        refused(403, Origin=origin)
    WebSocket(shared, Origin=f"http://127.0.0.1:{shared.web}").close()
    WebSocket(shared, protocol="chat, flow.1", Connection="keep-alive, Upgrade").close()
    with Server("--http-origin", "http://app.example", "--http-origin", "null") as server:
        WebSocket(server, Origin="http://app.example").close()
        WebSocket(server, Origin="null").close()
        refused(403, server, Origin="http://app.example:8080")
        refused(403, server, Origin="https://app.example")


def test_client_is_for_all_origins():
    import http.client
    connection = http.client.HTTPConnection("127.0.0.1", shared.web)
    connection.request("GET", "/flow.js", headers={"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"})
    answer = connection.getresponse()
    body = answer.read().decode()
    equal((answer.status, answer.headers["Access-Control-Allow-Origin"], answer.headers["Cross-Origin-Resource-Policy"]), (200, "*", "cross-origin"))
    assert answer.headers["Content-Type"].startswith("text/javascript") and "export const connect" in body
    assert body.count("\n") <= 200, f"flow.js has {body.count(chr(10))} lines"
    connection.close()


def test_token_is_asked_for_by_the_session():
    with tempfile.NamedTemporaryFile("w") as tokens:
        tokens.write("sesame sub,send\n")
        tokens.flush()
        with Server("--token-file", tokens.name, lines=SUBJECTS) as server:
            socket = WebSocket(server)
            assert "auth=token" in socket.greeting
            equal(socket.ask("SUB taps 1"), "ERR denied authenticate first: AUTH TOKEN")
            equal(socket.ask("AUTH wrong"), "ERR denied unknown token")
            equal(socket.ask("AUTH sesame"), "OK auth")
            assert socket.ask("SUB taps 1").startswith("OK sub 1")
            socket.close()
            # Whoever has said none may not have much kept for him.
            socket = WebSocket(server)
            socket.send_raw(b"\x81\xff" + struct.pack(">Q", 100_000) + b"abcd")
            equal(socket.closed()[0], 1009)
            socket.close()


# ---- the protocol -------------------------------------------------------------------------------


def test_text_is_one_line():
    for line in ("PING\nQUIT", "PING\r", "\n"):
        socket = WebSocket(shared)
        socket.say(line)
        equal(socket.closed(), (1008, "a text message is one line"))
        socket.close()


def test_binary_follows_its_head():
    """Or what is in a value could be run as commands."""
    for say in (
        lambda s: s.send(BINARY, b"PING\n"),
        lambda s: (s.say(": 9 3"), s.send(BINARY, b"abcd\nQUIT")),
        lambda s: (s.say(": 9 3"), s.say("PING"), s.send(BINARY, b"abc")),
        lambda s: (s.say("= 9 3"), s.send(BINARY, b"abc")),
    ):
        socket = echo()
        say(socket)
        equal(socket.closed()[0], 1008)
        socket.close()


def test_values_that_are_not_utf8():
    """Anybody may send such; a text message may not contain them, or the browser would end the connection."""
    socket, netcat = WebSocket(shared), Netcat(shared)
    assert socket.ask("SUB taps max as=4").startswith("OK")
    for value in (b"\xff", b"a\xc0b c", b"\xe2\x82"):
        netcat.ask(b"SEND taps " + value)
        equal(socket.value(), ("4", value))
    netcat.ask("SEND taps after")
    equal(socket.value(), ("4", b"after"))
    socket.close()
    # In a TAIL they are payloads without a head, as all are.
    socket = WebSocket(shared)
    socket.say("TAIL raw")
    until(lambda: "to=1" in netcat.ask("SEND raw first"))
    equal(socket.receive(), (TEXT, b"first"))
    netcat.ask(b"SEND raw \xff")
    equal(socket.receive(), (BINARY, b"\xff"))
    netcat.ask("SEND raw : 1 5")
    equal(socket.receive(), (TEXT, b": 1 5"))
    netcat.ask("SEND raw after")
    equal(socket.receive(), (TEXT, b"after"))
    socket.close()
    netcat.close()


def test_feed_and_its_end():
    socket, netcat = WebSocket(shared), Netcat(shared)
    assert netcat.ask("SUB echo 5").startswith("OK")
    socket.say("FEED echo")
    for line in ("one", "", "TAIL echo", ": 1 5", "= 1 x"): socket.say(line)
    socket.say(".")
    equal(socket.text(), "OK feed echo sent=5 missed=0 refused=0")
    equal([netcat.line() for _ in range(5)], ["= 1 one", "= 1 ", "= 1 TAIL echo", "= 1 : 1 5", "= 1 = 1 x"])
    # Behind it frames are frames: TAIL was a value.
    assert socket.ask("SUB echo 1 as=3").startswith("OK"), "SUB"
    netcat.say("PUB echo as=9")
    netcat.socket.sendall(b": 9 3\na\nb\n")
    equal(socket.value(), ("3", b"a\nb"))
    socket.close()
    netcat.close()


def test_feed_waits_for_the_slowest():
    with Server(lines=SUBJECTS) as server:
        netcat, socket = Netcat(server), WebSocket(server)
        assert netcat.ask("SUB slow 1").startswith("OK")
        socket.say("FEED slow")
        for number in range(3): socket.say(str(number))
        socket.say(".")
        while not netcat.line().startswith("= 1 0"): pass
        assert socket.is_quiet()
        # The page goes: what it has sent is still taken, in order.
        socket.send(CLOSE, struct.pack(">H", 1000))
        socket.closed()
        socket.close()
        netcat.say("REQ 1 5")
        values = [line for line in (netcat.line() for _ in range(3)) if line.startswith("=")]
        equal(values, ["= 1 1", "= 1 2"])
        netcat.close()


def test_many_lines_then_close_are_all_taken():
    with Server(lines=SUBJECTS) as server:
        socket, netcat = WebSocket(server), Netcat(server)
        socket.send_raw(b"".join(socket.frame(TEXT, b"SEND taps %d" % n) for n in range(20_000)) + socket.frame(CLOSE))
        until(lambda: "published=20000" in shows(netcat, "taps"))
        socket.close()
        netcat.close()


def shows(netcat, name):
    netcat.say(f"SHOW {name}")
    rows = []
    while not (line := netcat.line()).startswith(("OK", "ERR")): rows.append(line)
    return "\n".join(rows)


def test_demand_is_what_is_sent():
    with Server(lines=SUBJECTS) as server:
        socket, netcat = WebSocket(server), Netcat(server)
        assert socket.ask("SUB taps 2 as=1").startswith("OK")
        netcat.say("FEED taps\n" + "\n".join(map(str, range(1000))) + "\n.")
        equal([socket.value(), socket.value()], [("1", b"0"), ("1", b"1")])
        assert socket.is_quiet()
        assert netcat.ask("PING") == "OK feed taps sent=1000 missed=998 refused=0" and netcat.line() == "PONG"
        assert "published=1000 delivered=2 missed=998" in shows(netcat, "taps")
        equal(socket.ask("CANCEL 1"), "OK cancel 1 values=2 missed=998 undelivered=0")
        socket.close()
        netcat.close()


# ---- ends ---------------------------------------------------------------------------------------


def clients(netcat):
    """How many others are connected."""
    return int(netcat.ask("LIST clients").split()[-1]) - 1


def test_ends():
    with Server(lines=SUBJECTS) as server:
        netcat = Netcat(server)
        for hello in (None, False):
            for end in (
                lambda s: (s.send(CLOSE, struct.pack(">H", 1000)), s.closed()), lambda s: s.reset(), lambda s: s.close(),
                lambda s: (s.socket.shutdown(socket.SHUT_WR)), lambda s: (s.say("QUIT"), s.closed()), lambda s: s.send_raw(b"\x81\xfe\x01"),
                lambda s: s.send(TEXT, b"half a message", final=False),
            ):
                websocket = WebSocket(server, hello=hello)
                websocket.say("SUB taps max as=1")
                websocket.say("PUB slow as=2")
                until(lambda: clients(netcat) == 1)
                end(websocket)
                websocket.close()
                if hello is False: netcat.ask("SEND taps gone"), time.sleep(0.05), netcat.ask("SEND taps gone")
                until(lambda: clients(netcat) == 0)
        # A session that says goodbye is heard whole, and then the end.
        websocket = WebSocket(server)
        websocket.say("QUIT")
        equal([websocket.text(), websocket.text()], ["OK quit", "BYE quit bye"])
        equal(websocket.closed(), (1000, "the session has ended"))
        websocket = WebSocket(server)
        number = re.search(r"\* client (\d+)", shows_clients(netcat)[-1])[1]
        assert netcat.ask(f"KILL CLIENT {number}").startswith("OK")
        equal(websocket.text(), "BYE killed ended by an administrator")
        equal(websocket.closed()[0], 1000)
        # TAIL ends with its publisher.
        websocket = WebSocket(server)
        websocket.say("TAIL taps")
        until(lambda: "to=1" in netcat.ask("SEND taps 1"))
        netcat.ask("DONE taps")
        equal(websocket.text(), "1")
        equal(websocket.closed()[0], 1000)
        netcat.close()


def shows_clients(netcat):
    netcat.say("LIST clients")
    rows = []
    while not (line := netcat.line()).startswith("OK"): rows.append(line)
    return rows


def test_what_was_asked_for_comes_before_the_end():
    """A session ends with megabytes on their way to a browser that reads slowly."""
    with Server(lines="SUBJECT kept replay 400\n") as server:
        netcat = Netcat(server)
        netcat.say("PUB kept as=9")
        payload = "*" * 10_000
        for _ in range(400): netcat.say(f"= 9 {payload}")
        netcat.ask("DONE 9")
        socket = WebSocket(server, receive=4096)
        socket.say("SUB kept 400")
        socket.say("QUIT")
        time.sleep(1)
        values = 0
        while True:
            opcode, data = socket.receive()
            if opcode == CLOSE: break
            values += data.startswith(b"= ")
            last = data
        equal((values, last), (400, b"BYE quit bye"))
        socket.close()
        netcat.close()


def test_shutdown_says_goodbye():
    with Server(lines=SUBJECTS) as server:
        idle, waiting, endless = WebSocket(server), WebSocket(server), WebSocket(server)
        assert waiting.ask("SUB taps 2 as=1").startswith("OK") and endless.ask("SUB taps max as=1").startswith("OK")
        netcat = Netcat(server)
        server.terminate()
        for socket in (idle, endless):
            lines = []
            while (frame := socket.receive())[0] == TEXT: lines.append(frame[1].decode())
            assert lines[-1].startswith("BYE shutdown"), lines
            equal((frame[0], struct.unpack(">H", frame[1][:2])[0]), (CLOSE, 1001))
            socket.eof()
        equal(waiting.text(), "DRAIN 30")
        waiting.say("SEND taps 1")
        waiting.say("SEND taps 2")
        lines = []
        while (frame := waiting.receive())[0] == TEXT: lines.append(frame[1].decode())
        assert "= 1 1" in lines and "= 1 2" in lines and lines[-1].startswith("BYE shutdown"), lines
        equal((frame[0], struct.unpack(">H", frame[1][:2])[0]), (CLOSE, 1001))
        waiting.eof()
        equal(server.process.wait(10), 0)


def test_shutdown_waits_for_nobody_who_does_not_read():
    with Server(lines="SUBJECT kept replay 400\n") as server:
        netcat = Netcat(server)
        netcat.say("PUB kept as=9")
        for _ in range(400): netcat.say(f"= 9 {'*' * 10_000}")
        netcat.ask("DONE 9")
        socket = WebSocket(server, receive=4096)
        socket.say("SUB kept 400")
        time.sleep(0.5)
        server.terminate()
        time.sleep(0.3)
        server.terminate()
        equal(server.process.wait(10), 0)
        socket.close()


# ---- hostile ones -------------------------------------------------------------------------------


def quick(netcat, limit=0.5):
    start = time.monotonic()
    assert netcat.ask("PING").startswith("PONG")
    assert (took := time.monotonic() - start) < limit, f"PING took {took:.3f} s"


def test_pings_without_reading():
    """Pongs do not pile up."""
    with Server() as server:
        netcat, socket = Netcat(server), WebSocket(server, receive=4096)
        before = server.memory()
        ping = WebSocket.frame(PING, b"x" * 125) * 1000
        socket.socket.settimeout(3)
        try:
            for _ in range(400): socket.send_raw(ping)
        except TimeoutError: pass
        assert (grown := server.memory() - before) < 16 << 20, f"{grown >> 20} MiB for pongs"
        quick(netcat)
        socket.close()
        netcat.close()


def test_never_reads():
    """Values that were asked for wait at their source; the server stays small and others are served."""
    with Server(lines="SUBJECT taps\nSUBJECT slow flow=slowest\n") as server:
        netcat = Netcat(server)
        sockets = [WebSocket(server, receive=4096) for _ in range(50)]
        for socket in sockets: socket.say("SUB taps max")
        until(lambda: "subscriptions=50" in shows(netcat, "taps"))
        before, feeder = server.memory(), Netcat(server)
        feeder.say("FEED taps")
        line, end = (b"*" * 10_000 + b"\n") * 50, time.monotonic() + 4
        while time.monotonic() < end:
            feeder.socket.sendall(line)
            quick(netcat)
        grown = server.memory() - before
        assert grown < 96 << 20, f"{grown >> 20} MiB for 50 that do not read"
        print(f"      50 that never read: {grown / 50 / 1024:.0f} KiB each", end="")
        for socket in sockets: socket.reset()
        until(lambda: clients(netcat) == 1)
        netcat.close()


def test_a_thousand():
    import resource
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most[1], most[1]))
    with Server(lines=SUBJECTS) as server:
        netcat, before = Netcat(server), server.memory()
        sockets = [WebSocket(server) for _ in range(1000)]
        for socket in sockets: socket.say("SUB taps 1 as=1")
        for socket in sockets: assert socket.text().startswith("OK sub")
        grown = server.memory() - before
        start = time.monotonic()
        assert "to=1000" in netcat.ask("SEND taps hello")
        for socket in sockets: equal(socket.value(), ("1", b"hello"))
        print(f"      1,000 at once: {grown / 1000 / 1024:.1f} KiB each, all told in {1000 * (time.monotonic() - start):.0f} ms", end="")
        quick(netcat)
        for socket in sockets: socket.close()
        until(lambda: clients(netcat) == 0)
        netcat.close()


def test_half_messages_are_charged():
    """What waits to become a message counts as held by the connection."""
    with Server("--memory", "64MiB") as server:
        netcat, sockets = Netcat(server), []
        for _ in range(150):
            try:
                socket = WebSocket(server)
                socket.socket.settimeout(1)
                socket.send(TEXT, b"*" * (1 << 20), final=False)
                sockets.append(socket)
            except (OSError, EOFError, AssertionError, Refused, TimeoutError): pass
        time.sleep(1)
        assert (taken := server.memory()) < 110 << 20, f"{taken >> 20} MiB"
        quick(netcat)
        for socket in sockets: socket.close()
        netcat.close()


def main():
    global shared
    words = sys.argv[1:]
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and (not words or any(word in name for word in words))]
    failed = []
    with Server(lines=SUBJECTS) as shared:
        for name, test in tests:
            start = time.monotonic()
            try:
                test()
                print(f"      ok {name.removeprefix('test_')} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception as error:
                import traceback
                traceback.print_exc()
                print(f"FAILED {name.removeprefix('test_')}: {type(error).__name__} {error}", flush=True)
                failed.append(name)
        if shared.process.poll() is not None: failed.append(f"the server ended with {shared.process.returncode}: {open(shared.log).read()[-2000:]}")
    if failed: sys.exit(f"failed: {', '.join(failed)}")
    print(f"{len(tests)} tests of the WebSocket have passed")


if __name__ == "__main__": main()

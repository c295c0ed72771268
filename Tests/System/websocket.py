#!/usr/bin/env python3
"""Tests the protocol over a WebSocket with a live server.

    websocket.py [WORD…]     all tests, or those whose names contain one of the words

The tests `case_N` follow the numbered cases of the Autobahn test suite. Where Autobahn expects an
echo, they send a value to a subject and read it back.
"""
import contextlib
import os
import re
import resource
import struct
import sys
import threading
import time

from live import BINARY, CLOSE, PING, PONG, TEXT, Refused, Server, WebSocketClient, equal, get, run, until

SUBJECTS = "SUBJECT echo\nSUBJECT taps\nSUBJECT slow flow=slowest\nSUBJECT raw\n"


def echo():
    """Opens a WebSocket that publishes to a subject as stream 9 and receives its values as stream 10."""
    socket = WebSocketClient(shared)
    name = f"e{os.urandom(8).hex()}"
    for command in (f"SUBJECT {name}", f"PUB {name} as=9", f"SUB {name} max as=10"): socket.do(command)
    return socket


# ---- Autobahn's cases ---------------------------------------------------------------------------


def fails(data, code=1002):
    """Sends `data`; expects the server to close with `code`."""
    socket = echo()
    socket.send(data)
    equal(socket.closed()[0], code)
    socket.close()


def octets(socket, data):
    socket.socket.setsockopt(6, 1, 1)  # TCP_NODELAY
    for byte in data: socket.send(bytes([byte]))


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
    for start in range(0, len(data), 997): socket.send(data[start:start + 997])
    equal(socket.value(), ("10", b"*" * 65536))
    socket.close()


def test_case_2_pings():
    socket = echo()
    for payload in (b"", b"Hello, world!", b"\x00\xff\xfe\xfd\xfc\xfb\x00\xff", b"\xfe" * 125):
        socket.send_frame(PING, payload)
        equal(socket.next_frame(), (PONG, payload))
    octets(socket, socket.frame(PING, b"\xfe" * 125))
    equal(socket.next_frame(), (PONG, b"\xfe" * 125))
    socket.send_frame(PONG)
    socket.send_frame(PONG, b"unsolicited")
    socket.send_frame(PING, b"after it")
    equal(socket.next_frame(), (PONG, b"after it"))
    for number in range(10):
        socket.send_frame(PING, b"payload-%d" % number)
    for number in range(10): equal(socket.next_frame(), (PONG, b"payload-%d" % number))
    socket.close()
    fails(WebSocketClient.frame(PING, b"\xfe" * 126))


def test_case_3_reserved_bits():
    for bits in range(1, 8):
        fails(WebSocketClient.frame(TEXT, b"PING", reserved=bits))
        fails(WebSocketClient.frame(BINARY, b"PING", reserved=bits))
    fails(WebSocketClient.frame(TEXT, b"PING") + WebSocketClient.frame(PING, reserved=2))
    fails(WebSocketClient.frame(CLOSE, reserved=7))


def test_case_4_opcodes():
    for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
        fails(WebSocketClient.frame(opcode))
        fails(WebSocketClient.frame(TEXT, b"PING") + WebSocketClient.frame(opcode, b"reserved opcode payload"))


def test_case_5_fragments():
    fails(WebSocketClient.frame(PING, b"fragment1", final=False) + WebSocketClient.frame(0, b"fragment2"))
    fails(WebSocketClient.frame(PONG, b"fragment1", final=False) + WebSocketClient.frame(0, b"fragment2"))
    socket = echo()
    two = socket.frame(TEXT, b"= 9 fragment1", final=False), socket.frame(0, b"fragment2")
    for part in two: socket.send(part)
    equal(socket.value(), ("10", b"fragment1fragment2"))
    socket.send(b"".join(two))
    equal(socket.value(), ("10", b"fragment1fragment2"))
    octets(socket, b"".join(two))
    equal(socket.value(), ("10", b"fragment1fragment2"))
    for send in (socket.send, lambda data: octets(socket, data)):
        send(two[0] + socket.frame(PING, b"ping") + two[1])
        equal(socket.next_frame(), (PONG, b"ping"))
        equal(socket.value(), ("10", b"fragment1fragment2"))
    # 5.19: pings between five fragments
    socket.send_frame(TEXT, b"= 9 fragment1", final=False)
    socket.send_frame(0, b"fragment2", final=False)
    socket.send_frame(PING, b"pongme 1!")
    equal(socket.next_frame(), (PONG, b"pongme 1!"))
    socket.send_frame(0, b"fragment3", final=False)
    socket.send_frame(0, b"fragment4", final=False)
    socket.send_frame(PING, b"pongme 2!")
    equal(socket.next_frame(), (PONG, b"pongme 2!"))
    socket.send_frame(0, b"fragment5")
    equal(socket.value(), ("10", b"fragment1fragment2fragment3fragment4fragment5"))
    # a binary in fragments, empty ones among them
    socket.say(": 9 4")
    socket.send_frame(BINARY, b"", final=False)
    for part, final in ((b"a\n", False), (b"", False), (b"b\r", True)): socket.send_frame(0, part, final=final)
    equal(socket.value(), ("10", b"a\nb\r"))
    socket.close()
    for final in (True, False):
        fails(WebSocketClient.frame(0, b"no continuation", final=final) + WebSocketClient.frame(TEXT, b"PING"))
    fails(WebSocketClient.frame(TEXT, b"PING a", final=False) + WebSocketClient.frame(TEXT, b"fragment2"))
    fails(WebSocketClient.frame(TEXT, b"PING a", final=False) + WebSocketClient.frame(0, b"b") + WebSocketClient.frame(0, b"no continuation", final=False))


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
            socket.send(b"".join(frames))
            equal(socket.value(), ("10", text))
    socket.close()
    for text in BAD:
        fails(WebSocketClient.frame(TEXT, b"= 9 " + text), 1007)
        fails(WebSocketClient.frame(TEXT, b"= 9 ", final=False) + WebSocketClient.frame(0, text[:1], final=False) + WebSocketClient.frame(0, text[1:]), 1007)
    # 6.4: invalid text fails at once, not at the end of the message
    socket = echo()
    socket.send_frame(TEXT, b"= 9 \xf4\x90", final=False)
    equal(socket.closed()[0], 1007)
    socket.close()


def test_case_7_close():
    def closes(payload, expected, before=b"", after=b""):
        socket = echo()
        socket.send(before + socket.frame(CLOSE, payload) + after)
        code, _ = socket.closed()
        equal(code, expected)
        socket.close()

    normal = struct.pack(">H", 1000)
    closes(normal, 1000, before=WebSocketClient.frame(TEXT, b"PING"))
    closes(normal, 1000, after=WebSocketClient.frame(CLOSE, normal))
    closes(normal, 1000, after=WebSocketClient.frame(PING))
    closes(normal, 1000, after=WebSocketClient.frame(TEXT, b"PING"))
    closes(normal, 1000, before=WebSocketClient.frame(TEXT, b"fragment1", final=False), after=WebSocketClient.frame(0, b"fragment2"))
    closes(normal, 1000, before=WebSocketClient.frame(TEXT, b"= 9 " + b"*" * (256 << 10)), after=WebSocketClient.frame(PING))
    closes(b"", 1000)
    closes(b"\x03", 1002)
    closes(normal + b"Hello World!", 1000)
    closes(normal + b"*" * 123, 1000)
    fails(WebSocketClient.frame(CLOSE, normal + b"*" * 124))
    closes(normal + BAD[0], 1007)
    for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999): closes(struct.pack(">H", code), code)
    for code in (0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65535): closes(struct.pack(">H", code), 1002)


def test_case_9_limits():
    """Long messages, in pieces of several sizes; a message over the limit of a value is refused by its header."""
    socket = echo()
    longest = 1 << 20
    for length in (64 << 10, 256 << 10, longest):
        for piece in (64, 1000, 4096, 1 << 16):
            if length // piece > 4096: continue
            data = b"= 9 " + b"*" * length
            pieces = [data[start:start + piece] for start in range(0, len(data), piece)]
            frames = [socket.frame(0 if index else TEXT, part, final=index == len(pieces) - 1) for index, part in enumerate(pieces)]
            threading.Thread(target=socket.send, args=(b"".join(frames),)).start()
            equal(socket.value(), ("10", b"*" * length))
    payload = os.urandom(longest)
    threading.Thread(target=socket.say_counted, args=(9, payload)).start()
    equal(socket.value(), ("10", payload))
    socket.close()
    fails(b"\x81\xff" + struct.pack(">Q", longest + 1000), 1009)
    fails(b"\x82\xff" + struct.pack(">Q", 1 << 62), 1009)
    fails(b"\x82\xff" + struct.pack(">Q", 1 << 63), 1002)
    fails(WebSocketClient.frame(TEXT, b"*" * (900 << 10), final=False) + b"\x80\xff" + struct.pack(">Q", 200 << 10), 1009)


def test_case_10_pieces():
    socket = echo()
    data = socket.frame(TEXT, b"= 9 " + b"*" * 65536)
    for start in range(0, len(data), 1300): socket.send(data[start:start + 1300])
    equal(socket.value(), ("10", b"*" * 65536))
    socket.close()


def test_case_12_no_compression():
    socket = WebSocketClient(shared, Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
    assert "extensions" not in socket.answer.lower(), socket.answer
    socket.close()
    fails(b"\xc1\x80\x00\x00\x00\x00")


def test_unmasked_is_refused():
    fails(b"\x81\x04PING")


# ---- opening a connection -----------------------------------------------------------------------


def refused(status, server=None, **options):
    try:
        WebSocketClient(server or shared, **options).close()
        raise AssertionError("was not refused")
    except Refused as refusal:
        assert f" {status} " in str(refusal).split("\r\n")[0], refusal


def test_opening():
    refused(400, protocol=None)
    refused(400, protocol="flow.2, chat")
    refused(426, Sec_WebSocket_Version="8")
    refused(426, Upgrade="h2c")
    refused(400, Connection="keep-alive")
    refused(400, Sec_WebSocket_Key="short")
    refused(421, Host="evil.example")
    for origin in ("http://evil.example", "null", "https://127.0.0.1.evil.example", f"http://evil.example/{shared.web}", "http://127.0.0.1:1"):
        refused(403, Origin=origin)
    WebSocketClient(shared, Origin=f"http://{shared.web}").close()
    WebSocketClient(shared, protocol="chat, flow.1", Connection="keep-alive, Upgrade").close()
    with Server("", "--http-origin", "http://app.example", "--http-origin", "null") as server:
        WebSocketClient(server, Origin="http://app.example").close()
        WebSocketClient(server, Origin="null").close()
        refused(403, server, Origin="http://app.example:8080")
        refused(403, server, Origin="https://app.example")


def test_every_origin_may_load_flow_js():
    answer = get(shared.web, "/flow.js", Sec_Fetch_Site="cross-site", Origin="http://evil.example")
    equal((answer.status, answer.headers["Access-Control-Allow-Origin"], answer.headers["Cross-Origin-Resource-Policy"]), (200, "*", "cross-origin"))
    assert answer.headers["Content-Type"].startswith("text/javascript") and "export const connect" in answer.body
    lines = answer.body.count("\n")
    assert lines <= 250, f"flow.js has {lines} lines"


def test_session_requires_a_token():
    with Server(SUBJECTS, "--token-file", "{folder}/tokens", files=[("tokens", "sesame sub,send\n")]) as server:
        socket = WebSocketClient(server)
        assert "auth=token" in socket.greeting
        equal(socket.ask("SUB taps 1"), "ERR denied authenticate first: AUTH TOKEN")
        equal(socket.ask("AUTH wrong"), "ERR denied unknown token")
        equal(socket.ask("AUTH sesame"), "OK auth")
        socket.do("SUB taps 1")
        socket.close()
        # Before AUTH a message may only be short.
        socket = WebSocketClient(server)
        socket.send(b"\x81\xff" + struct.pack(">Q", 100_000) + b"abcd")
        equal(socket.closed()[0], 1009)
        socket.close()


# ---- the protocol -------------------------------------------------------------------------------


def test_text_is_one_line():
    for line in ("PING\nQUIT", "PING\r", "\n"):
        socket = WebSocketClient(shared)
        socket.say(line)
        equal(socket.closed(), (1008, "a text message is one line"))
        socket.close()


def test_binary_follows_its_head():
    """Otherwise the bytes of a value could be run as commands."""
    for say in (
        lambda s: s.send_frame(BINARY, b"PING\n"),
        lambda s: (s.say(": 9 3"), s.send_frame(BINARY, b"abcd\nQUIT")),
        lambda s: (s.say(": 9 3"), s.say("PING"), s.send_frame(BINARY, b"abc")),
        lambda s: (s.say("= 9 3"), s.send_frame(BINARY, b"abc")),
    ):
        socket = echo()
        say(socket)
        equal(socket.closed()[0], 1008)
        socket.close()


def test_values_that_are_not_utf8():
    """Such a value comes in a binary message: a browser would end the connection for a text that is no UTF-8."""
    socket, netcat = WebSocketClient(shared), shared.client()
    socket.do("SUB taps max as=4")
    for value in (b"\xff", b"a\xc0b c", b"\xe2\x82"):
        netcat.ask(b"SEND taps " + value)
        equal(socket.value(), ("4", value))
    netcat.ask("SEND taps after")
    equal(socket.value(), ("4", b"after"))
    socket.close()
    # A TAIL sends payloads alone, without a head.
    socket = WebSocketClient(shared)
    socket.say("TAIL raw")
    until("the TAIL to get a value", lambda: "to=1" in netcat.ask("SEND raw first"))
    equal(socket.next_frame(), (TEXT, b"first"))
    netcat.ask(b"SEND raw \xff")
    equal(socket.next_frame(), (BINARY, b"\xff"))
    netcat.ask("SEND raw : 1 5")
    equal(socket.next_frame(), (TEXT, b": 1 5"))
    netcat.ask("SEND raw after")
    equal(socket.next_frame(), (TEXT, b"after"))
    socket.close()
    netcat.close()


def test_feed_and_its_end():
    socket, netcat = WebSocketClient(shared), shared.client()
    netcat.do("SUB echo 5")
    socket.say("FEED echo")
    for line in ("one", "", "TAIL echo", ": 1 5", "= 1 x"): socket.say(line)
    socket.say(".")
    equal(socket.line(), "OK feed echo sent=5 missed=0 refused=0")
    equal([netcat.line() for _ in range(5)], ["= 1 one", "= 1 ", "= 1 TAIL echo", "= 1 : 1 5", "= 1 = 1 x"])
    # After the FEED, messages are commands again; its TAIL was only a value.
    socket.do("SUB echo 1 as=3")
    netcat.say("PUB echo as=9")
    netcat.send(b": 9 3\na\nb\n")
    equal(socket.value(), ("3", b"a\nb"))
    socket.close()
    netcat.close()


def test_feed_waits_for_the_slowest():
    with Server(SUBJECTS) as server:
        netcat, socket = server.client(), WebSocketClient(server)
        netcat.do("SUB slow 1")
        socket.say("FEED slow")
        for number in range(3): socket.say(str(number))
        socket.say(".")
        netcat.until("= 1 0")
        assert socket.is_quiet()
        # Lines that were sent before the close are still taken, in order.
        socket.send_frame(CLOSE, struct.pack(">H", 1000))
        socket.closed()
        socket.close()
        netcat.say("REQ 1 5")
        values = [line for line in (netcat.line() for _ in range(3)) if line.startswith("=")]
        equal(values, ["= 1 1", "= 1 2"])
        netcat.close()


def test_many_lines_then_close_are_all_taken():
    with Server(SUBJECTS) as server:
        socket, netcat = WebSocketClient(server), server.client()
        socket.send(b"".join(socket.frame(TEXT, b"SEND taps %d" % n) for n in range(20_000)) + socket.frame(CLOSE))
        until("20,000 values to be published", lambda: "published=20000" in shows(netcat, "taps"))
        socket.close()
        netcat.close()


def shows(netcat, name):
    return "\n".join(netcat.rows(f"SHOW {name}"))


def test_no_more_values_than_demanded():
    with Server(SUBJECTS) as server:
        socket, netcat = WebSocketClient(server), server.client()
        socket.do("SUB taps 2 as=1")
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
    """Returns how many other clients are connected."""
    return int(netcat.ask("LIST clients").split()[-1]) - 1


def test_ends():
    with Server(SUBJECTS) as server:
        netcat = server.client()
        for hello in (None, False):
            for end in (
                lambda s: (s.send_frame(CLOSE, struct.pack(">H", 1000)), s.closed()), lambda s: s.reset(), lambda s: s.close(),
                lambda s: (s.end_input()), lambda s: (s.say("QUIT"), s.closed()), lambda s: s.send(b"\x81\xfe\x01"),
                lambda s: s.send_frame(TEXT, b"half a message", final=False),
            ):
                websocket = WebSocketClient(server, hello=hello)
                websocket.say("SUB taps max as=1")
                websocket.say("PUB slow as=2")
                until("the client to be listed", lambda: clients(netcat) == 1)
                end(websocket)
                websocket.close()
                if hello is False:
                    netcat.ask("SEND taps gone")
                    time.sleep(0.05)
                    netcat.ask("SEND taps gone")
                until("all clients to be gone", lambda: clients(netcat) == 0)
        # QUIT gets its answer and BYE before the close frame.
        websocket = WebSocketClient(server)
        websocket.say("QUIT")
        equal([websocket.line(), websocket.line()], ["OK quit", "BYE quit bye"])
        equal(websocket.closed(), (1000, "the session has ended"))
        websocket = WebSocketClient(server)
        number = re.search(r"\* client (\d+)", netcat.rows("LIST clients")[-1])[1]
        netcat.do(f"KILL CLIENT {number}")
        equal(websocket.line(), "BYE killed ended by an administrator")
        equal(websocket.closed()[0], 1000)
        # TAIL ends with its publisher.
        websocket = WebSocketClient(server)
        websocket.say("TAIL taps")
        until("the TAIL to get a value", lambda: "to=1" in netcat.ask("SEND taps 1"))
        netcat.ask("DONE taps")
        equal(websocket.line(), "1")
        equal(websocket.closed()[0], 1000)
        netcat.close()


def test_slow_reader_gets_all_values_before_the_end():
    """QUIT with 4 MB still unsent, to a browser that reads slowly."""
    with Server("SUBJECT kept replay 400\n") as server:
        netcat = server.client()
        netcat.say("PUB kept as=9")
        payload = "*" * 10_000
        for _ in range(400): netcat.say(f"= 9 {payload}")
        netcat.ask("DONE 9")
        socket = WebSocketClient(server, room=4096)
        socket.say("SUB kept 400")
        socket.say("QUIT")
        time.sleep(1)
        values = 0
        while True:
            opcode, data = socket.next_frame()
            if opcode == CLOSE: break
            values += data.startswith(b"= ")
            last = data
        equal((values, last), (400, b"BYE quit bye"))
        socket.close()
        netcat.close()


def test_shutdown_says_goodbye():
    with Server(SUBJECTS) as server:
        idle, waiting, endless = WebSocketClient(server), WebSocketClient(server), WebSocketClient(server)
        waiting.do("SUB taps 2 as=1")
        endless.do("SUB taps max as=1")
        server.terminate()
        for socket in (idle, endless):
            lines = []
            while (frame := socket.next_frame())[0] == TEXT: lines.append(frame[1].decode())
            assert lines[-1].startswith("BYE shutdown"), lines
            equal((frame[0], struct.unpack(">H", frame[1][:2])[0]), (CLOSE, 1001))
            socket.ends()
        equal(waiting.line(), "DRAIN 30")
        waiting.say("SEND taps 1")
        waiting.say("SEND taps 2")
        lines = []
        while (frame := waiting.next_frame())[0] == TEXT: lines.append(frame[1].decode())
        assert "= 1 1" in lines and "= 1 2" in lines and lines[-1].startswith("BYE shutdown"), lines
        equal((frame[0], struct.unpack(">H", frame[1][:2])[0]), (CLOSE, 1001))
        waiting.ends()
        equal(server.process.wait(10), 0)


def test_second_signal_ends_without_waiting_for_a_reader():
    with Server("SUBJECT kept replay 400\n") as server:
        netcat = server.client()
        netcat.say("PUB kept as=9")
        for _ in range(400): netcat.say(f"= 9 {'*' * 10_000}")
        netcat.ask("DONE 9")
        socket = WebSocketClient(server, room=4096)
        socket.say("SUB kept 400")
        time.sleep(0.5)
        server.terminate()
        time.sleep(0.3)
        server.terminate()
        equal(server.process.wait(10), 0)
        socket.close()


# ---- hostile clients ----------------------------------------------------------------------------


def quick(netcat, limit=0.5):
    start = time.monotonic()
    netcat.do("PING")
    assert (took := time.monotonic() - start) < limit, f"PING took {took:.3f} s"


def test_pings_without_reading():
    """The server does not store pongs for a client that does not read."""
    with Server() as server:
        netcat, socket = server.client(), WebSocketClient(server, room=4096)
        before = server.memory
        ping = WebSocketClient.frame(PING, b"x" * 125) * 1000
        with contextlib.suppress(TimeoutError):
            for _ in range(400):
                socket.send(ping, 3)
        assert (grown := server.memory - before) < 16 << 20, f"{grown >> 20} MiB for pongs"
        quick(netcat)
        socket.close()
        netcat.close()


def test_never_reads():
    """Clients that never read cost little memory and do not slow down others."""
    with Server("SUBJECT taps\nSUBJECT slow flow=slowest\n") as server:
        netcat = server.client()
        sockets = [WebSocketClient(server, room=4096) for _ in range(50)]
        for socket in sockets: socket.say("SUB taps max")
        until("50 subscriptions", lambda: "subscriptions=50" in shows(netcat, "taps"))
        before, feeder = server.memory, server.client()
        feeder.say("FEED taps")
        line, end = (b"*" * 10_000 + b"\n") * 50, time.monotonic() + 4
        while time.monotonic() < end:
            feeder.send(line)
            quick(netcat)
        grown = server.memory - before
        assert grown < 96 << 20, f"{grown >> 20} MiB for 50 that do not read"
        for socket in sockets: socket.reset()
        until("the end of the 50 clients", lambda: clients(netcat) == 1)
        netcat.close()
    return f"50 that never read: {grown / 50 / 1024:.0f} KiB each"


def test_a_thousand_clients():
    most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most[1], most[1]))
    with Server(SUBJECTS) as server:
        netcat, before = server.client(), server.memory
        sockets = [WebSocketClient(server) for _ in range(1000)]
        for socket in sockets: socket.say("SUB taps 1 as=1")
        for socket in sockets: assert socket.line().startswith("OK sub")
        grown = server.memory - before
        start = time.monotonic()
        assert "to=1000" in netcat.ask("SEND taps hello")
        for socket in sockets: equal(socket.value(), ("1", b"hello"))
        took = time.monotonic() - start
        quick(netcat)
        for socket in sockets: socket.close()
        until("all clients to be gone", lambda: clients(netcat) == 0)
        netcat.close()
    return f"1,000 at once: {grown / 1000 / 1024:.1f} KiB each, all told in {1000 * took:.0f} ms"


def test_half_messages_are_charged():
    """An unfinished message counts towards the memory limit."""
    with Server("", "--memory", "64MiB") as server:
        netcat, sockets = server.client(), []
        for _ in range(150):
            with contextlib.suppress(OSError, EOFError, AssertionError):
                socket = WebSocketClient(server)
                socket.send(socket.frame(TEXT, b"*" * (1 << 20), final=False), 1)
                sockets.append(socket)
        time.sleep(1)
        assert (taken := server.memory) < 110 << 20, f"{taken >> 20} MiB"
        quick(netcat)
        for socket in sockets: socket.close()
        netcat.close()


if __name__ == "__main__":
    with Server(SUBJECTS) as shared:
        code = run(__name__, sys.argv[1:])
    sys.exit(code)

#!/usr/bin/env python3
"""Tests the server's HTTP answers without a browser.

    web.py [WORD…]     all tests, or those whose names contain one of the words
"""

import contextlib
import http.client
import json
import re
import socket
import sys
import time
import urllib.parse

from live import Server, run, until
from scenes import SCENES, play


def request(path="/healthz", method="GET", *headers):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


def dial(server, sent=b"", room=None):
    """Opens a plain connection to the HTTP port and sends `sent`; `room` limits its receive buffer."""
    host, port = server.web.split(":")
    link = socket.socket()
    if room:
        link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    link.settimeout(10)
    link.connect((host, int(port)))
    link.sendall(sent)
    return link


def events(server, query="", count=2):
    """Returns the first events of a stream, as (kind, data)."""
    found = []
    with contextlib.closing(http.client.HTTPConnection(server.web, timeout=10)) as connection:
        connection.request("GET", f"/events{query}")
        answer = connection.getresponse()
        while len(found) < count:
            kind = answer.readline().decode().removeprefix("event: ").strip()
            data = answer.readline().decode().removeprefix("data: ")
            answer.readline()
            found.append((kind, json.loads(data)))
    return found


def read(link, seconds=10):
    """Reads until the connection ends, or for `seconds`."""
    got, end = b"", time.monotonic() + seconds
    link.settimeout(seconds)
    try:
        while time.monotonic() < end and (part := link.recv(65536)):
            got += part
    except (TimeoutError, ConnectionError):
        pass
    return got


def status(answer):
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else None


def test_answers():
    """types, headers, HEAD, methods, hosts and other sites"""
    with Server("SUBJECT taps\n") as server:
        kinds = {
            "/": "text/html", "/page.css": "text/css", "/page.js": "text/javascript", "/v1/topology": "application/json",
            "/v1/try?expr=taps": "application/json", "/v1/graph.dot": "text/vnd.graphviz", "/metrics": "text/plain",
            "/healthz": "text/plain", "/readyz": "text/plain", "/login": "text/html",
        }
        for path, kind in kinds.items():
            code, headers, body = server.get(path)
            assert code == 200 and headers["Content-Type"].startswith(kind), (path, code, headers["Content-Type"])
            assert "default-src 'none'" in headers["Content-Security-Policy"], path
            assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store", path
            code, headers, none = server.get(path, "HEAD")
            assert code == 200 and none == "" and (path == "/metrics" or int(headers["Content-Length"]) == len(body.encode())), path
        code, headers, _ = server.get("/", "POST")
        assert code == 405 and headers["Allow"] == "GET, HEAD"
        assert server.get("/nothing")[0] == 404
        assert server.get("/", Host="evil.example")[0] == 421 and server.get("/", Host="evil.example:80")[0] == 421
        assert server.get("/", Host="[::1]:80")[0] == 200 and server.get("/", Host="flow.localhost")[0] == 200
        for path in ("/events", "/v1/topology", "/metrics", "/v1/try?expr=taps"):
            assert server.get(path, Sec_Fetch_Site="cross-site")[0] == 403, path
        assert server.get("/", Sec_Fetch_Site="cross-site")[0] == 200
        files = "".join(server.get(path)[2] for path in ("/", "/page.js", "/page.css"))
        assert "http" not in re.sub(r"http://www\.w3\.org/\d+/svg", "", files), "the page refers to another host"
        link = dial(server, request("/healthz") * 3 + request("/nothing") + request("/healthz", "GET", "Connection: close"))
        codes = [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+)", read(link))]
        assert codes == [200, 200, 200, 404, 200], codes


def test_told():
    """the members of topology, samples and tapes, and their kinds"""
    with Server(SCENES) as server:
        parts = play(server)
        events(server, "?watch=resized", 12)
        (first, topology), (second, sample), *_ = events(server, "?watch=resized")
        assert (first, second) == ("topology", "sample")
        assert {"server", "total", "names", "watched", "sources", "operators"} <= set(topology)
        assert {"version", "started", "values"} <= set(topology["server"])
        assert "flatMap" in topology["operators"] and "Just" in topology["sources"]
        assert all({"name", "kind", "stages"} <= set(name) for name in topology["names"]) and topology["total"] == len(topology["names"])
        kinds = {name["name"]: name for name in topology["names"]}
        assert kinds["sums"]["kind"] == "run" and kinds["sums"]["feeds"] == "totals" and kinds["taps"]["kind"] == "subject"
        source, stage = topology["watched"]["stages"]
        assert source["op"] == "subject" and source["flow"] == "slowest" and stage["publishers"] == 4
        assert stage["inner"] == [{"text": "ask(resize, $0)", "asks": "resize"}], stage["inner"]
        assert {"at", "server", "all", "watched"} <= set(sample)
        assert {"connections", "streams", "busy", "in", "out"} <= set(sample["server"])
        assert set(sample["all"]) == set(kinds) and all(len(row) >= 6 for row in sample["all"].values())
        for stage in sample["watched"]["stages"]:
            assert {"in", "out", "dropped", "asked", "held", "most", "time"} <= set(stage) and len(stage["time"]) == 3
            assert stage["asked"] == "max" or stage["asked"] >= 0
        (service,) = sample["watched"]["stages"][1]["services"]
        assert {"name", "workers", "waiting", "running"} <= set(service) and service["workers"] == 1, service
        assert {"code", "text"} <= set(sample["watched"]["verdict"])
        row = sample["watched"]["subscribers"]["rows"][0]
        assert {"client", "id", "label", "asked", "values", "missed", "stalled"} <= set(row) and row["label"].endswith("(quick)")
        assert events(server, "?watch=nothing", 1)[0][1]["watched"] is None
        assert '"slow-stage"' in server.get("/v1/graph.dot")[2]
        for part in parts:
            part.isOver = True


def tried(server, **query):
    return json.loads(server.get("/v1/try?" + urllib.parse.urlencode(query, doseq=True))[2])


def test_tapes():
    """later demand does not change earlier events"""
    with Server("SUBJECT taps\n") as server:
        text = "taps.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest).map { $0 * 10 }"
        short, more = [tried(server, expr=text, ticks=40, ask=ask, **{"in": "taps 1-2-3-4-5-6-7"}) for ask in ("2", "2-----------3")]
        assert [value for _, value in short["stages"][-1]["out"]] == ["10", "20"], short
        assert len(more["stages"][-1]["out"]) == 5, more
        for a, b in zip(short["stages"], more["stages"]):
            assert [event for event in a["out"] if event[0] < 12] == [event for event in b["out"] if event[0] < 12]
        assert "test \"tried\"" in short["test"]
        error = tried(server, expr="taps\n  .fliter { $0 }")["error"]
        assert (error["line"], error["columnInLine"], error["length"]) == (2, 4, 6) and "filter" in error["text"], error
        inner = tried(server, expr="taps.flatMap { Just($0).delay(for: 1) }", ask="u", **{"in": "taps 1-2"})["inner"]
        assert [stage["in"] for stage in inner] == [1, 1] and inner[0]["begun"] == 2, inner


def let_in(server):
    """Connects until the server answers with 200; it may still count a closed connection for a moment."""

    def dialed():
        connection = dial(server, request())
        if status(connection.recv(65536)) == 200:
            return connection
        connection.close()

    return until("a connection to be answered with 200", dialed, 10)


def test_bounds():
    """a head over 8 KiB, a slow head and the 17th event stream are refused; the 65th connection is answered"""
    with Server("SUBJECT taps\n") as server:
        slow = dial(server, b"GET / HTTP/1.1\r\nHost: local")
        began = time.monotonic()
        assert status(read(dial(server, request("/", "GET", "X: " + "x" * 9000)))) == 431
        answer = read(slow, 8)
        assert status(answer) == 408 and 4 < time.monotonic() - began < 7.5, (answer[:40], time.monotonic() - began)
        streams = [dial(server, request("/events")) for _ in range(16)]
        for stream in streams:
            assert status(stream.recv(65536)) == 200
        assert server.get("/events")[0] == 503
        assert server.get("/events", "HEAD")[0] == 503 and server.get("/healthz")[0] == 200
        others = [let_in(server) for _ in range(48)]
        for _ in range(100):
            assert status(dial(server, request()).recv(65536)) == 200, "the 65th connection"
        assert read(others[0], 2) == b"", "the one that waits for longest goes on"
        streams.pop().close()
        time.sleep(0.2)
        stream = dial(server, request("/events"))
        assert status(stream.recv(65536)) == 200, "no room after a stream has closed"


def test_unread():
    """a client that does not read gets only the latest sample, and costs no memory"""
    pipelines = "".join(f"PIPELINE sensor-{n} = taps.map {{ $0 + {n} }}\n" for n in range(300))
    with Server("SUBJECT taps\n" + pipelines) as server:
        readers = [dial(server, request("/events?watch=sensor-1"), room=4096) for _ in range(12)]
        time.sleep(4)  # now the buffers of the kernel and the server are full
        before = server.memory
        time.sleep(5)
        after = server.memory
        assert after - before < 2 << 20, f"{(after - before) / 1e6:.1f} MB more in 5 s"
        got = read(readers[0], 2)
        times = [int(at) for at in re.findall(rb'event: sample\ndata: \{"at":(\d+)', got)]
        assert 2 <= len(times) < 16, f"{len(times)} samples in 11 s: they piled up"
        assert times[-1] - times[0] > 6_000 and times == sorted(times), times
        return f"{len(times)} samples of 11 s; {(after - before) / 1e6:+.1f} MB in 5 s"


def test_halfopen():
    """300 connections with half a request do not slow down a client's PING"""
    with Server("SUBJECT taps\n") as server:
        client = server.client("HELLO 1 name=quick")
        links = []
        for _ in range(300):
            links.append(dial(server))
            with contextlib.suppress(ConnectionError):
                links[-1].sendall(b"GET / HTTP/1.1\r\nHost: local")
        worst = 0
        for _ in range(100):
            began = time.monotonic()
            client.do("PING")
            worst = max(worst, time.monotonic() - began)
        assert worst < 0.25, f"PING took {worst * 1000:.0f} ms"
        time.sleep(6)
        assert server.get("/healthz")[0] == 200, "the half-open connections still block others"
        return f"the slowest of 100 PINGs took {worst * 1000:.1f} ms"


def test_token():
    """with tokens: 401 without one, a form, and a cookie that scripts and other sites cannot read"""
    with Server("SUBJECT taps\n", "--token-file", "{folder}/tokens", files=[("tokens", "secret-one sub\n")]) as first:
        code, headers, body = first.get("/")
        assert code == 401 and '<input id="token"' in body and "<script" not in body, (code, body)
        for path in ("/events", "/v1/topology", "/v1/try?expr=taps", "/v1/graph.dot", "/metrics", "/readyz"):
            assert first.get(path)[0] == 401, path
        assert first.get("/healthz")[0] == first.get("/page.css")[0] == first.get("/login")[0] == 200
        assert first.get("/v1/topology", Authorization="Bearer secret-one")[0] == 200
        assert first.get("/v1/topology", Authorization="Bearer secret-two")[0] == 401
        form = {"Content_Type": "application/x-www-form-urlencoded"}
        code, _, body = first.get("/login", "POST", "token=wrong", **form)
        assert code == 401 and "This token is not known." in body
        assert first.get("/login", "POST", "token=secret-one", Origin="http://evil.example", **form)[0] == 403
        code, headers, _ = first.get("/", "POST", "token=secret-one", **form)
        cookie = headers["Set-Cookie"]
        assert code == 303 and "HttpOnly" in cookie and "SameSite=Strict" in cookie and "secret" not in cookie, cookie
        assert first.get("/v1/topology", Cookie=cookie.split(";")[0])[0] == 200
        assert first.get("/v1/topology", Cookie="flow=" + "0" * 64)[0] == 401


if __name__ == "__main__":
    sys.exit(run(__name__, sys.argv[1:]))

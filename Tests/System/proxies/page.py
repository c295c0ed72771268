"""Checks the server's web page and its WebSocket through a proxy."""

import time

from live import expect
from proxies.checks import ok
from proxies.proxies import TOKEN, ask
from proxies.tls import SERVER, Client


def request(proxy, path, *headers, name="alice", host=f"{SERVER}:8570"):
    """Sends a request to the page; returns the client, which can read the answer."""
    client = Client(proxy.folder, proxy.page, name)
    client.send("\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode())
    return client


def check_page(proxy, server):
    close, token = "Connection: close", f"Authorization: Bearer {TOKEN}"

    def get(path, *headers, **options):
        lines, _ = request(proxy, path, close, *headers, **options).rest()
        return lines[0].split()[1], "\n".join(lines)

    expect(get("/healthz")[0] == "200", "/healthz")
    expect(get("/healthz", host="evil.example")[0] == "421", "a foreign host name is accepted")
    status, text = get("/v1/topology", token, name=None)
    expect(status == "200" and "office" in text, f"a token on the page: {status}")
    status, text = get("/v1/topology")
    if proxy.tells_names:
        expect(status == "200" and f"lab-{proxy.name}" in text and "office" not in text, f"alice on the page: {text}")
    else:
        expect(status == "401", f"the page without a token: {status}")
    upgrade = (
        "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol: flow.1",
    )  # fmt: skip
    browser = request(proxy, "/flow", f"Origin: https://{SERVER}:8570", *upgrade)
    line = browser.line()
    expect(line == "HTTP/1.1 101 Switching Protocols\r", line)
    while b"HI flow/" not in browser.unread:
        browser.fill("the greeting", time.monotonic() + 10)
    rows = ask(server, "LIST clients")
    expect(any(f" peer={browser.address} " in row for row in rows), f"no {browser.address} in {rows}")
    expect(request(proxy, "/flow", "Origin: https://evil.example", *upgrade).line().split()[1] == "403", "evil.example")
    ok(proxy, "the page, with " + ("the rights of a name, " if proxy.tells_names else "") + "a token, and by WebSocket")

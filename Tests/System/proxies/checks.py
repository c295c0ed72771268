"""Checks of each proxy of docs/deploy.md: certificates, names, addresses, demand, ends, renewal, 200 clients."""

import concurrent.futures, contextlib, socket, ssl, time

from live import Refused, expect, until
from proxies import tls
from proxies.proxies import TOKEN, ask
from proxies.tls import Client


def ok(proxy, text):
    print(f"ok: {proxy.name}: {text}", flush=True)


def join(proxy, name="alice", **options):
    """Connects a client that has rights: by its name, or by a token if the proxy does not pass on names."""
    client = Client(proxy.folder, proxy.port, name, **options)
    client.line()
    if not proxy.tells_names:
        expect(client.ask(f"AUTH {TOKEN}") == "OK auth", "the token is not taken")
    return client


def refused(proxy, *arguments, **options):
    """Whether a client is refused before the server greets it."""
    try:
        return Client(proxy.folder, proxy.port, *arguments, **options).line() and False
    except (Refused, EOFError):
        return True


def check_certificates(proxy, server):
    expect(refused(proxy, None), "a client without a certificate is let in")
    expect(refused(proxy, "stranger"), "a certificate of an unknown CA is accepted")
    expect(refused(proxy, version=ssl.TLSVersion.TLSv1_1), "TLS 1.1 is accepted")
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        greeting = Client(proxy.folder, proxy.port, version=version).line()
        expect(greeting.startswith("HI flow/"), greeting)
    with socket.create_connection(("127.0.0.1", proxy.port), timeout=10) as plain:
        plain.sendall(b"PING\n\n\n\n\n")
        with contextlib.suppress(ConnectionError):
            expect(not plain.recv(999).startswith(b"HI"), "plain text is served")
    ok(proxy, "both sides check certificates; only TLS 1.2 and 1.3 work")


def check_names(proxy, server):
    alice = Client(proxy.folder, proxy.port, "alice")
    greeting = alice.line()
    if proxy.tells_names:
        expect(greeting.endswith("auth=none"), greeting)
        expect(alice.ask(f"SEND lab-{proxy.name} 1").startswith("OK send"), "alice may not send")
        answer = alice.ask("SEND office 1")
        expect(answer == "ERR denied this token may not send to office", answer)
    bob = Client(proxy.folder, proxy.port, "bob")
    expect(bob.line().endswith("auth=token"), "bob is greeted as if he had rights")
    expect(bob.ask("SEND office 1").startswith("ERR denied authenticate first"), "bob may send")
    expect(bob.ask(f"AUTH {TOKEN}") == "OK auth", "bob's token is not taken")
    expect(bob.ask("SEND office 1").startswith("OK send"), "bob may not send")
    rows = ask(server, "LIST clients")
    for client in (alice, bob):
        expect(any(f" peer={client.address} " in row for row in rows), f"no {client.address} in {rows}")
    ok(proxy, "names give rights; the server sees addresses" if proxy.tells_names else "tokens give rights; the server sees addresses")


def check_demand(proxy, server):
    """Only requested values arrive; the publisher keeps the others."""
    name = f"lab-{proxy.name}-slow"
    reader, writer = join(proxy), join(proxy)
    reader.say("HELLO 1", f"SUB {name} 2 as=1")
    reader.until("OK sub 1")
    writer.say("HELLO 1", f"PUB {name} as=9")
    said = writer.until("OK pub 9")
    expect(said.endswith("demand=2"), said)
    writer.say("= 9 1", "= 9 2")
    expect([reader.line(), reader.line()] == ["= 1 1", "= 1 2"], "two values")
    for client in (reader, writer):
        client.say("PING")
        expect(client.line() == "PONG", "values beyond the demand")
    reader.say("REQ 1 3")
    said = writer.line()
    expect(said == "REQ 9 3", said)
    writer.say("= 9 3", "= 9 4", "= 9 5", "DONE 9")
    expect([reader.line() for _ in range(3)] == ["= 1 3", "= 1 4", "= 1 5"], "three more")
    reader.say("CANCEL 1")
    reader.until("OK cancel")
    ok(proxy, "demand: 2 of 5 come, the other 3 with the next REQ")


def check_backpressure(proxy, server):
    """A reader that does not read stops the publisher once the buffers between them are full."""
    name = f"lab-{proxy.name}-slow"
    reader, writer = join(proxy, room=65536), join(proxy)
    reader.say("HELLO 1", f"SUB {name} max as=1")
    reader.until("OK sub 1")
    writer.say("HELLO 1", f"PUB {name} as=9")
    room = int(writer.until("OK pub 9").rpartition("=")[2])
    sent, is_held_up = 0, False
    while not is_held_up:
        expect(sent < 10_000, f"the publisher could send {sent} values of 4 kB to a reader that does not read")
        writer.send(b"".join(b"= 9 %d %s\n" % (number, b"x" * 4000) for number in range(sent, sent + room)))
        sent, room = sent + room, 0
        try:
            room = int(writer.until("REQ 9 ", 1.5).split()[2])
        except TimeoutError:
            is_held_up = True
    for number in range(sent):
        expect(reader.line().startswith(f"= 1 {number} x"), f"value {number} is missing")
    writer.until("REQ 9 ")
    reader.close()
    writer.close()
    ok(proxy, f"backpressure: the publisher waits for a stopped reader after {sent * 4 / 1000:.1f} MB; nothing is lost")


def check_half_close(proxy, server):
    """A client that closes its sending side still gets all answers and values, and the end."""
    name = f"lab-{proxy.name}"
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        asker, waiter = join(proxy, version=version), join(proxy, version=version)
        asker.say(*(f"PING {number}" for number in range(2000)), f"SEND {name} 0")
        asker.end_input()
        lines, said = asker.rest()
        expect(lines[:-1] == [f"PONG {number}" for number in range(2000)], f"{len(lines)} answers")
        expect(lines[-1] == f"OK send {name} to=0 missed=0", lines[-1])
        expect(said == proxy.tells_end, f"the end of TLS: {said}")
        waiter.say(f"SUB {name} 2")
        waiter.end_input()
        waiter.until("OK sub")
        time.sleep(1.5)  # longer than HAProxy's timeout of 1 s in this test
        for number in (1, 2):
            expect(ask(server, f"SEND {name} {number}") == [f"OK send {name} to=1 missed=0"], "the half-closed client is gone")
        lines, said = waiter.rest()
        expect(lines == ["= 1 1", "= 1 2"], f"{lines}")
        expect(said == proxy.tells_end, f"the end of TLS: {said}")
    ok(proxy, "half-closed: all answers and all requested values arrive")


def check_end(proxy, server):
    """The proxy passes on the end of a connection."""
    client = join(proxy)
    client.say("QUIT")
    lines, said = client.rest()
    expect(lines == ["OK quit", "BYE quit bye"], f"{lines}")
    expect(said == proxy.tells_end, f"the end of TLS: {said}")
    ok(proxy, "QUIT ends the connection" + ("" if said else ", without TLS's closing alert"))


def check_renewal(proxy, server):
    """New connections see the new certificate; old ones stay open."""
    ways = [proxy.reload] + ([proxy.replace] if hasattr(proxy, "replace") else [])
    for way in ways:
        old = join(proxy)
        serial = tls.make_server(f"{proxy.folder}", f"{proxy.places}/server.pem")
        expect(old.serial != serial, "the certificate is not a new one")
        way()
        until("the new certificate", lambda: join(proxy).serial == serial)
        expect(old.ask("PING still") == "PONG still", "an old connection was closed")
    ok(proxy, "new connections see a new certificate, old ones stay open" + (", in both ways" if len(ways) > 1 else ""))


def check_crowd(proxy, server):
    """200 clients at the same time all get a value."""
    name = f"lab-{proxy.name}"

    def enter(_):
        client = join(proxy)
        client.say("HELLO 1", f"SUB {name} 1")
        client.until("OK sub")
        return client

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        crowd = list(pool.map(enter, range(200)))
    expect(ask(server, f"SEND {name} 7") == [f"OK send {name} to=200 missed=0"], "not all of the 200 are subscribed")
    for client in crowd:
        expect(client.line() == "= 1 7", "not all of the 200 get the value")
        client.close()
    ok(proxy, "200 clients at the same time")

#!/usr/bin/env python3
"""Checks the recipes of docs/deploy.md with HAProxy, stunnel and nginx, a real server and real clients."""

import concurrent.futures, os, signal

from live import Failed, Processes, expect, until
from proxies import checks, clients, tls
from proxies.checks import join, ok, refused
from proxies.page import check_page
from proxies.proxies import TOKEN, TOKENS, HAProxy, Nginx, Stunnel, ask, make_server
from proxies.recipes import Recipes
from proxies.tls import Client

CHECKS = [
    checks.check_certificates, checks.check_names, checks.check_demand, checks.check_backpressure, checks.check_half_close,
    checks.check_end, checks.check_renewal, check_page, checks.check_crowd,
]  # fmt: skip


def check_revocation(proxies, server):
    """A name whose line is removed loses its rights, though its certificate is still valid."""
    for proxy in proxies:
        if not proxy.tells_names:
            continue
        alice = join(proxy)
        server.write("tokens", "".join(line for line in TOKENS.splitlines(True) if "alice" not in line))
        server.hang_up()
        alice.until("BYE revoked")
        expect(Client(proxy.folder, proxy.port).line().endswith("auth=token"), "alice has rights after her line was removed")
        server.write("tokens", TOKENS)
        server.hang_up()
        until("alice's line to be read", lambda: Client(proxy.folder, proxy.port).line().endswith("auth=none"))
        ok(proxy, "removing a name's line ends its connections")


def check_drain(proxies, server):
    """A server that stops says so through each proxy and delivers what was requested; its successor uses the same proxies."""
    waiting = []
    for proxy in proxies:
        client = join(proxy)
        client.say("HELLO 1", f"SUB lab-{proxy.name} 1")
        client.until("OK sub")
        waiting.append(client)
    # A client with open demand stays connected while the server drains, so this one can still send.
    with server.client(f"AUTH {TOKEN}", "SUB office 1") as sender:
        server.terminate()
        for client in waiting:
            client.until("DRAIN ")
        sender.say(*(f"SEND {name} 9" for name in [f"lab-{proxy.name}" for proxy in proxies] + ["office"]))
        for client, proxy in zip(waiting, proxies):
            lines, _ = client.rest()
            expect(lines[0] == "= 1 9" and lines[-1].startswith("BYE shutdown"), f"{proxy.name}: {lines}")
    expect(server.process.wait(10) == 0, "the server did not exit with 0")
    for proxy in proxies:
        expect(refused(proxy), f"{proxy.name} serves without a server")
    server.start()
    for proxy in proxies:
        until("the next server", lambda: not refused(proxy))
        ok(proxy, "DRAIN: requested values arrive; the next server is found")


def check_death(proxies, server):
    """Killing a proxy ends its clients' connections to the server."""
    for proxy in proxies:
        client = join(proxy)
        client.say("HELLO 1", f"SUB lab-{proxy.name} 1")
        client.until("OK sub")
        os.killpg(proxy.process.pid, signal.SIGKILL)
        until("the clients to be gone", lambda: len(ask(server, "LIST clients")) == 2)
        expect(ask(server, f"SEND lab-{proxy.name} 1") == [f"OK send lab-{proxy.name} to=0 missed=0"], "a stream is left")
        ok(proxy, "killed: its clients are gone")


def check(proxy, server):
    for one in CHECKS:
        try:
            one(proxy, server)
        except (Failed, EOFError, OSError) as failure:
            raise Failed(f"{proxy.name}: {one.__name__}: {failure}") from failure


def main(processes):
    os.environ["PATH"] += ":/usr/sbin"
    folder, recipes = processes.folder, Recipes()
    tls.make_authorities(recipes, folder)
    tls.make_server(folder, f"{folder}/server.pem")
    for name in ("alice", "bob"):
        tls.make_client(recipes, folder, name)
    tls.make_client(recipes, folder, "alice", authority="other-ca", file="stranger")
    with make_server(recipes) as server:
        proxies = [kind(processes, recipes, server) for kind in (HAProxy, Stunnel, Nginx)]
        for proxy in proxies:
            proxy.start()
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for result in [pool.submit(check, proxy, server) for proxy in proxies]:
                result.result()
        clients.check_clients(proxies, server, processes, recipes)
        clients.check_names(proxies[0], processes, recipes)
        check_revocation(proxies, server)
        check_drain(proxies, server)
        check_death(proxies, server)


if __name__ == "__main__":
    with Processes() as processes:
        main(processes)
    print("the recipes of docs/deploy.md work")

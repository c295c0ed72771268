"""Checks the recipes of docs/deploy.md with real proxies, a real server and real clients."""

import concurrent.futures, os, signal, socket, subprocess, sys, tempfile

import checks, clients, tls, units
from checks import TOKEN, join, ok, refused
from page import check_page
from proxies import Failed, HAProxy, Nginx, Processes, Server, Stunnel, expect, until
from recipes import Missing, Recipes
from tls import Client, Refused

CHECKS = [
    checks.check_certificates, checks.check_names, checks.check_demand, checks.check_backpressure, checks.check_half_close,
    checks.check_end, checks.check_renewal, check_page, checks.check_crowd,
]  # fmt: skip


def check_revocation(proxies, server):
    """A name without a line has no rights any more, though its certificate be good."""
    for proxy in proxies:
        if not proxy.tells_names:
            continue
        alice = join(proxy)
        server.write_tokens("".join(line for line in server.TOKENS.splitlines(True) if "alice" not in line))
        server.process.send_signal(signal.SIGHUP)
        alice.until("BYE revoked")
        expect(Client(proxy.folder, proxy.port).line().endswith("auth=token"), "alice is let in again")
        server.write_tokens(server.TOKENS)
        server.process.send_signal(signal.SIGHUP)
        until("alice's line to be read", lambda: Client(proxy.folder, proxy.port).line().endswith("auth=none"))
        ok(proxy, "a line that is taken away ends her connections")


def check_drain(proxies, server):
    """A server that goes says so through each proxy, and delivers; the next one is served by the same proxies."""
    waiting = []
    for proxy in proxies:
        client = join(proxy)
        client.say("HELLO 1", f"SUB lab-{proxy.name} 1")
        client.until("OK sub")
        waiting.append(client)
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as sender:
        answers = sender.makefile()
        # Who waits for something is served until it has come: here the end of what is sent.
        sender.sendall(f"AUTH {TOKEN}\nSUB office 1\n".encode())
        for _ in range(3):
            answers.readline()
        server.process.send_signal(signal.SIGTERM)
        for client in waiting:
            client.until("DRAIN ")
        names = [f"lab-{proxy.name}" for proxy in proxies] + ["office"]
        sender.sendall("".join(f"SEND {name} 9\n" for name in names).encode())
        for client, proxy in zip(waiting, proxies):
            lines, said = client.rest()
            expect(lines[0] == "= 1 9" and lines[-1].startswith("BYE shutdown"), f"{proxy.name}: {lines}")
    expect(server.process.wait(10) == 0, "the server did not end well")
    for proxy in proxies:
        expect(refused(proxy), f"{proxy.name} serves without a server")
    server.start()
    for proxy in proxies:
        until("the next server", lambda: not refused(proxy))
        ok(proxy, "DRAIN: what was asked for comes; the next server is found")


def check_death(proxies, server):
    """With a proxy its clients are gone."""
    for proxy in proxies:
        client = join(proxy)
        client.say("HELLO 1", f"SUB lab-{proxy.name} 1")
        client.until("OK sub")
        os.killpg(proxy.process.pid, signal.SIGKILL)
        until("the clients to be gone", lambda: len(server.ask("LIST clients")) == 2)
        expect(server.ask(f"SEND lab-{proxy.name} 1") == [f"OK send lab-{proxy.name} to=0 missed=0"], "a stream stays")
        ok(proxy, "killed: its clients are gone")


def check(proxy, server):
    for one in CHECKS:
        try:
            one(proxy, server)
        except (Failed, Refused, OSError) as failure:
            raise Failed(f"{proxy.name}: {one.__name__}: {failure}") from failure


def main(processes, programs):
    folder, recipes = processes.folder, Recipes()
    units.check_units(recipes, folder)
    tls.make_authorities(recipes, folder)
    tls.make_server(folder, f"{folder}/server.pem")
    for name in ("alice", "bob"):
        tls.make_client(recipes, folder, name)
    tls.make_client(recipes, folder, "alice", authority="other-ca", file="stranger")
    server = Server(processes, recipes, f"{programs}/FlowServer")
    server.start()
    proxies = [kind(processes, recipes) for kind in (HAProxy, Stunnel, Nginx)]
    for proxy in proxies:
        proxy.start()
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for result in [pool.submit(check, proxy, server) for proxy in proxies]:
            result.result()
    clients.check_clients(proxies, server, processes, recipes, f"{programs}/flowclient")
    clients.check_names(proxies[0], processes, recipes, f"{programs}/flowclient")
    check_revocation(proxies, server)
    check_drain(proxies, server)
    check_death(proxies, server)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        processes = Processes(folder)
        try:
            main(processes, os.environ["FLOW_BIN"])
        except (Failed, Refused, Missing, OSError, subprocess.SubprocessError) as failure:
            processes.show_logs()
            sys.exit(f"failed: {failure}")
        finally:
            processes.end()
    print("the recipes of docs/deploy.md work")

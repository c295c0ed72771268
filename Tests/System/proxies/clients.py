"""Checks the clients of docs/deploy.md: flowclient through socat and through stunnel, and ncat."""

import os, shlex, subprocess, time

from live import LineClient, expect, free_port, is_listening, program, until
from proxies import tls
from proxies.proxies import TOKEN, ask

CA = "/etc/ssl/certs/ca-certificates.crt"


def check_clients(proxies, server, processes, recipes):
    """Sends values to flowclient through each proxy, with the rights of the name or of a token."""
    for proxy in proxies:
        ends = [through_socat(proxy, processes, recipes), through_stunnel(proxy, processes, recipes)]
        for end in ends:
            name = f"lab-{proxy.name}-slow"
            client = [program("flowclient"), "-s", end, *([] if proxy.tells_names else ["--token-file", server.path("tokens")])]
            reader = subprocess.Popen([*client, "sub", name, "-n", "3"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            sent = subprocess.run([*client, "send", name], input="1\n2\n3\n", capture_output=True, text=True, timeout=20)
            expect(sent.returncode == 0, f"{proxy.name}: send through {end}: {sent}")
            values, remarks = reader.communicate(timeout=20)
            expect(values == "1\n2\n3\n", f"{proxy.name}: sub through {end}: {values!r} {remarks}")
        half_closed(proxy, server, ends)
        by_hand(proxy, recipes)
        print(f"ok: {proxy.name}: flowclient through socat and stunnel, and ncat", flush=True)


def through_socat(proxy, processes, recipes, server=tls.HERE):
    """Runs the page's socat command; returns the address of its Unix socket."""
    path = f"{proxy.places}/{server}.sock"
    command = recipes.command(
        "socat", ("flow.sock", path), (tls.SERVER, server), (":3570", f":{proxy.port}"), (CA, "servers-ca.pem")
    )
    processes.start(f"socat-{server}-{proxy.name}", *shlex.split(command))
    until("socat's socket", lambda: os.path.exists(path))
    return f"unix:{path}"


def through_stunnel(proxy, processes, recipes):
    """Runs stunnel with the page's file; returns the address of its port."""
    port = free_port()
    file = recipes.file(
        "flow-client.conf", ("accept = .*", f"accept = 127.0.0.1:{port}"), ("connect = .*", f"connect = {tls.HERE}:{proxy.port}"),
        (f"checkHost = {tls.SERVER}", f"checkHost = {tls.HERE}"), (CA, "servers-ca.pem"),
    )  # fmt: skip
    processes.start(f"stunnel-client-{proxy.name}", "stunnel", proxy.write("flow-client.conf", file))
    until("stunnel's port", lambda: is_listening(port))
    return f"127.0.0.1:{port}"


def half_closed(proxy, server, ends):
    """A client that closes its sending side still gets the value that it requested."""
    name, waiting = f"lab-{proxy.name}", []
    for end in ends:
        client = LineClient(end)
        client.say(f"AUTH {TOKEN}", f"SUB {name} 1")
        client.end_input()
        client.until("OK sub")
        waiting.append(client)
    time.sleep(1)  # longer than socat waits by default
    said = ask(server, f"SEND {name} 5")[0]
    expect(said.startswith(f"OK send {name} to={len(ends)} "), f"{proxy.name}: {said}: not all clients behind socat and stunnel are connected")
    expect(all(client.line() == "= 1 5" for client in waiting), f"{proxy.name}: the value does not arrive")


def by_hand(proxy, recipes):
    """Types PING into the page's ncat command, and expects the answer."""
    command = recipes.command("ncat", (tls.SERVER, tls.HERE), (" 3570", f" {proxy.port}"), (CA, "servers-ca.pem"))
    ncat = subprocess.Popen(
        f"timeout 20 {command}", shell=True, cwd=proxy.folder, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    ncat.stdin.write("PING 1\n")
    ncat.stdin.flush()
    said = [ncat.stdout.readline(), ncat.stdout.readline()]
    rest = ncat.communicate(timeout=20)
    expect(said[1] == "PONG 1\n", f"{proxy.name}: {command}: {said} {rest}")


def check_names(proxy, processes, recipes):
    """socat refuses a server whose certificate has another name than its address."""
    end = through_socat(proxy, processes, recipes, server="127.0.0.1")
    found = subprocess.run([program("flowclient"), "-s", end, "ping"], capture_output=True, text=True, timeout=20)
    expect(found.returncode == 69, f"socat talks to a server of another name: {found}")

"""The table of faults, traffic and problems that the campaign prints."""

FAULTS = [
    "kill -9 of the server under load",
    "kill -9 of many clients at once",
    "kill -9 of a flowclient",
    "SIGTERM of the server under load",
    "SIGHUP with a good file",
    "SIGHUP with a broken file",
    "SIGSTOP of the server",
    "SIGSTOP of many clients at once",
    "SIGSTOP of a flowclient",
    "full disk: log of the server",
    "full disk: output of a flowclient",
    "full disk: ports file",
    "EMFILE: clients told that there is no room",
    "clients: RST",
    "clients: FIN",
    "clients: QUIT",
    "clients: half-closes",
    "clients: stops reading",
    "clients: leaves in the middle of a line",
    "relay: takes a connection, splits and delays it",
    "relay: stalls",
    "relay: stops forwarding without a word",
    "relay: resets both sides",
]
ERRORS = ["ENOBUFS", "ENOMEM", "ENFILE", "ECONNABORTED", "EINTR", "EAGAIN", "short"]
GIVEN = [
    "most connections at once",
    "unstable clients came",
    "values that steady clients sent",
    "values that steady clients received",
    "values told as missed",
    "calls that steady clients made",
    "answers of SEND",
    "PINGs answered",
]
WRONG = ["lost", "twice", "crashes", "reports of the sanitizer"]
# Needs a mount, which not every machine allows.
OPTIONAL = {"full disk: ports file"}


def print_table(ledgers):
    """Prints a column for each build; returns whether there was no problem and every fault was injected."""
    for ledger in ledgers.values():
        for error in ERRORS:
            calls = [n for name, n in ledger.counts.items() if name.startswith("kernel") and name.endswith(error)]
            ledger.counts[f"calls of the kernel: {error}"] = sum(calls)
    faults = FAULTS + [f"calls of the kernel: {error}" for error in ERRORS]
    row("faults injected", ledgers)
    for name in faults:
        row(name, [count(ledger, name) for ledger in ledgers.values()])
    row("meanwhile", ledgers)
    for name in GIVEN:
        row(name, [ledger.counts[name] for ledger in ledgers.values()])
    row("slowest PING, in ms", [round(1000 * ledger.slowest) for ledger in ledgers.values()])
    row("problems", ledgers)
    for name in WRONG:
        row(name, [ledger.counts[name] for ledger in ledgers.values()])
    left_out = [
        f"{build}: never injected: {name}"
        for build, ledger in ledgers.items()
        for name in faults
        if not ledger.counts[name] and name not in OPTIONAL
    ]
    print("\n".join(left_out))
    return not left_out and not any(ledger.problems for ledger in ledgers.values())


def count(ledger, name):
    return ledger.counts[name] or ("not possible" if name in OPTIONAL else 0)


def row(name, cells):
    print(f"{name:<50}" + "".join(f"{cell:>14}" for cell in cells))

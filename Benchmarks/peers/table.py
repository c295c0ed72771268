"""Prints the tables of Benchmarks/compare from the results of servers: DIR/NAME without its .jsonl, each."""
import json
import os
import statistics
import sys

OURS = ("flow", "flow-free")
SHAPES = [
    (f"{shape.replace('-', '→')}, {size}", f"{shape}/{count}")
    for count, size in ((16, "16 bytes"), (128, "128 bytes"), (1024, "1 KiB"))
    for shape in ("1-1", "1-8", "4-4", "1-100")
]

names = [os.path.basename(path) for path in sys.argv[1:]]
runs = {}
for path in sys.argv[1:]:
    with open(path + ".jsonl", encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            runs.setdefault(tuple(run["label"].split("|")), []).append(run)


def median(name, cell, figure):
    known = []
    for run in runs.get((name, cell), []):
        try:
            known.append(figure(run))
        except KeyError:
            pass
    return statistics.median(known) if known else None


def text(value):
    if value is None:
        return "–"
    if value >= 1e6:
        return f"{value / 1e6:.2f} M"
    if value >= 1e4:
        return f"{value / 1e3:.0f} k"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def table(title, rows, ratio=False):
    rows = [row for row in rows if any((name, row[1]) in runs for name in names)]
    if not rows:
        return
    peers = [name for name in names if name not in OURS and name != "ideal"]
    ratio = ratio and peers and "flow" in names
    heads = names + (["flow : best peer"] if ratio else [])
    print(f"\n| {title} | " + " | ".join(heads) + " |\n|---|" + "---:|" * len(heads))
    for label, cell, figure in rows:
        values = {name: median(name, cell, figure) for name in names}
        columns = [text(values[name]) for name in names]
        if ratio:
            best = max((values[name] or 0 for name in peers), default=0)
            columns.append(f"{values['flow'] / best:.1f}" if best and values["flow"] else "–")
        print(f"| {label} | " + " | ".join(columns) + " |")


table("delivered per second", [(l, c, lambda run: run["delivered_rate"]) for l, c in SHAPES], ratio=True)
table("server CPU, µs per value", [(l, c, lambda run: run["server_cpu_us_per_msg"]) for l, c in SHAPES])
table(
    "",
    [
        ("at 10,000 values/s: p50 µs", "lat", lambda run: run["lat_us"]["p50"]),
        ("at 10,000 values/s: p99 µs", "lat", lambda run: run["lat_us"]["p99"]),
        ("at 10,000 values/s: server CPU, µs per value", "lat", lambda run: run["server_cpu_us_per_msg"]),
        ("an idle subscriber of 10,000, bytes", "idle10k", lambda run: run["rss_per_conn_bytes"]),
        ("connect, subscribe, close, per second", "churn", lambda run: run["churn_per_s"]),
        ("its server CPU, µs", "churn", lambda run: run["server_cpu_us_per_cycle"]),
        (
            "one of two stops reading: the other gets, per second",
            "stalled",
            lambda run: run["delivered"] / max(3, run["wall_s"]),
        ),
        ("most memory then, MB", "stalled", lambda run: run["server_peak_rss_kb"] / 1024),
    ],
)

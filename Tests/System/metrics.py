#!/usr/bin/env python3
"""Tests the metrics with Prometheus itself: promtool lints /metrics, a real prometheus that scrapes real servers answers every query of
Packaging's dashboard and alerts, no label names a client, and /readyz and /healthz are right.
"""

import json, os, re, subprocess, time, urllib.parse

import live
from live import ROOT, Failed, Processes, Repeated, Server, expect, free_port, until

DASHBOARD = f"{ROOT}/Packaging/grafana-dashboard.json"
ALERTS = f"{ROOT}/Packaging/alerts.yml"

LONG = "_-Odd--9" + "x" * 120
DEFINITIONS = rf"""
SUBJECT orders
SUBJECT taps
SUBJECT totals
SUBJECT failures
SUBJECT pace flow=slowest
SUBJECT {LONG}
PIPELINE slow = orders.buffer(size: 5, prefetch: .keepFull, whenFull: .dropOldest)
  .flatMap(maxPublishers: .max(1)) {{ Just($0).delay(for: 0.2) }}
PIPELINE small = taps.buffer(size: 5, prefetch: .keepFull, whenFull: .dropNewest)
PIPELINE evens = orders.filter {{ $0 % 2 == 0 }}
PIPELINE asking = pace.flatMap(maxPublishers: .max(2)) {{ ask(resize, $0) }}
PIPELINE orphan = taps.buffer(size: 9, prefetch: .keepFull, whenFull: .dropOldest).flatMap {{ ask(nobody, $0) }}
PIPELINE _-- = ["\"quoted\" \\ back\nslash", "{{}}"].publisher.map {{ "\"\($0)\\\"" }}
RUN sums = orders.scan(0) {{ $0 + $1 }}.assign(to: totals)
RUN dropped = taps.flatMap(maxPublishers: .max(1)) {{ Just($0).delay(for: 5) }}.assign(to: totals)
RUN once failed=failures = [1, 2].publisher.assign(to: totals)
RUN broken = taps.map {{ $0 > 3 ? fail("too much") : $0 }}.assign(to: failures)
SUBJECT stored flow=slowest on=nats room=64
RUN copies = orders.assign(to: stored)
"""
#: All labels that may appear; none identifies a client.
LABELS = set(
    "version kind state verb line code direction reason outcome by subject room pipeline demand verdict run stage op"
    " service path status le".split()
)
#: Alerts that do not fire here, though their metrics exist; the test queries them without the comparison.
NOT_FIRING = {
    "FlowSubjectHeldUp", "FlowLoopBusy", "FlowMemoryNearLimit", "FlowShortOfMemory", "FlowDescriptorsNearLimit",
    "FlowNATSFull", "FlowLettersLost",
}
#: Queries of the dashboard that may find nothing, since this test has no such values.
EMPTY = {"Kept values forgotten"}


def ok(text):
    print(f"ok: {text}", flush=True)


def get(address, path, **headers):
    """Returns the status and the body of `path`."""
    answer = live.get(address, path, **headers)
    return answer.status, answer.body


def expect_ready(server, *reasons):
    """Waits until /readyz gives exactly these reasons; expects /healthz to answer ok even then."""
    text = "\n".join(reasons) or "ok"
    until(
        f"/readyz to say {text!r}, not {get(server.web, '/readyz')}",
        lambda: get(server.web, "/readyz") == (503 if reasons else 200, text + "\n"),
    )
    expect(get(server.web, "/healthz") == (200, "ok\n"), "/healthz is not ok")
    ok(f"/readyz: {text}; /healthz: ok".replace("\n", ", "))


def join(server, *lines):
    """Connects a client that sends `lines` without reading the answers."""
    client = server.client()
    client.say(*lines)
    return client


# The tests


def lint(server, what):
    status, text = get(server.web, "/metrics")
    expect(status == 200, f"/metrics: {status} {text[:200]}")
    found = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, timeout=20)
    expect(found.returncode == 0 and not found.stderr + found.stdout, f"promtool: {found.stderr}{found.stdout}")
    ok(f"promtool check metrics: {len(text.splitlines())} lines {what}")
    return text


def series(text):
    """Returns all series, without their values."""
    return {line.rpartition(" ")[0] for line in text.splitlines() if line and not line.startswith("#")}


def counters(text):
    """Returns the series of counters, with their values."""
    names = set(re.findall(r"^# TYPE (\w+) counter$", text, re.M))
    rows = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {one: float(value) for one, _, value in rows if one.partition("{")[0] in names}


def labels(text):
    return {label for one in series(text) for label in re.findall(r'[{,]([a-z_]+)="', one)}


def expect_no_clients(server, others):
    """Expects that clients add no series and no label, whatever their number and names."""
    before = lint(server, "with traffic")
    crowd = [
        join(server, f"HELLO 1 name=secretbilling{n}", "SUB slow 1", "SUB evens 3", "SUB orders.map { $0 } 1")
        for n in range(40)
    ]
    for client in crowd:
        client.until("OK sub 3")
    time.sleep(1.2)  # a watch looks once a second
    after = lint(server, "with 40 clients more")
    for name in ["secretbilling", *others]:
        expect(name not in after, f"/metrics has the client's name {name}")
    expect(labels(after) <= LABELS, f"labels {sorted(labels(after) - LABELS)}: are there clients in them?")
    # A verb or a code gets its series when it is first used.
    more = {one for one in series(after) - series(before) if not re.match(r"flow_(frames|errors|http_requests)_total", one)}
    expect(not more, f"series more: {sorted(more)[:9]}")
    ok("no label of a client, and no series more for 40 clients")
    for client in crowd:
        client.say("QUIT now")
    for client in crowd:
        client.rest()
    old, new = counters(after), counters(get(server.web, "/metrics")[1])
    less = [f"{one} {value} is now {new.get(one)}" for one, value in old.items() if new.get(one, 0) < value]
    expect(not less, "counters went back when clients went: " + "; ".join(less[:9]))
    ok(f"{len(old)} counters never go back when clients go")


def metrics_of(expression):
    names = re.findall(r"\b(?:flow|process)_[a-z_]+", expression)
    return {re.sub(r"^(flow_(?:subject_)?delivery_seconds)_(?:bucket|sum|count)$", r"\1", name) for name in names}


def known_metrics():
    with open(f"{ROOT}/protocol.md") as page:
        return set(re.findall(r"^\| `([a-z_]+)` \| (?:counter|gauge|histogram) \|", page.read(), re.M)) | {"flow_metrics_left_out"}


def dashboard_queries():
    """Returns (panel, expression) for each query of the dashboard and of its variables, with all variables replaced."""
    with open(DASHBOARD) as file:
        dashboard = json.load(file)
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    ids = [panel["id"] for panel in dashboard["panels"]]
    expect(len(set(ids)) == len(ids), "two panels have one id")
    queries = []
    for panel in panels:
        for target in panel["targets"]:
            text = target["expr"].replace("$__rate_interval", "4s")
            text = re.sub(r"\$(job|instance|pipeline|subject|service)\b", ".+", text)
            expect("$" not in text, f"{panel['title']}: an unknown variable in {text}")
            queries.append((panel["title"], text))
    for variable in dashboard["templating"]["list"]:
        if variable["type"] == "query":
            text = re.sub(r"\$\w+", ".+", variable["definition"])
            queries.append((f"variable {variable['name']}", re.fullmatch(r"label_values\((.*), \w+\)", text)[1]))
    return queries


class Prometheus:
    def __init__(self, processes, targets, many):
        self.address = f"127.0.0.1:{free_port()}"
        config = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [ALERTS],
            "scrape_configs": [
                {"job_name": "flow", "static_configs": [{"targets": targets}]},
                {"job_name": "many", "scrape_interval": "5s", "scrape_timeout": "5s", "static_configs": [{"targets": many}]},
            ],
        }
        path = f"{processes.folder}/prometheus.yml"
        with open(path, "w") as file:
            json.dump(config, file)  # which is YAML
        subprocess.run(["promtool", "check", "config", path], check=True, stdout=subprocess.DEVNULL)
        self.process = processes.start(
            "prometheus", "prometheus", f"--config.file={path}", f"--storage.tsdb.path={processes.folder}/tsdb",
            f"--web.listen-address={self.address}", "--log.level=warn",
        )
        until("Prometheus", lambda: get(self.address, "/-/ready")[0] == 200)

    def ask(self, path, **query):
        status, body = get(self.address, f"/api/v1/{path}?{urllib.parse.urlencode(query)}")
        try:
            answer = json.loads(body)
        except ValueError:
            raise Failed(f"{query}: {status} {body[:200]}") from None
        expect(answer["status"] == "success", f"{query}: {status} {answer.get('error')}")
        return answer["data"]

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def rules(self):
        return [rule for group in self.ask("rules")["groups"] for rule in group["rules"]]

    def firing(self):
        return {one["labels"]["alertname"] for one in self.ask("alerts")["alerts"]}


def expect_answers(prometheus):
    """Expects Prometheus to accept every query, and to find data for each within 30 s, unless it may be empty."""
    known = known_metrics()
    wanted, count = [], 0
    for panel, text in dashboard_queries():
        expect(metrics_of(text) <= known, f"{panel}: protocol.md has no {metrics_of(text) - known}")
        wanted.append((panel, text, panel in EMPTY))
    with open(f"{ROOT}/docs/operations.md") as page:
        rows = dict(re.findall(r"^\| `(Flow\w+)` \|.*\| (critical|warning|info) \|", page.read(), re.M))
    rules = prometheus.rules()
    severities = {rule["name"]: rule["labels"]["severity"] for rule in rules}
    expect(rows == severities, f"docs/operations.md has other alerts: {set(rows.items()) ^ set(severities.items())}")
    for rule in rules:
        name, text = rule["name"], rule["query"]
        expect(metrics_of(text) <= known, f"{name}: protocol.md has no {metrics_of(text) - known}")
        expect(rule["health"] == "ok", f"{name}: {rule}")
        if name in NOT_FIRING:
            text = re.sub(r" (>|==) [0-9.]+$", "", text)
        wanted.append((name, text, name == "FlowNATSAway"))
    unanswered = []
    for name, text, may_be_empty in wanted:
        prometheus.query(text)
        count += 1
        if not may_be_empty:
            unanswered.append((name, text))

    def answered():
        unanswered[:] = [(name, text) for name, text in unanswered if not prometheus.query(text)]
        return not unanswered

    try:
        until("answers", answered, 30)
    except Failed:
        raise Failed("no data for " + "; ".join(f"{name}: {text}" for name, text in unanswered)) from None
    ok(f"all {count} queries of the dashboard and the alerts are answered")
    return {metric for _, text, _ in wanted for metric in metrics_of(text)}


def expect_verdicts(prometheus):
    """Expects the verdict of each pipeline, such as: a stage holds up `slow`, its client holds up `small`."""
    wanted = {"slow": "stage", "small": "client", "broken": "failed", "once": "asleep"}

    def verdicts():
        found = prometheus.query('flow_pipeline_verdict{pipeline=~"slow|small|broken|once"} == 1')
        return {one["metric"]["pipeline"]: one["metric"]["verdict"] for one in found} == wanted

    until(f"the verdicts {wanted}", verdicts)
    share = (
        'sum by (stage, op) (rate(flow_stage_state_seconds_total{pipeline="slow",state="blocked"}[4s]))'
        ' / sum by (stage, op) (rate(flow_stage_state_seconds_total{pipeline="slow"}[4s]))'
    )

    def culprit():
        blocked = {one["metric"]["op"]: float(one["value"][1]) for one in prometheus.query(share)}
        return blocked.get("buffer", 0) >= 0.5 > blocked.get("flatMap", 1)

    until("the buffer of slow to be blocked by its flatMap", culprit)
    ok("verdicts: " + ", ".join(f"{name}: {code}" for name, code in wanted.items()) + "; flatMap blocks the buffer of slow")


def traffic(server):
    """Starts clients that send and read; returns their `Repeated` actions, which stop when `isOver` is set."""
    readers = [
        join(server, "HELLO 1 name=acmereader", "SUB slow max", "SUB evens max", "SUB orphan max"),
        join(server, "HELLO 1 name=acmesleeper", "SUB small 1", "SUB pace max", "SUB nonsense"),
        join(server, "HELLO 1 name=acmeasker", "SUB asking max", "SUB _-- max", "SUB orders.print() 3"),
        join(server, "HELLO 1 name=acmestored", "SUB stored 20"),
        publisher := join(server, "HELLO 1 name=acmesender", f"SEND {LONG} 1"),
    ]
    for reader in readers:
        reader.drain()
    worker = join(server, "HELLO 1 name=acmeworker", "SERVE resize 3")

    def answer(number):
        call = worker.until("= 1.", 60).split(" ")[1]
        worker.say(f"= {call} 1", f"DONE {call}", "REQ 1 1")

    return [
        Repeated(3, answer),
        Repeated(50, lambda number: publisher.say(f"SEND orders {number}", f"SEND taps {number % 3}", f"SEND pace {number}")),
    ]


def expect_many(server):
    """Expects /metrics of 10,000 names within 2 s, with a count of the names that it leaves out."""
    took = 1e9
    for _ in range(3):  # the fastest counts, since the machine may be busy
        begun = time.monotonic()
        status, text = get(server.web, "/metrics")
        took = min(took, time.monotonic() - begun)
    expect(status == 200 and took < 2, f"/metrics of 10,000 names: {status} after {took:.2f} s")
    told = len(set(re.findall(r'^flow_subject_publications\{subject="(\w+)"\}', text, re.M)))
    left = int(re.search(r"^flow_metrics_left_out (\d+)$", text, re.M)[1])
    expect(told + left == 10_000 and told > 1000, f"{told} names told and {left} left out are not 10,000")
    lint(server, f"of {told} names, {left} left out")
    ok(f"10,000 names: answered in {took * 1000:.0f} ms")


def expect_rights():
    """Expects the answers that docs/operations.md names for each token and each host name."""
    tokens = "0123456789ab admin\n9876543210ba sub lab-*\n"
    options = ("--token-file", "{folder}/tokens", "--http-origin", "http://flow.example")
    with Server("SUBJECT lab-1\nSUBJECT office\n", *options, files=[("tokens", tokens)]) as server:
        check_rights(server.web)


def check_rights(web):
    for resource, wanted in (("/healthz", 200), ("/readyz", 401), ("/metrics", 401)):
        expect(get(web, resource)[0] == wanted, f"{resource} without a token: {get(web, resource)}")
    told = {}
    for token in ("0123456789ab", "9876543210ba"):
        told[token] = series(get(web, "/metrics", Authorization=f"Bearer {token}")[1])
        expect(get(web, "/readyz", Authorization=f"Bearer {token}") == (200, "ok\n"), "/readyz with a token")
    everything, some = told.values()
    expect({'flow_subject_publications{subject="office"}', "flow_connections"} <= everything, "admin is not told everything")
    expect('flow_subject_publications{subject="lab-1"}' in some, "what the patterns cover is not told")
    expect(not any("office" in one or "flow_connections" in one for one in some), "more is told than the patterns cover")
    for host, wanted in (("elsewhere:8569", 421), ("flow.example:8569", 200), ("localhost:8569", 200)):
        expect(get(web, "/healthz", Host=host)[0] == wanted, f"Host: {host}: {get(web, '/healthz', Host=host)}")
    ok("tokens and names of the server")


def expect_draining(server, name):
    """SIGTERM while somebody waits for what he has asked for: not ready, but well."""
    with server.client("HELLO 1", f"SUB {name} 1000"):
        server.terminate()
        expect_ready(server, "draining")
        server.terminate()
    expect(server.process.wait(20) == 0, "the server did not exit with 0")
    ok("the server ended with 0")


def main(processes):
    for kind, path in (("check", ALERTS), ("test", f"{ROOT}/Tests/System/alerts-test.yml")):
        found = subprocess.run(["promtool", kind, "rules", path], capture_output=True, text=True)
        expect(found.returncode == 0, f"promtool {kind} rules: {found.stdout}{found.stderr}")
        ok(f"promtool {kind} rules {os.path.relpath(path, ROOT)}")

    nats, port = processes.start_nats()
    names = "".join(f"SUBJECT name{n}\n" for n in range(10_000))
    with Server(DEFINITIONS, "--nats", f"127.0.0.1:{port}") as server, Server(names) as many:
        check(processes, nats, server, many)
        expect_rights()
        expect_draining(many, "name7")


def check(processes, nats, server, many):
    expect_ready(server)
    lint(server, "without traffic")
    expect_many(many)

    prometheus = Prometheus(processes, [server.web, f"127.0.0.1:{free_port()}"], [many.web])
    until("Prometheus to see the server up", lambda: prometheus.query(f'up{{instance="{server.web}"}} == 1'))
    parts = traffic(server)
    publisher = server.client("HELLO 1", "SEND taps 5")
    expect_ready(server, "run broken has failed")
    used = expect_answers(prometheus)
    expect_verdicts(prometheus)
    expect({"FlowDown", "FlowValuesLost", "FlowRunFailed"} <= prometheus.firing(), f"only {prometheus.firing()} fire")
    told = metrics_of("\n".join(re.findall(r"^# TYPE .*", get(server.web, "/metrics")[1], re.M)))
    unused = told - used - {"process_start_time_seconds"}
    expect(not unused, f"neither the dashboard nor an alert looks at {sorted(unused)}")
    expect_no_clients(server, ["acme"])

    nats.kill()
    nats.wait()
    expect_ready(server, "run broken has failed", "NATS is away")
    until("FlowNATSAway", lambda: "FlowNATSAway" in prometheus.firing())
    ok("FlowNATSAway")
    publisher.do("DELETE broken")
    expect_ready(server, "NATS is away")
    for part in parts:
        part.isOver = True


if __name__ == "__main__":
    with Processes() as processes:
        main(processes)
    print("the metrics are as they should be")

#!/usr/bin/env python3
"""Tests flow.js in a real Chromium, on a page of another origin.

    flowjs.py [WORD…]     all tests, or those whose names contain one of the words
"""
import contextlib
import functools
import http.server
import json
import os
import re
import sys
import tempfile
import threading
import time

from browser import Browser
from live import ROOT, Server, equal, run, until


class Pages:
    """A web server, whose pages have another origin than the FlowServer's."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(self, *_): pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=self.folder.name))
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def put(self, name, text):
        with open(os.path.join(self.folder.name, name), "w") as file:
            file.write(text)
        return f"{self.origin}/{name}"


SUBJECTS = "SUBJECT taps\nSUBJECT slow flow=slowest\nSUBJECT owned\nSUBJECT back\n"


def begin(options="{}", script="", at=None):
    """Opens a page with a connection, `flow`, and the list of its states, `states`."""
    at = at or server
    page = f"""<!doctype html><script type="module">
    import {{ connect }} from "http://{at.web}/flow.js";
    window.states = [];
    window.connect = connect;
    window.flow = connect(undefined, {{ state: (name, error) => states.push(error ? `${{name}} ${{error.code}}` : name), ...{options} }});
    {script}
    </script>"""
    browser.open(pages.put(f"{os.urandom(8).hex()}.html", page))
    browser.wait("return window.states?.length")


def streams():
    return netcat.rows("LIST streams")


def row(name):
    found = [line for line in streams() if f" name={name} " in line]
    return found[0] if found else ""


def number(key, text):
    return int(re.search(rf"\b{key}=(\d+)", text)[1])


def quiet():
    equal(browser.js("return trouble"), [])


# ---- reading ------------------------------------------------------------------------------------


def test_no_more_values_than_requested():
    """The server sends no more values of a busy subject than requested, by its own count."""
    begin(script='window.reader = flow.readable("taps").getReader();')
    until("a stream of taps", lambda: row("taps"))
    stop = threading.Event()

    def feed():
        feeder = server.client()
        feeder.say("FEED taps")
        count = 0
        while not stop.is_set():
            feeder.send(b"".join(b"%d\n" % n for n in range(count, count + 100)))
            count += 100
            time.sleep(0.001)
        feeder.close()

    thread = threading.Thread(target=feed)
    thread.start()
    try:
        for reads in range(1, 6):
            time.sleep(0.2)
            assert (sent := number("values", row("taps"))) == reads, (sent, reads)  # the reads so far, and one value in the stream's queue
            browser.run("await reader.read()")
        before = number("values", row("taps"))
        browser.run("for (let n = 0; n < 200; n++) await reader.read();")
        time.sleep(0.2)
        equal(number("values", row("taps")), before + 200 if before == 6 else 206)
    finally:
        stop.set()
        thread.join()
    assert browser.run("await reader.cancel(); return true")
    until("the stream of taps to end", lambda: not row("taps"))
    quiet()


def test_high_water_marks():
    begin(script='window.none = flow.readable("taps", { highWaterMark: 0 }); window.many = flow.readable("back", { highWaterMark: 16 });')
    until("streams of taps and back", lambda: row("taps") and row("back"))
    time.sleep(0.2)
    equal((number("demand", row("taps")), number("demand", row("back"))), (0, 16))
    browser.js("window.got = none.getReader().read()")
    until("a demand of 1", lambda: number("demand", row("taps")) == 1)
    netcat.ask("SEND taps 1")
    equal(browser.run("return got"), {"done": False, "value": 1})
    for n in range(20): netcat.ask(f"SEND back {n}")
    time.sleep(0.2)
    equal(number("values", row("back")), 16)
    # After reading half of the 16, the stream requests 8 more at once.
    equal(browser.run("const reader = many.getReader(); const all = []; for (let n = 0; n < 8; n++) all.push((await reader.read()).value); return all"), list(range(8)))
    until("a demand of 8", lambda: number("demand", row("back")) == 8)
    browser.js('window.endless = flow.readable("slow", { highWaterMark: Infinity })')
    until("an unlimited demand", lambda: " demand=max " in row("slow"))
    quiet()


def test_for_await_pipe_and_end():
    begin()
    equal(browser.run('const all = []; for await (const value of flow.readable("[1, [2], \\"three\\", null].publisher")) all.push(value); return all'), [1, [2], "three", None])
    equal(browser.run('''const all = [];
        await flow.readable("(1...5).publisher.map { $0 * $0 }", { highWaterMark: 3 }).pipeThrough(new TransformStream({ transform: (v, c) => c.enqueue(v + 1) }))
          .pipeTo(new WritableStream({ write: (v) => { all.push(v); } }));
        return all'''), [2, 5, 10, 17, 26])
    equal(browser.run('for await (const v of flow.readable("Just(1)", { raw: true })) return v'), "1")
    until("the streams of expressions to end", lambda: not [line for line in streams() if "client=" in line and "name=- " in line])
    quiet()


def test_errors_have_codes():
    begin()
    def code(script): return browser.run(f"try {{ {script} }} catch (error) {{ return error.code }}")
    equal(code('for await (const v of flow.readable("nothing")) ;'), "unknown-name")
    equal(code('for await (const v of flow.readable("taps.fliter { $0 }")) ;'), "syntax")
    equal(code('for await (const v of flow.readable("Just(1).map { fail(\\"odd\\") }")) ;') in ("stage", "odd", "syntax"), True)
    equal(code('await flow.writable("nothing").getWriter().closed'), "unknown-name")
    equal(code('await flow.send("nothing", 1)'), "unknown-name")
    equal(code('await flow.send("taps", "a\\nb", { raw: true })'), "usage")
    equal(code('await flow.writable("taps").getWriter().write("x".repeat(2 << 20))'), "value-too-long")
    equal(browser.run('return flow.send("taps", { a: 1 })'), {"to": 0, "missed": 0})
    quiet()


CODE = "const code = async (action) => { try { await action(); return 'none'; } catch (error) { return error.code; } };"


def test_lines_are_checked_before_they_are_sent():
    """A line that would end the connection is not sent: only the stream or command that it is part of fails."""
    begin(script='window.reader = flow.readable("taps").getReader();')
    equal(browser.run(CODE + r'''const first = async (expression) => { for await (const value of flow.readable(expression)) return value; };
        const long = ".map { $0 }".repeat(200_000), codes = [await first("(1...3).publisher\n\n   .map {\r\n $0 * 2 }\n")];
        for (const action of [() => first(`Just(1)${long}`), () => first("x".repeat(65_530)), () => flow.call("a\nb", 1), () => flow.call("a", "x".repeat(1 << 20)),
            () => flow.writable("a\nb").getWriter().closed, () => flow.serve("a\nb", () => 1).closed, () => flow.serve("a".repeat(70_000), () => 1).closed,
            () => flow.send("a\nb", 1), () => flow.send("taps", "x".repeat((1 << 20) - 1)), () => flow.send("n".repeat(128), "x".repeat((1 << 20) - 2))])
          codes.push(await code(action));
        await flow.send("taps", "x".repeat((1 << 20) - 2));
        return [...codes, (await reader.read()).value.length, ...states]'''),
        [2, "line-too-long", "line-too-long", "usage", "line-too-long", "usage", "usage", "line-too-long", "usage", "value-too-long", "line-too-long", (1 << 20) - 2, "open"])
    quiet()


def test_refusals_do_not_end_the_connection():
    begin(script='window.reader = flow.readable("taps").getReader();')
    equal(browser.run(CODE + '''const actions = [() => flow.readable("nothing").getReader().read(), () => flow.send("nothing", 1), () => flow.writable("nothing").getWriter().closed];
        const counts = {}, start = Date.now(), count = async (action) => { const key = await code(action); counts[key] = (counts[key] ?? 0) + 1; };
        for (let n = 0; n < 210; n++) await count(actions[n % 3]);
        const isPaced = Date.now() - start > 300;
        await Promise.all(Array.from({ length: 900 }, (_, n) => count(actions[n % 3])));
        await flow.send("taps", 1);
        return [counts, isPaced, (await reader.read()).value, states]'''), [{"unknown-name": 1110}, True, 1, ["open"]])
    equal(len(streams()), 1)
    quiet()


def test_drops_are_reported():
    begin(script='window.drops = []; window.reader = flow.readable("taps", { dropped: (...all) => drops.push(all) }).getReader();')
    until("a demand of 1", lambda: " demand=1 " in row("taps"))
    for n in range(4): netcat.ask(f"SEND taps {n}")
    equal(browser.run("return [(await reader.read()).value]"), [0])
    until("a demand of 1", lambda: " demand=1 " in row("taps"))
    netcat.ask("SEND taps 9")
    equal(browser.run("return [(await reader.read()).value, drops]"), [9, [[3, "no-demand"]]])


def test_values_of_all_kinds():
    begin(script='window.reader = flow.readable("taps", { raw: true, highWaterMark: 100 }).getReader(); window.writer = flow.writable("taps", { raw: true }).getWriter();')
    until("a stream of taps", lambda: row("taps"))
    time.sleep(0.2)
    equal(browser.run(r'''const values = ["", " ", "a\nb", "\r", "κόσμε \u{1f600} \u2028", "= 1 2", ": 1 5", "\u0000", "\ufeffa", "\ufeffa\nb", "x".repeat(1 << 20), "\n".repeat(1 << 20)];
        const bad = [];
        for (const value of values) { writer.write(value); const got = (await reader.read()).value; if (got !== value) bad.push([value.slice(0, 20), got.slice(0, 20)]); }
        return bad'''), [])
    quiet()


# ---- writing ------------------------------------------------------------------------------------


def test_writable_waits_for_the_slowest():
    other = server.client()
    other.ask("SUB slow 0")
    begin(script='''window.written = 0; window.writer = flow.writable("slow").getWriter();
        (async () => { for (let n = 0; n < 10; n++) { await writer.ready; writer.write(n).then(() => { written++; }); } })();''')
    time.sleep(0.5)
    equal(browser.js("return written"), 0)
    values = []

    def gets(count):
        while len(values) < count:
            values.append(int(other.until("= 1 ")[4:]))

    for demand, total in ((3, 3), (1, 4), (4, 8)):
        other.say(f"REQ 1 {demand}")
        gets(total)
        browser.wait(f"return written === {total}")
        time.sleep(0.2)
        equal(browser.js("return written"), total)
    other.say("REQ 1 max")
    gets(10)
    equal(values, list(range(10)))
    browser.run("await writer.close()")
    until("the publications to end", lambda: not [line for line in streams() if "publication" in line])
    quiet()
    other.close()


def test_writables_that_fail_are_taken_back():
    begin()
    equal(browser.run(CODE + '''await flow.send("taps", 1);
        const cyclic = {}; cyclic.self = cyclic;
        const codes = [await code(() => flow.writable("taps").getWriter().write("x".repeat(1 << 20))), await code(() => flow.writable("taps").getWriter().write(cyclic)),
          await code(() => flow.writable("owned", { owner: true }).getWriter().write("x".repeat(1 << 20)))];
        return [...codes, await code(() => flow.send("owned", 1))]'''), ["value-too-long", None, "value-too-long", "completed"])
    equal(streams(), [])
    quiet()


def test_publications_end():
    begin()
    browser.run('const w = flow.writable("owned", { owner: true }).getWriter(); await w.write(1); await w.abort(new Error("no more\\nof it"));')
    until("the subject to be completed", lambda: netcat.ask("SEND owned 1").startswith("ERR completed"))
    netcat.ask("DELETE owned")
    netcat.ask("SUBJECT owned")
    # An abort while a value waits does not wait for its grant.
    other = server.client()
    other.ask("SUB slow 0")
    equal(browser.run('const w = flow.writable("slow").getWriter(); const write = w.write(1); write.catch(() => {}); await new Promise(r => setTimeout(r, 200)); await w.abort("enough"); return write.catch(e => String(e))') != "", True)
    until("the publications to end", lambda: not [line for line in streams() if "publication" in line])
    browser.js('window.gone = flow.writable("back").getWriter(); window.code = gone.closed.catch(e => e.code)')
    until("a stream of back", lambda: row("back"))
    netcat.ask("DELETE back")
    equal(browser.run("return code"), "deleted")
    netcat.ask("SUBJECT back")
    other.close()


# ---- calls --------------------------------------------------------------------------------------


def test_calls():
    worker = server.client()
    worker.ask("SERVE upper 1 as=5")
    begin()
    browser.js(r'window.answer = flow.call("upper", { text: "a\"\\(x) \u0001\u{1f600}\n", list: [1, -2.5e-7, true, null, {}, []] })')
    line = worker.until("= 5.1")
    equal(json.loads(line[6:]), {"text": "a\"\\(x) \u0001\U0001f600\n", "list": [1, -2.5e-7, True, None, {}, []]})
    worker.say('= 5.1 "A"\nDONE 5.1\nREQ 5 1')
    equal(browser.run("return answer"), "A")
    browser.js('window.answer = flow.call("upper", 1).catch((error) => `${error.code}: ${error.message}`)')
    worker.until("= 5.2")
    worker.say("FAIL 5.2 broken no such picture\nREQ 5 1")
    equal(browser.run("return answer"), "broken: no such picture")
    browser.js('window.answer = flow.call("upper", 1).then((value) => value === undefined)')
    worker.until("= 5.3")
    worker.say("DONE 5.3\nREQ 5 1")
    equal(browser.run("return answer"), True)
    quiet()
    worker.close()


def test_services():
    begin(script='''window.most = 0; let now = 0;
        window.service = flow.serve("double", async (n) => { most = Math.max(most, ++now); await new Promise(r => setTimeout(r, 30)); now--; return n * 2; }, { jobs: 2 });
        flow.serve("count", async function* (n) { try { for (let i = 0; i < n; i++) { window.made = i + 1; yield i; } } finally { window.ended = true; } });
        flow.serve("fails", () => { throw Object.assign(new Error("two\\nlines"), { code: "odd" }); });''')
    other = server.client()

    def take(expression, count):
        other.say(f"TAKE {expression} {count}")
        values = []
        while not (line := other.line()).startswith(("DONE", "FAIL", "ERR")):
            if line.startswith("= "): values.append(line.split(" ", 2)[2])
        return values, line

    equal(take("(1...6).publisher.flatMap(maxPublishers: .max(6)) { ask(double, $0) }.collect()", 1)[0], ["[2,4,6,8,10,12]"])
    equal(browser.js("return most"), 2)
    values, last = take("ask(fails, 1)", 1)
    assert re.match(r"FAIL \d+ odd two lines$", last), last
    # A generator makes little more than requested, and ends when its caller is done.
    equal(take("ask(count, 1000000)", 3)[0], ["0", "1", "2"])
    browser.wait("return window.ended")
    assert browser.js("return made") <= 70, browser.js("return made")
    browser.js("service.stop()")
    until("the service to stop", lambda: "double" not in "".join(row for row in services()))
    quiet()
    other.close()


def test_every_call_has_one_end():
    """Whatever is thrown, the call fails with a code, and makes room for the next one."""
    begin(script=r'''const thrown = { none: null, nothing: undefined, boom: new Error("boom"), bare: Object.create(null), symbol: Symbol("s"), number: Object.assign(new Error("n"), { code: 7 }),
          words: Object.assign(new Error("w"), { code: "Two words" }), marks: new Error("e" + "\u0301".repeat(100)), long: new Error("x".repeat(1 << 21)), lone: new Error("\ud800"),
          getter: { get code() { throw 1; } }, odd: Object.assign(new Error("two\nlines"), { code: "odd" }) };
        for (const [name, error] of Object.entries(thrown)) { flow.serve(name, () => { throw error; }); flow.serve(`${name}-later`, () => Promise.reject(error)); }
        flow.serve("bigint", () => 1n);
        flow.serve("large", () => "x".repeat(1 << 20));
        window.returned = 0;
        flow.serve("generated", async function* () { try { yield 1; yield "x".repeat(1 << 20); } finally { returned++; } });
        flow.serve("hanging", async function* () { try { yield "x".repeat(1 << 20); } finally { await new Promise(() => {}); } });''')
    other = server.client()

    def end(name):
        other.say(f"TAKE ask({name}, 1) 3")
        while not (line := other.line()).startswith(("DONE", "FAIL")): pass
        return line.split(" ", 3)[2]

    names = ["none", "nothing", "boom", "bare", "symbol", "number", "words", "marks", "long", "lone", "getter"]
    for name in [*names, *(f"{name}-later" for name in names), "bigint"]:
        equal((name, end(name), end(name)), (name, "failed", "failed"))
    equal((end("odd"), end("odd-later")), ("odd", "odd"))
    for name in ("large", "generated"): equal((end(name), end(name)), ("value-too-long", "value-too-long"))
    equal(end("hanging"), "value-too-long")
    equal(browser.js("return [returned, states]"), [2, ["open"]])
    quiet()
    other.close()


def services():
    return [line for line in netcat.rows("LIST services") if "workers=0" not in line]


# ---- lost connections ---------------------------------------------------------------------------


def test_goes_on_after_a_restart():
    """Reconnecting requests the remaining demand, opens publications and services again, and fails a pending call."""
    cat = server.client()
    begin(script='''window.got = []; window.written = 0;
        (async () => { for await (const value of flow.readable("taps", { highWaterMark: 5 })) { got.push(value); if (got.length == 2) await new Promise(() => {}); } })();
        window.writer = flow.writable("slow").getWriter();
        (async () => { for (let n = 0; n < 10; n++) { await writer.ready; await writer.write(n); written++; } })();
        flow.serve("double", (n) => n * 2);
        window.lost = flow.call("nobody", 1).catch((error) => error.code);''')
    cat.ask("SUB slow 3")
    browser.wait("return written === 3")
    for n in range(3): cat.ask(f"SEND taps {n}")
    browser.wait("return got.length === 2")
    remaining = number("demand", row("taps"))
    server.kill()
    browser.wait("return states.at(-1) === 'away lost'")
    equal(browser.run("return lost"), "lost")
    time.sleep(1)
    server.start()
    browser.wait("return states.at(-1) === 'open'")
    cat = server.client()
    rows = until("three streams", lambda: len(rows := cat.rows("LIST streams")) >= 3 and rows)
    equal(number("demand", next(line for line in rows if " name=taps " in line)), remaining)
    cat.ask("SUB slow 7")
    browser.wait("return written >= 9")
    cat.say("TAKE ask(double, 21) 1")
    equal(cat.until("= 2 "), "= 2 42")
    # The first signal makes the server say that it stops; the second ends it though the page has open demand.
    cat.close()
    server.terminate()
    time.sleep(0.3)
    server.terminate()
    browser.wait("return states.includes('away shutdown')")
    equal(server.process.wait(10), 0)
    equal(browser.run("return states.filter((state) => state === 'open').length"), 2)
    browser.js("flow.close()")
    equal(browser.js("return states.at(-1)"), "closed closed")
    quiet()


def test_backoff_begins_anew_when_a_connection_has_lasted():
    begin(script=r'''window.times = [];
        window.WebSocket = class {
          bufferedAmount = 0;
          constructor() { times.push(Date.now()); setTimeout(() => this.onmessage({ data: "HI flow/9 proto=1 maxline=65536 maxvalue=1048576 auth=none" })); }
          send(line) {
            const [tag, verb] = line.split(" ");
            if (verb === "HELLO") this.onmessage({ data: `${tag} OK hello 1` });
            if (verb === "SUB") setTimeout(() => this.onclose(), times.length === 5 ? 5100 : 0);
          }
          close() {}
        };
        connect().readable("taps");''')
    browser.wait("return times.length >= 6", 20)
    gaps = browser.js("return times.slice(1).map((time, place) => time - times[place])")
    assert gaps[3] >= 800 and gaps[4] < 5100 + 500, gaps


def test_tokens():
    options = ["--token-file", "{folder}/tokens", "--http-origin", pages.origin]
    with Server(SUBJECTS, *options, files=[("tokens", "sesame sub,send\n")]) as closed:
        begin('{ token: "sesame", name: "page" }', at=closed)
        browser.wait("return states[0] === 'open'")
        equal(browser.run('for await (const value of flow.readable("Just(3)")) return value'), 3)
        begin('{ token: "wrong" }', at=closed)
        equal(browser.js("return states"), ["closed denied"])
        equal(browser.run('return flow.send("taps", 1).catch((error) => error.code)'), "denied")


def test_example_of_the_documentation():
    """Opens the example from a file, and from another origin."""
    with open(f"{ROOT}/docs/browser.md") as file:
        example = re.search(r"```html\n(.*?)```", file.read(), re.S)[1]
    with Server("SUBJECT taps\n", "--http-origin", "null", "--http-origin", pages.origin) as other:
        example = example.replace("127.0.0.1:8569", other.web)
        address = pages.put("example.html", example)
        for url in (address, "file://" + os.path.join(pages.folder.name, "example.html")):
            browser.open(url)
            browser.wait("return document.querySelectorAll('li').length >= 2", 10)
            browser.js("document.querySelector('button').click()")
            browser.wait("return document.body.innerText.includes('clicks: 1')")


def test_example_of_the_readme():
    """Runs the example on the live page, as in its console."""
    with open(f"{ROOT}/README.md") as file:
        example = re.search(r"```js\n(.*?)```", file.read(), re.S)[1]
    browser.open(server.url)
    shown = browser.run("const shown = [], console = { log: (value) => shown.push(value) };" + example + "return shown")
    equal(shown, [20, 40, 60])


@contextlib.contextmanager
def begun():
    """Provides a server for a test, and a client of it."""
    global server, netcat
    with Server(SUBJECTS, "--http-origin", pages.origin) as server, server.client() as netcat:
        try:
            yield
        except Exception:
            print(browser.js("return [window.states, window.trouble]"))
            raise


if __name__ == "__main__":
    pages = Pages()
    with Browser() as browser:
        code = run(__name__, sys.argv[1:], begun)
    sys.exit(code)

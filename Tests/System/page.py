#!/usr/bin/env python3
"""Tests the server's web page in a real browser.

    page.py [WORD…]     all tests, or those whose names contain one of the words; FLOW_SHOTS is a folder for screenshots
"""

import json
import re
import subprocess
import sys
import time

from browser import DOWN, ENTER, ESCAPE, TAB, Browser
from live import Processes, Server, expect, program, run
from pictures import COMMAND, outdated
from scenes import SCENES, play, sends, subscribe

FLAGS = "return [...document.querySelectorAll('.flag')].filter(n => n.offsetWidth).map(n => n.innerText)"
ROWS = "return [...document.querySelectorAll('#list li')].filter(n => !n.hidden).length"
GROUP = "return document.querySelector('#live').dataset.group"
FOLD = "return document.querySelector('#fold:not([hidden]) summary')?.innerText"
NESTED = "return [...document.querySelectorAll('#stages .nested')].map(n => n.innerText).join()"
LIVE = "return document.getElementById('link').dataset.state === 'live' && !document.body.classList.contains('stale')"


def layout(browser, where):
    """Returns the layout and contrast problems of the visible page."""
    return [f"{where}: {problem}" for problem in browser.problems("layout", "contrast")]


def test_scenes(browser):
    """values arrive, and the verdict names the cause, in four live scenes"""
    scenes = {
        "slow-stage": ("held", "Held up by flatMap: its 2 publishers are always busy", "held up here"),
        "slow-client": ("held", "(billing)", "held up here"),
        "dropping": ("losing", "Loses", "held up here"),
        "all-well": ("well", "All is well", None),
    }
    with Server(SCENES) as server:
        parts = play(server)
        browser.size(1280, 900)
        browser.show(server, "live/slow-stage")
        time.sleep(4)
        for name, (group, words, flag) in scenes.items():
            browser.show(server, f"live/{name}", anew=False)
            browser.wait(f"{GROUP} === '{group}' && document.querySelector('#verdict .says').innerText.includes({json.dumps(words)})")
            browser.wait("return [...document.querySelectorAll('#stages .rate')].every(n => n.innerText && n.innerText !== '0/s')")
            flags = browser.js(FLAGS)
            assert flags == ([flag] if flag else []), (name, flags)
            browser.wait("return document.querySelector('.view .beads').getAttribute('d').length > 50")
            browser.wait(f"return document.querySelector('#list a[aria-current]').dataset.group === '{group}'")
            if name == "slow-stage":
                assert "blocked" in browser.text("#stages .facts") and "2 of 2 at work" in browser.text("#stages .facts")
                assert "Just($0)" in browser.text("#stages .nested .code"), browser.text("#stages .nested")
            if name == "dropping":
                assert "lost in all" in browser.text("#stages .loss")
        browser.show(server, "live/resized", anew=False)
        browser.wait(f"{NESTED}.includes('asks resize: 1 worker, ') && {NESTED.removeprefix('return ')}.includes('wait')")
        browser.wait("return document.querySelector('#verdict .says').innerText.includes('the worker of resize takes no more calls')")
        browser.show(server, "live/sums", anew=False)
        browser.wait("return document.querySelector('#ends').innerText.includes('Into the subject totals')")
        browser.wait("return document.querySelector('#ends').innerText.includes('Values take ')")
        browser.show(server, "live/orders", anew=False)
        browser.wait("return document.querySelector('#ends').innerText.includes('in slow-client')")
        browser.wait("return document.querySelector('#verdict .says').innerText.includes('(billing) in slow-client')")
        browser.quiet()
        for part in parts:
            part.isOver = True


def test_figures(browser):
    """list, verdict and lanes show the same rate; a held up client shows for how long; demand is shown in words"""
    with Server(SCENES) as server:
        parts = play(server)
        subscribe(server, "all-well", "second")
        asking = server.client("SUB ask(nobody, 1) 1")
        browser.size(1280, 900)
        browser.show(server, "live/all-well")
        browser.wait("return document.querySelector('#unserved').innerText.startsWith('nobody has no worker: 1 call of client ')")
        browser.wait("return document.querySelector('#verdict .says').innerText.includes('All is well: ')")
        rates = """
            const row = [...document.querySelectorAll('#list li')].find(n => n.querySelector('.nm').textContent === 'all-well');
            const lanes = [...document.querySelectorAll('#stages .rate')].map(n => n.textContent);
            const [, came, went] = /: (\\S+) come in, (\\S+) go out/.exec(document.querySelector('#verdict .says').textContent);
            return [[row.querySelector('.rate').textContent, went], [lanes[0], came], [lanes.at(-1), went]];"""
        for _ in range(12):
            time.sleep(0.23)
            for shown, told in browser.js(rates):
                assert shown == told, browser.js(rates)
        browser.wait(f"const rate = parseFloat((() => {{{rates}}})()[0][1]); return rate > 25 && rate < 35")
        assert all(line.endswith(" values asked for") for line in browser.text("#stages .asked").split("\n")), browser.text("#stages .asked")
        assert browser.text("#ends tbody td:nth-child(2)").split("\n") == ["any number"] * 2, browser.text("#ends tbody")
        browser.show(server, "live/slow-client", anew=False)
        browser.wait("return /^[0-9.]+ s$/.test(document.querySelector('#ends .worst td:last-child')?.innerText)")
        browser.wait("return document.querySelector('#verdict .hint').innerText.startsWith('It has been so for ')")
        assert browser.text("#ends .worst td:nth-child(2)") in ("nothing", "1 value"), browser.text("#ends tbody")
        asking.do("CANCEL 1")
        browser.wait("return document.querySelector('#unserved').hidden")
        browser.quiet()
        for part in parts:
            part.isOver = True


def test_begins(browser):
    """the page opens on the pipeline that is held up, else on the busiest, and stays with the one that the user has chosen"""
    opens = "return location.hash"
    for width in (1280, 375):
        with Server(SCENES) as server:
            browser.size(width, 900)
            subscribe(server, "joined")
            browser.open(server.url)
            browser.wait(f"{opens} === '#/live/all-well'")  # all are quiet, and this is the first
            part = sends(server, "numbers", 20)
            browser.wait(f"{opens} === '#/live/joined'")  # the run sums passes less
            subscribe(server, "slow-stage")
            parts = [part, sends(server, "jobs", 30)]
            browser.wait("return document.title.startsWith('(')")
            expect(browser.js(opens) == "#/live/joined", "the page left a name that values pass")
            browser.open(server.url)
            browser.wait(f"{opens} === '#/live/slow-stage'")
            browser.show(server, "live/all-well")
            browser.show(server, "try/taps", anew=False)
            browser.click("[data-tab='live']")
            browser.wait("return document.querySelector('#live:not([hidden]) #name')?.innerText === 'all-well'")
            time.sleep(3)  # samples that could lead away
            expect(browser.js(opens) == "#/live/all-well", "the page left the name that was chosen")
            if width == 375:
                browser.click(".back")
                time.sleep(3)
                expect(browser.js(opens) == "#/", "the page left the list of names")
            browser.quiet()
            for part in parts:
                part.isOver = True
    browser.size(1280, 900)


def test_idle(browser):
    """idle names are folded into a row that opens with the keyboard, stays open, and gives up a name that wakes"""
    shown = "return [...document.querySelectorAll('#list .nm')].filter(n => n.checkVisibility()).map(n => n.innerText).join()"
    with Server("SUBJECT taps\nSUBJECT numbers\nPIPELINE all-well = numbers.map { $0 }\nPIPELINE unused = taps.map { $0 }\n") as server:
        browser.size(1280, 900)
        browser.open(server.url)
        browser.wait(f"{shown} === 'all-well,numbers,taps,unused'")
        time.sleep(2.5)
        expect(browser.js(FOLD) is None, "a list in which all is idle is folded")
        subscribe(server, "all-well")
        parts = [sends(server, "numbers", 20)]
        browser.wait(f"{FOLD} === '2 idle names'")
        expect(browser.js(shown) == "all-well,numbers", browser.js(shown))
        browser.js("document.querySelector('#list a').focus()")
        browser.keys(DOWN, DOWN)
        expect(browser.js("return document.activeElement.tagName") == "SUMMARY", "the arrow keys do not reach the row")
        nodes = [node for node in browser.cdp("Accessibility.getFullAXTree")["nodes"] if node.get("name", {}).get("value") == "2 idle names"]
        expect(any(one["name"] == "expanded" and not one["value"]["value"] for node in nodes for one in node.get("properties", [])), nodes)
        browser.keys(ENTER)
        browser.wait(f"{shown} === 'all-well,numbers,taps,unused'")
        browser.keys(DOWN, DOWN, ENTER)
        browser.wait("return location.hash === '#/live/unused' && document.activeElement.matches('#idle [aria-current]')")
        browser.show(server, "live/all-well")
        browser.wait(f"{FOLD} === '2 idle names'")
        expect(browser.js(shown) == "all-well,numbers,taps,unused", "the page has forgotten that the row was open")
        browser.click("#fold summary")
        browser.wait(f"{shown} === 'all-well,numbers'")
        browser.type("#filter", "un")
        browser.wait(f"{shown} === 'unused'")
        browser.type("#filter", "")
        subscribe(server, "unused")
        parts.append(sends(server, "taps", 20))
        browser.wait(f"{shown} === 'all-well,numbers,taps,unused'")
        browser.quiet()
        for part in parts:
            part.isOver = True


def test_signs(browser):
    """the sign, the words and the verdict of a name say the same"""
    row = """
        const row = document.querySelector('#list a[title=taps]');
        return [row.querySelector('.sign').textContent, row.querySelector('.why').textContent, %s];
    """ % GROUP.removeprefix("return ")
    with Server("SUBJECT taps\n") as server:
        reader = server.client("HELLO 1 name=billing", "SUB taps 5 as=1").drain()
        part = sends(server, "taps", 20)
        browser.size(1280, 900)
        browser.show(server, "live/taps")
        browser.wait("return document.querySelector('#verdict .says').innerText.startsWith('Loses ')")
        browser.wait("return document.querySelector('#list a[title=taps]').dataset.group === 'losing'")
        sign, words, group = browser.js(row)
        expect((sign, group) == ("✕", "losing") and words == "loses values: client 1 (billing) is slow", browser.js(row))
        reader.say("REQ 1 max")
        browser.wait("return document.querySelector('#verdict .says').innerText.startsWith('All is well')")
        browser.wait("return document.querySelector('#list a[title=taps]').dataset.group === 'well'")
        expect(browser.js(row) == ["✓", "1 reader", "well"], browser.js(row))
        browser.quiet()
        part.isOver = True


def test_pictures():
    """the pictures of the README show the page as it is now"""
    expect(not outdated(), f"{' and '.join(outdated())}: shows an older page; {COMMAND} makes it anew")


def test_nats(browser):
    """a subject in NATS shows whether NATS is up or away"""
    with Processes() as processes:
        nats, port = processes.start_nats()
        with Server("SUBJECT parcels flow=slowest on=nats\n", "--nats", f"127.0.0.1:{port}") as server:
            subscribe(server, "parcels")
            part = sends(server, "parcels", 20)
            browser.size(1280, 900)
            browser.show(server, "live/parcels")
            browser.wait("return document.querySelector('#stages .more + .more').innerText.startsWith('NATS is up')")
            assert browser.text("#kind") == "subject in NATS" and "in NATS" in browser.text("#stages .more")
            assert not (found := layout(browser, "nats")), found
            browser.shot("nats")
            nats.kill()
            browser.wait("return document.querySelector('#stages .more + .more').innerText.startsWith('NATS is away')")
            browser.wait("return document.querySelector('#verdict .says').innerText.startsWith('NATS is away')")
            browser.quiet()
            part.isOver = True


def test_layout(browser):
    """at 1280, 768 and 360 px, light and dark: no text over another or out of its box, contrast 4.5"""
    attempt = "try/taps.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 1) }.merge(with: taps.map { $0 * 2 })"
    views = ["live/slow-stage", "live/slow-client", "live/dropping", "live/resized", "live/sums", "live/unused", "live/orders", attempt, ""]
    problems = []
    with Server(SCENES) as server:
        parts = play(server)
        asking = server.client("SUB ask(nobody, 1) 1")
        browser.show(server, "live/slow-stage")
        time.sleep(4)
        for width, height in ((1280, 1500), (768, 1700), (360, 2300)):
            for scheme in ("light", "dark"):
                browser.size(width, height)
                browser.media(scheme)
                for view in views:
                    browser.show(server, view, anew=False)
                    time.sleep(0.7)
                    name = re.sub(r"[^\w-].*", "", view.removeprefix("live/")) or "list"
                    problems += layout(browser, f"{width} {scheme} {name}")
                    browser.shot(f"{name}-{width}-{scheme}")
        asking.do("CANCEL 1")
        browser.media()
        browser.quiet()
        for part in parts:
            part.isOver = True
    assert not problems, "\n".join(problems)
    return f"{len(views) * 6} views"


def test_hostile(browser):
    """markup and right-to-left marks in stages, values, labels, addresses and tried expressions are shown as text"""
    evil = "<img src=x onerror=alert(1)>"
    definitions = "SUBJECT taps\nSUBJECT " + "n" * 128 + "\n"
    definitions += f'PIPELINE evil = taps.map {{ "{evil}<b>\u202e" + $0 }}.filter {{ $0 != "</script><script>alert(2)</script>" }}\n'
    with Server(definitions, "--http-show-values") as server:
        subscribe(server, "evil", "<b>bold</b><img/src=x/onerror=alert(3)>")
        part = sends(server, "taps", 20, value=lambda number: json.dumps(f"{evil}{number}"))
        for width in (1280, 360):
            browser.size(width, 2000)
            for view in ("live/evil", "live/" + "n" * 128, ""):
                browser.show(server, view)
                time.sleep(1)
                assert browser.js("return document.querySelectorAll('img, b:not(.sign)').length") == 0
                assert not (found := browser.problems("layout")), (width, view[:20], found)
        browser.show(server, "live/evil")
        browser.wait("return document.querySelector('#ends tbody a')")
        assert evil in browser.text("#stages .code") and "\\u{202e}" in browser.text("#stages .code")
        assert "<b>bold</b>" in browser.text("#ends tbody")
        browser.wait("return [...document.querySelectorAll('#stages .last')].some(n => n.innerText.includes('latest') && n.innerText.includes('<img'))")
        browser.open(f"{server.url}#/live/%3Cimg%20src%3Dx%20onerror%3Dalert(4)%3E")
        browser.wait("return document.getElementById('empty').innerText.includes('<img')")
        browser.show(server, "try/taps")
        browser.type("#expr", f"{evil}.map {{ $0 }}")
        browser.wait("return !document.getElementById('trouble').hidden")
        assert "<img" in browser.text("#trouble") and browser.js("return document.images.length") == 0
        browser.size(1280, 900)
        browser.quiet()
        part.isOver = True


def test_many(browser):
    """200 pipelines: filter and groups work, rows keep their order, and samples cost under half a core"""
    definitions = SCENES + "".join(f"PIPELINE sensor-{n:03} = numbers.map {{ $0 + {n} }}\n" for n in range(200))
    with Server(definitions) as server:
        parts = play(server)
        for n in range(0, 40):
            subscribe(server, f"sensor-{n:03}", "reader")
        browser.show(server, "live/slow-stage")
        browser.wait(ROWS + " === 214")
        browser.type("#filter", "sensor-07")
        assert browser.js(ROWS) == 10
        browser.type("#filter", "")
        browser.wait("return [...document.querySelectorAll('#groups button')].some(n => n.innerText.startsWith('Well 4'))", 15)
        browser.js("[...document.querySelectorAll('#groups button')].find(n => n.dataset.group === 'held').click()")
        assert 2 <= browser.js(ROWS) < 12, browser.js(ROWS)
        browser.click("#groups button")
        order = "return [...document.querySelectorAll('#list .nm')].map(n => n.textContent).join()"
        before = browser.js(order)
        browser.cdp("Performance.enable")

        def used():
            metrics = {metric["name"]: metric["value"] for metric in browser.cdp("Performance.getMetrics")["metrics"]}
            return metrics["TaskDuration"], metrics["Nodes"]

        first = used()
        time.sleep(5)
        last = used()
        share = (last[0] - first[0]) / 5
        assert share < 0.5 and last[1] < first[1] * 1.3, (share, first, last)
        assert browser.js(order) == before, "rows moved"
        browser.quiet()
        for part in parts:
            part.isOver = True
    return f"{share * 100:.0f} % of a core in the browser"


def test_comes_back(browser):
    """the page says that a killed server is gone, and reconnects when it is back"""
    with Server(SCENES) as server:
        play(server)
        browser.show(server, "live/all-well")
        browser.wait("return document.querySelector('#stages .rate').innerText !== '0/s'")
        server.kill()
        browser.wait("return document.getElementById('link').innerText.includes('reconnecting') && document.body.classList.contains('stale')")
        assert browser.js("return document.querySelectorAll('#stages li').length") == 3, "the stages are no longer shown"
        browser.shot("lost")
        time.sleep(1.5)
        server.write("server.flow", SCENES + "PIPELINE newcomer = numbers.map { $0 }\n")
        server.start()
        browser.wait(LIVE, 15)
        browser.wait("return document.getElementById('list').textContent.includes('newcomer')")
        parts = play(server)
        browser.wait("return document.querySelector('#stages .rate').innerText !== '0/s'")
        browser.click("#fold summary")
        browser.wait("return document.querySelector('#idle li:last-child')?.innerText.includes('unused')")
        browser.js("document.querySelector('#idle li:last-child a').focus()")
        server.client("PIPELINE latest = numbers.map { $0 }")
        browser.wait("return document.getElementById('list').innerText.includes('latest')")
        assert browser.js("return document.activeElement.textContent.includes('unused')"), "the focus moved"
        assert not (found := browser.js("return [...violations, ...trouble]")), found
        for part in parts:
            part.isOver = True


def test_keys(browser):
    """the whole page works with the keyboard alone"""
    with Server(SCENES) as server:
        parts = play(server)
        browser.show(server, "live/slow-stage")
        browser.keys(TAB)
        assert browser.js("return document.activeElement.className") == "skip"
        browser.keys(ENTER)
        assert browser.js("return document.activeElement.id") == "main"
        browser.keys("/")
        assert browser.js("return document.activeElement.id") == "filter"
        browser.keys(*"drop")
        browser.wait(ROWS + " === 1")
        browser.keys(ESCAPE)
        browser.wait(ROWS + " > 10")
        browser.js("document.querySelector('#list a').focus()")
        browser.keys(DOWN, ENTER)
        browser.wait("return location.hash === '#/live/dropping' && document.querySelector('#stages .rate')?.innerText")
        browser.wait("return document.querySelector('#stages .code')?.innerText === 'taps'")
        assert browser.js("return getComputedStyle(document.activeElement).outlineStyle") != "none"
        browser.js("document.querySelector('header nav a').focus()")
        browser.keys(TAB, TAB)
        assert browser.js("return document.activeElement.id") == "pause"
        browser.keys(ENTER)
        text = browser.text("#stages")
        time.sleep(1.2)
        assert browser.js("return document.querySelector('#pause').ariaPressed") == "true"
        assert (later := browser.text("#stages")) == text, (text, later)
        browser.keys(ENTER)
        browser.js("const r = document.createRange(); r.selectNodeContents(document.querySelector('#stages .code'));"
                   "getSelection().removeAllRanges(); getSelection().addRange(r)")
        time.sleep(1.2)
        assert browser.js("return String(getSelection())").startswith("taps"), "the selection was lost"
        nodes = browser.cdp("Accessibility.getFullAXTree")["nodes"]
        for node in nodes:
            role, name = node.get("role", {}).get("value"), node.get("name", {}).get("value", "")
            if not node.get("ignored") and role in ("button", "link", "textbox", "searchbox", "combobox", "navigation"):
                assert name, f"{role} without a name"
        # Types a pipeline, with completion.
        browser.show(server, "try/taps")
        browser.js("document.getElementById('expr').focus(); document.getElementById('expr').select()")
        browser.keys(*"numb", DOWN, ENTER, *".filt", DOWN)
        browser.shot("words")
        assert browser.js("return document.getElementById('expr').getAttribute('aria-activedescendant')") == "word0"
        browser.keys(TAB, *" { $0 > 2 }")
        browser.wait("return document.querySelectorAll('#lanes li').length === 2")
        assert browser.js("return document.getElementById('expr').value") == "numbers.filter { $0 > 2 }"
        browser.quiet()
        for part in parts:
            part.isOver = True


def test_still(browser):
    """with reduced motion nothing moves"""
    with Server(SCENES) as server:
        parts = play(server)
        browser.media(motion="reduce")
        browser.show(server, "live/all-well")
        browser.wait("return document.querySelector('.pipe.flows')")
        time.sleep(0.5)
        assert browser.js("return document.getAnimations().length") == 0
        browser.media()
        browser.wait("return document.getAnimations().length > 0")
        browser.quiet()
        for part in parts:
            part.isOver = True


def test_try(browser):
    """the page tries a pipeline: only requested values come, errors show their place, its test passes"""
    with Server("SUBJECT taps\nPIPELINE even = taps.filter { $0 % 2 == 0 }\n") as server:
        browser.size(1280, 1000)
        browser.show(server, "try/taps.filter { $0 % 2 == 0 }.map { $0 * 10 }")
        out = "return document.querySelector('#lanes > li:last-child .rate').innerText"
        browser.wait("return document.querySelectorAll('#lanes > li').length === 3")
        browser.wait("return document.getElementById('asked').innerText === '0 outstanding'", 12)
        assert browser.js(out) == "3 out"
        time.sleep(1)
        assert browser.js(out) == "3 out" and "nothing asked" in browser.text("#lanes > li:last-child .asked")
        browser.click("[data-ask='1']")
        browser.wait(out.replace("return ", "return '4 out' === "), 6)
        browser.click("[data-ask='5']")
        browser.wait(out.replace("return ", "return '5 out' === "), 6)
        marbles = browser.js("return [...document.querySelectorAll('#lanes > li:last-child .marble:not(.lost) text')].map(n => n.textContent).join()")
        assert marbles.startswith("20,40,60"), marbles
        browser.click("[data-ask='u']")
        browser.wait("return document.querySelector('[data-ask=\"1\"]').disabled && document.getElementById('asked').innerText.includes('any')", 3)
        browser.type("#expr", "taps\n  .fliter { $0 > 1 }")
        browser.wait("return document.getElementById('trouble').innerText.includes('did you mean')", 5)
        _, wrong, mark = browser.text("#trouble").split("\n")
        assert (wrong, mark) == ("  .fliter { $0 > 1 }", "   ^^^^^^"), browser.text("#trouble")
        browser.shot("trouble")
        browser.js("document.querySelector('#try details').open = true")
        texts = [
            "even.map { $0 + 1 }",
            "taps.map { $0 * 2 }.flatMap(maxPublishers: .max(2)) { ask(resize, $0) }",
            "taps.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest).flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.6) }",
        ]
        for place, text in enumerate(texts):
            browser.type("#expr", text)
            browser.wait(f"return document.querySelectorAll('#lanes .nested li').length === {place}")
            if place:
                browser.wait("return [...document.querySelectorAll('#lanes .nested .more')].some(n => n.innerText.includes('1 open'))")
            if place == 1:
                assert browser.text("#stand-ins").startswith("A stand-in for resize answers")
            time.sleep(1.5)
            browser.click("#tap")
            browser.click("[data-ask='5']")
            time.sleep(1.5)
            browser.wait("return document.getElementById('test').innerText.includes('tried ⇠')")
            server.write("tried.flow", browser.text("#test") + "\n")
            result = subprocess.run([program("flowclient"), "test", server.path("tried.flow")], capture_output=True, text=True)
            assert result.returncode == 0, result.stdout + result.stderr + browser.text("#test")
        browser.shot("try-inner")
        # What asks stands below what scrolls, and never over it.
        for width, height in ((375, 667), (768, 1024), (1280, 720)):
            browser.size(width, height)
            browser.js("document.querySelector('#lanes').scrollIntoView({block: 'end'})")
            top, end, lane = browser.js("return ['.asker', '.bench', '#lanes'].map((one, i) => "
                                        "document.querySelector(one).getBoundingClientRect()[i ? 'bottom' : 'top'])")
            expect(lane <= end + 1 and end <= top + 1, f"{width}: the last lane ends at {lane}, the scrolled part at {end}, what asks begins at {top}")
            expect(browser.js("return document.querySelector('.asker').getBoundingClientRect().bottom <= innerHeight + 1"), f"{width}: asks off the page")
        browser.size(1280, 1000)
        browser.type("#expr", "taps.tryMap { $0 > 2 ? fail(\"too much\") : $0 }")
        browser.wait("return document.getElementById('asked').innerText === 'failed: too much'")
        assert browser.js("return document.querySelectorAll('#lanes .failed').length") == 1
        browser.quiet()


def test_login(browser):
    """a form without layout problems asks for a token, then the page opens"""
    with Server(SCENES, "--token-file", "{folder}/tokens", files=[("tokens", "secret-one sub\n")]) as server:
        problems = []
        for width, height in ((1280, 900), (360, 700)):
            for scheme in ("light", "dark"):
                browser.size(width, height)
                browser.media(scheme)
                browser.open(server.url)
                browser.wait("return document.activeElement?.tagName === 'INPUT'")
                browser.keys(*"wrong", ENTER)
                browser.wait("return document.querySelector('[role=alert]')?.innerText.includes('not known')")
                problems += layout(browser, f"{width} {scheme} login")
                browser.shot(f"login-{width}-{scheme}")
                server.kill()  # a restart, since so many wrong tokens would lock out this address
                server.start()
        assert not problems, "\n".join(problems)
        browser.media()
        browser.size(1280, 900)
        browser.open(server.url + "#/live/slow-stage")
        browser.keys(*"wrong", ENTER)
        browser.wait("return document.querySelector('[role=alert]')?.innerText.includes('not known')")
        browser.keys(*"secret-one", ENTER)
        browser.wait("return document.getElementById('list')?.innerText.includes('slow-stage')")
        assert browser.js("return document.cookie") == ""
        assert browser.js("return location.pathname + location.hash") == "/#/live/slow-stage"
        server.kill()
        server.start()
        browser.wait("return document.getElementById('token')", 15)  # the session has ended, so the form is back
        browser.quiet("401")


if __name__ == "__main__":
    sys.exit(run(__name__, sys.argv[1:], browser=Browser))

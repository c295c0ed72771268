"""A headless Chromium, driven through chromedriver by plain WebDriver JSON."""

import base64
import json
import os
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from live import ROOT, Failed, expect, free_port, is_listening, until

TAB, ENTER, ESCAPE, DOWN = "\ue004", "\ue007", "\ue00c", "\ue015"

# Records errors that the page does not show; `quiet` reads them.
WATCH = """
window.violations = []; window.trouble = [];
addEventListener('securitypolicyviolation', e => violations.push(e.violatedDirective + ' ' + e.blockedURI));
addEventListener('error', e => trouble.push(String(e.message)));
addEventListener('unhandledrejection', e => trouble.push(String(e.reason)));
window.alert = text => trouble.push('alert ' + text);
"""


# Calls an async function; passes its result, or what it throws as `error`.
ASYNC = """
const done = arguments[0];
(async () => { %s })().then(value => done({value}), error => done({error: `${error?.code} ${error?.stack ?? error}`}));
"""


class Browser:
    """Runs until the end of the `with`. If FLOW_SHOTS names a folder, screenshots go there."""

    def __init__(self):
        self.shots = os.environ.get("FLOW_SHOTS")
        if self.shots:
            os.makedirs(self.shots, exist_ok=True)
        port = free_port()
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until("chromedriver to listen", lambda: is_listening(port))
        self.base = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        wanted = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += f"/session/{answer['sessionId']}"
        self.call("POST", "/timeouts", {"script": 20_000})
        self.cdp("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.size(1280, 900)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise Failed(error.read().decode()[:1000]) from None

    def cdp(self, command, **parameters):
        return self.call("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def js(self, source, *arguments):
        return self.call("POST", "/execute/sync", {"script": source, "args": arguments})

    def run(self, source):
        """Runs the body of an async function; returns its result."""
        answer = self.call("POST", "/execute/async", {"script": ASYNC % source, "args": []})
        expect("error" not in answer, answer.get("error"))
        return answer.get("value")

    def size(self, width, height):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def media(self, scheme="light", motion="no-preference"):
        features = {"prefers-color-scheme": scheme, "prefers-reduced-motion": motion}
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": name, "value": value} for name, value in features.items()])

    def open(self, url):
        """Loads a page, even if it is already open."""
        self.call("POST", "/url", {"url": "about:blank"})
        self.call("POST", "/url", {"url": url})

    def keys(self, *keys):
        presses = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": presses}]})

    def click(self, selector):
        self.js("document.querySelector(arguments[0]).click()", selector)

    def type(self, selector, text):
        """Sets the text of an input field."""
        self.js(
            "const node = document.querySelector(arguments[0]); node.focus(); node.value = arguments[1];"
            "node.dispatchEvent(new Event('input'))", selector, text)

    def text(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(n => n.innerText).join('\\n')", selector)

    def wait(self, source, seconds=10):
        return until(source, lambda: self.js(source), seconds)

    def shot(self, name):
        if self.shots:
            with open(os.path.join(self.shots, f"{name}.png"), "wb") as file:
                file.write(base64.b64decode(self.cdp("Page.captureScreenshot", format="png")["data"]))

    def quiet(self, *expected):
        """Expects no errors in the page or the browser's log, except those that contain a text of `expected`."""
        found = self.js("return [...violations, ...trouble]")
        log = [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]
        log = [message for message in log if "ERR_" not in message and not any(word in message for word in expected)]
        expect(not found + log, found + log)

    def problems(self, *scripts):
        """Returns what the named scripts, layout or contrast, find wrong with the visible page."""
        found = []
        for name in scripts:
            with open(f"{ROOT}/Tests/System/page/{name}.js", encoding="utf-8") as file:
                found += self.js(file.read())
        return found

    # The page

    def show(self, server, view, anew=True):
        """Opens a view of the page, such as `live/NAME`, and waits until it shows something."""
        kind, _, what = view.partition("/")
        address = f"#/{kind}/{urllib.parse.quote(what, safe='')}" if what else f"#/{kind}"
        if anew:
            self.open(server.url + address)
        else:
            self.js("location.hash = arguments[0]", address)
        if view.startswith("live/"):
            name = json.dumps(what)
            self.wait(
                f"return document.getElementById('name').innerText === {name} && !document.getElementById('live').hidden"
                " && document.querySelectorAll('#stages li').length > 0 && document.querySelector('#verdict .says').innerText")
        else:
            self.wait("return document.body.dataset.view && document.getElementById('totals').innerText")
        if view.startswith("try"):
            self.wait("return document.querySelectorAll('#lanes li').length > 0")

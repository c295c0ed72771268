#!/usr/bin/env python3
"""Makes the pictures of the live page that README.md shows: the demo server, with a pipeline that is held up, and a try.

    FLOW_BIN=$(Scripts/programs) Tests/System/pictures.py

Each picture carries a digest of the page's files, with which `Scripts/ci page` finds pictures of an older page.
"""

import base64
import hashlib
import struct
import sys
import time
import zlib

from browser import Browser
from live import ROOT, Server
from scenes import sends, subscribe

HELD_UP, TRIED = PICTURES = ("docs/page-held-up.png", "docs/page-try.png")
COMMAND = "FLOW_BIN=$(Scripts/programs) Tests/System/pictures.py"
KEYWORD = b"Flow page"
SIGNATURE = b"\x89PNG\r\n\x1a\n"
EXPRESSION = """taps
  .buffer(size: 3, prefetch: .byRequest, whenFull: .dropOldest)
  .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.6) }"""


def digest():
    """Returns the digest of the files that decide how the page looks, and of this scene."""
    files = [f"Sources/FlowPage/Files/{name}" for name in ("index.html", "page.css", "page.js")]
    text = hashlib.sha256()
    for name in [*files, "Tests/System/pictures.py"]:
        with open(f"{ROOT}/{name}", "rb") as file:
            text.update(file.read())
    return text.hexdigest().encode()


def chunks(png):
    """Yields the kind and the content of each chunk of a PNG."""
    place = len(SIGNATURE)
    while place < len(png):
        length, kind = struct.unpack(">I4s", png[place : place + 8])
        yield kind, png[place + 8 : place + 8 + length]
        place += length + 12


def stamped(png):
    """Returns the picture, compressed as well as zlib can, with the digest of the page that it shows."""
    content = {kind: b"".join(data for one, data in chunks(png) if one == kind) for kind in (b"IHDR", b"IDAT")}
    content[b"IDAT"] = zlib.compress(zlib.decompress(content[b"IDAT"]), 9)
    parts = [*content.items(), (b"tEXt", KEYWORD + b"\0" + digest()), (b"IEND", b"")]
    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )


def outdated():
    """Returns the pictures that show an older page than the sources."""
    found = []
    for name in PICTURES:
        with open(f"{ROOT}/{name}", "rb") as file:
            if (b"tEXt", KEYWORD + b"\0" + digest()) not in chunks(file.read()):
                found.append(name)
    return found


def take(browser, name):
    picture = stamped(base64.b64decode(browser.cdp("Page.captureScreenshot", format="png")["data"]))
    with open(f"{ROOT}/{name}", "wb") as file:
        file.write(picture)
    print(f"{name}: {len(picture) // 1000} kB")


def main():
    with Server("", "demo") as server, Browser() as browser:
        for name in ("slow", "even"):
            subscribe(server, name, "screen")
        server.client("HELLO 1 name=burst", *(f"SEND taps {number}" for number in range(1, 25)))
        parts = [sends(server, "taps", 2, lambda number: number + 24), sends(server, "numbers", 20)]
        browser.size(1100, 850)
        browser.open(server.url)
        browser.wait("return location.hash === '#/live/slow'")
        time.sleep(21)  # until the lanes are full
        take(browser, HELD_UP)
        browser.size(1100, 870)
        browser.show(server, f"try/{EXPRESSION}", anew=False)
        browser.wait("return document.getElementById('asked').innerText === '0 outstanding'")
        browser.js("document.querySelector('#form').scrollIntoView()")
        time.sleep(1.5)
        browser.click("[data-ask='5']")
        time.sleep(3)
        take(browser, TRIED)
        for part in parts:
            part.isOver = True


if __name__ == "__main__":
    sys.exit(main())

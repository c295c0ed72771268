#!/usr/bin/env python3
"""Tests of the live page with real servers, real clients and a real browser; Scripts/test-page runs it.

    check.py [--shots FOLDER] [--no-browser] [NAME…]     all tests, or those whose names contain one of the words
"""

import inspect
import os
import sys
import time
import traceback

import page
import web
from browser import Browser


def main():
    words = sys.argv[1:]
    shots = None
    if "--shots" in words:
        place = words.index("--shots")
        shots = words[place + 1]
        del words[place:place + 2]
        os.makedirs(shots, exist_ok=True)
    hasBrowser = "--no-browser" not in words
    words = [word for word in words if word != "--no-browser"]
    tests = [
        (name.removeprefix("test_"), test) for room in (web, page) for name, test in vars(room).items()
        if name.startswith("test_") and (not words or any(word in name for word in words))
    ]
    browser, failed, skipped = None, 0, 0
    try:
        for name, test in tests:
            needs = bool(inspect.signature(test).parameters)
            if needs and not hasBrowser:
                skipped += 1
                continue
            if needs and not browser:
                browser = Browser(shots)
            began = time.monotonic()
            try:
                told = test(browser) if needs else test()
                told = f" ({told})" if told else ""
                print(f"ok: {name}, {time.monotonic() - began:.1f} s: {test.__doc__.strip()}{told}", flush=True)
            except Exception as error:
                failed += 1
                frames = traceback.extract_tb(error.__traceback__)
                place = next((frame for frame in reversed(frames) if frame.name == test.__name__), frames[-1])
                print(f"FAILED: {name}, line {place.lineno}, {type(error).__name__}: {error}", flush=True)
    finally:
        if browser:
            browser.close()
    if skipped:
        print(f"{skipped} checks need a browser and were skipped")
    print(f"{len(tests) - failed - skipped} of {len(tests) - skipped} checks of the page passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

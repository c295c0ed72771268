"""Counts the acts of a process of the campaign, and prints them twice a second, since it may be killed at any time."""

import asyncio
import os
from collections import Counter

counts = Counter()


def tell(what):
    counts[what] += 1


async def telling():
    while True:
        await asyncio.sleep(0.5)
        text = "".join(f"{number}\t{what}\n" for what, number in counts.items())
        counts.clear()
        os.write(1, text.encode())

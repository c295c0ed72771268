#!/usr/bin/env python3
"""Reads a journal as docs/journal-format.md describes it, and prints what it holds.

    Tests/System/journal.py DIR            subjects, consumers, positions
    Tests/System/journal.py DIR SUBJECT    the values of a subject, one a line: SEQUENCE TIME BYTES
"""
import struct
import sys
from pathlib import Path

TABLE = list(range(256))
for _ in range(8):
    TABLE = [rest >> 1 ^ (0x82F63B78 if rest & 1 else 0) for rest in TABLE]


def crc(data, checksum=0):
    rest = ~checksum & 0xFFFFFFFF
    for byte in data:
        rest = rest >> 8 ^ TABLE[(rest ^ byte) & 255]
    return ~rest & 0xFFFFFFFF


class Segment:
    def __init__(self, path, store):
        self.data = path.read_bytes()
        for head in (self.data[:128], self.data[2048:2176]):
            if head[:8] == b"FLOWSEG1" and struct.unpack_from("<I", head, 8)[0] == crc(head[12:]) and head[32:48] == store:
                break
        else:
            raise ValueError(f"{path.name} has no header")
        self.number, self.salt = struct.unpack_from("<Q8s", head, 16)
        self.before, self.before_end, self.before_batch, self.before_crc, flags = struct.unpack_from("<QQQII", head, 48)
        self.base, self.cold = struct.unpack_from("<Q", head, 96)[0], bool(flags & 2)
        self.seed, self.end, self.sealed = crc(self.salt), len(self.data), self.cold

    def frames(self):
        place = 4096
        number, chain = (1, 0) if self.cold else (self.before_batch + 1, self.before_crc)
        while place + 40 <= self.end:
            checksum, length, found, _, before, _, flags = struct.unpack_from("<IIQQIIQ", self.data, place)
            if length < 40 or place + length > self.end or found != number or before != chain or flags & 4:
                return
            whole = crc(self.data[place + 4:place + length], self.seed) == checksum
            if not whole and not self.sealed:
                return
            yield number, flags, list(self.records(place + 40, place + length, whole))
            place, number, chain = place + length, number + 1, checksum

    def records(self, place, end, whole):
        while place < end:
            checksum, word, ident, extra, sequence = struct.unpack_from("<IIIIQ", self.data, place)
            count = word & 0xFFFFFFF
            if whole or crc(self.data[place + 4:place + 24 + count], self.seed) == checksum:
                yield word >> 28, ident, extra, sequence, self.data[place + 24:place + 24 + count]
            place += 24 + count + 7 & ~7


class Journal:
    def __init__(self, folder):
        store = (folder / "store").read_bytes()
        assert store[:8] == b"FLOWSTO1" and struct.unpack_from("<I", store, 8)[0] == crc(store[12:64])
        self.subjects, self.consumers, self.values = {}, {}, {}
        self.named, self.moved = set(), set()
        begun = (path for path in sorted(folder.glob("*.seg")) if path.read_bytes()[:4096].strip(b"\0"))
        segments = {segment.number: segment for segment in (Segment(path, store[16:32]) for path in begun)}
        main = sorted((s for s in segments.values() if not s.cold), key=lambda s: s.number)
        for segment in (segment for segment in main if segment.before in segments):
            segments[segment.before].end, segments[segment.before].sealed = segment.before_end, True
        first, start = self.checkpoint(main)
        waiting, complete = [], first is None
        for segment in (segment for segment in main if segment.number >= start):
            for number, flags, records in segment.frames():
                self.keep(segment, records)
                if number < (first or 0) or (complete and flags & 1):
                    continue
                if flags & 1 or complete:
                    self.apply(records)
                    complete = complete or bool(flags & 2)
                else:
                    waiting.append(records)
                while complete and waiting:
                    self.apply(waiting.pop(0))
        for segment in (segments[number] for number in self.named - self.moved if number in segments):
            for _, _, records in segment.frames() if segment.cold or segment.number < start else []:
                self.keep(segment, records)

    @staticmethod
    def checkpoint(main):
        begun, newest = {}, (None, 0)
        for segment in main:
            for number, flags, records in segment.frames():
                if flags & 1:
                    _, _, part, first, _ = records[0]
                    begun.setdefault(first, []).append((part, segment.number))
                    if flags & 2 and len(begun[first]) == part + 1:
                        newest = (first, begun[first][0][1])
        return newest

    def keep(self, segment, records):
        for kind, ident, extra, sequence, data in records:
            if kind == 1:
                self.values.setdefault(ident, {})[sequence] = (segment.base + extra, data)

    def apply(self, records):
        for kind, ident, extra, sequence, data in sorted(records, key=lambda record: record[0] == 1):
            subject = self.subjects.get(ident)
            if kind == 4:
                first = struct.unpack_from("<Q", data)[0]
                new = {"line": b"", "first": first, "next": sequence, "kept": extra, "memory": {}, "lost": []}
                self.subjects.setdefault(ident, new)["line"] = data[8:]
            elif kind in (1, 8) and subject:
                subject["next"] = max(subject["next"], sequence + 1)
                if subject["kept"]:
                    subject["memory"][sequence] = (0, data)
                    subject["memory"] = dict(sorted(subject["memory"].items())[-subject["kept"]:])
                    subject["first"] = min(subject["memory"])
            elif kind == 2:
                self.consumers.get(ident, {})["position"] = sequence
            elif kind == 3 and subject:
                subject["first"] = max(subject["first"], sequence)
            elif kind == 5:
                self.subjects.pop(ident, None)
                self.consumers = {k: v for k, v in self.consumers.items() if ident not in (k, v["subject"])}
            elif kind == 6:
                self.consumers[ident] = {"subject": extra, "name": data, "position": sequence}
            elif kind == 9:
                self.named.add(sequence)
                self.moved |= {struct.unpack("<Q", data)[0]} - {0}
            elif kind == 11 and subject:
                last = struct.unpack("<Q", data)[0]
                subject["lost"].append((sequence, last))
                subject["next"] = max(subject["next"], last + 1)


def main(folder, subject=None):
    journal = Journal(Path(folder))
    if subject is not None:
        known = journal.subjects[int(subject)]
        values = known["memory"] if known["kept"] else journal.values.get(int(subject), {})
        for sequence in range(known["first"], known["next"]):
            print(sequence, *([values[sequence][0], values[sequence][1].decode()] if sequence in values else ["is lost"]))
        return
    for ident, known in sorted(journal.subjects.items()):
        print(f"subject {ident} first={known['first']} next={known['next']} kept={known['kept']} lost={known['lost']}", known["line"].decode(errors="replace"))
    for ident, known in sorted(journal.consumers.items()):
        print(f"consumer {ident} subject={known['subject']} position={known['position']}", known["name"].decode(errors="replace"))


if __name__ == "__main__":
    main(*sys.argv[1:])

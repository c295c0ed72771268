"""Tests the parser and the codec of flow.py without a server."""
import random, unittest
from flow import Lost, Parser, decode, encode, literal

STREAM = ("HI flow/1 proto=1 maxvalue=1048576\n# for people\n\n@7 OK sub 7 x demand=2\r\n= 7 grüße 🎈\n= 7\n= 7 \n= 7  two \n"
          "= 7 cr\r\n: 7 0\n\n: 7 5\na\nb\r\n\n: 5.17 4\n= 7 \r\n@7 * a row\nDROP 7 3 no-demand\nNEWS of = 7 x\n@! ERR usage ü\nDONE 7\n").encode()
FRAMES = [("HI", "flow/1", "proto=1 maxvalue=1048576"), ("OK", "7", "sub 7 x demand=2"), ("value", "7", "grüße 🎈".encode()),
          ("value", "7", b""), ("value", "7", b""), ("value", "7", b" two "), ("value", "7", b"cr"), ("value", "7", b""),
          ("value", "7", b"a\nb\r\n"), ("value", "5.17", b"= 7 "), ("row", "7", "a row"), ("DROP", "7", "3 no-demand"),
          ("NEWS", "of", "= 7 x"), ("ERR", "!", "usage ü"), ("DONE", "7", "")]


def frames(*pieces):
    parser = Parser()
    return [frame for piece in pieces for frame in parser.feed(piece)]


class ParserTests(unittest.TestCase):
    def test_every_split(self):
        for at in range(len(STREAM) + 1): self.assertEqual(frames(STREAM[:at], STREAM[at:]), FRAMES, at)

    def test_splits_in_three(self):
        for first in range(0, len(STREAM), 3):
            for second in range(first, len(STREAM), 5):
                self.assertEqual(frames(STREAM[:first], STREAM[first:second], STREAM[second:]), FRAMES, (first, second))

    def test_single_bytes(self):
        self.assertEqual(frames(*(STREAM[i:i + 1] for i in range(len(STREAM)))), FRAMES)

    def test_a_mebibyte_in_small_pieces(self):
        payload = random.Random(1).randbytes(1 << 20)
        data = b": 1 1048576\n" + payload + b"\nDONE 1\n"
        self.assertEqual(frames(*(data[i:i + 100] for i in range(0, len(data), 100))), [("value", "1", payload), ("DONE", "1", "")])

    def test_frames_before_a_broken_one_are_kept(self):
        for broken in [b": 1 x\n", b": 1\n", b": x 1\n", b": 1 -1\n", b": 1 99999999\n", b": 1 1234567890\n", b":\n", b": 1 2\nabc\n", b": 1 2\nab\rc\n"]:
            found = []
            with self.subTest(broken), self.assertRaises(Lost) as caught:
                for frame in Parser().feed(b"= 1 before\n" + broken + b"= 1 after\n"): found.append(frame)
            self.assertEqual((found, caught.exception.code), ([("value", "1", b"before")], "protocol"))

    def test_any_bytes(self):
        chance = random.Random(20)
        for _ in range(2000):
            words = [chance.choice([b"= 1 ", b": 1 3\n", b"@", b"@! ", b"OK ", b"\r", b"\n", b" ", b"#", chance.randbytes(3)]) for _ in range(20)]
            try: frames(*words)
            except Lost as error: self.assertEqual(error.code, "protocol")


class CodecTests(unittest.TestCase):
    def test_values(self):
        for value in [None, True, 1, -1.5e-9, "", "grüße\n🎈", [], {}, {"a": [1, {"b": None}]}]: self.assertEqual(decode(encode(value)), value)

    def test_values_that_are_not_json(self):
        for payload in [b"NaN", b"-Infinity", b"hello", b"", b"1 2", b"\xef\xbb\xbf1", b"[" * 100_000, b"1" * 10_000]:
            self.assertEqual(decode(payload), payload.decode())
        self.assertEqual(decode(b"\xff\x00"), b"\xff\x00")
        self.assertEqual(decode(b"1", raw=True), b"1")
        for value in [float("nan"), float("inf"), "\ud800"]:
            with self.assertRaises(ValueError): encode(value)
        with self.assertRaises(TypeError): encode(object())

    def test_literals(self):
        self.assertEqual(literal({"a": [1, "\"\\\n\u2028é"], "b": None}), '["a": [1, "\\u{22}\\u{5c}\\u{a}\\u{2028}é"], "b": null]')
        self.assertEqual(literal([{}, [], True, -1.5]), "[[:], [], true, -1.5]")

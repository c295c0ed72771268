"""Tests flow.py with scripted servers, whose behaviour is rare in real ones."""
import asyncio, faulthandler, random, traceback, unittest
from flow import Failed, Flow, FlowError, Lost, Refused
from flowpy.script import Script

QUICK = dict(backoff=(0.01, 0.05))


class ScriptedTests(unittest.IsolatedAsyncioTestCase):
    def setUp(self): faulthandler.dump_traceback_later(30, exit=True)
    async def asyncSetUp(self): asyncio.get_running_loop().slow_callback_duration = 5
    def tearDown(self): faulthandler.cancel_dump_traceback_later()

    async def test_signals_after_cancel_are_ignored(self):
        async def play(peer):
            await peer.greet()
            _, id = await peer.opened()
            peer.say(f"= {id} 1")
            await peer.expect(rf"@{id} CANCEL {id}")
            peer.say(f"= {id} 2", f"DROP {id} 4 no-demand", f": {id} 3\n= 9\n".encode(), f"@{id} OK cancel {id} values=3 missed=5 undelivered=0")
            peer.say(f"= {id} 4", f"DONE {id}", "= 999 1", "CANCEL 999.1", "FAIL 999 x")
            tag, = await peer.expect("@(.*) LIST")
            peer.say(f"@{tag} OK list 0")
            await peer.end()
        got = []
        async with Script(play) as script, Flow(script.address) as flow:
            async with flow.subscribe("x") as values:
                async for value in values:
                    got.append(value)
                    break
            await flow.command("LIST")
        self.assertEqual((got, values.missed), ([1], 9))

    async def test_values_and_the_end_may_come_before_the_answer(self):
        async def play(peer):
            await peer.greet()
            for end in ["DONE {}", "FAIL {} odd"]:
                tag, _, id = await peer.expect(r"@(\S+) SUB x (\d+) as=(\d+)")
                peer.say(f"= {id} 1", end.format(id), f"@{tag} OK sub {id} - demand=16")
            tag, id = await peer.expect(r"@(\d+) PUB p as=(\d+)")
            peer.say(f"CANCEL {id} completed", f"@{tag} OK pub {id} p demand=0")
            await peer.end()
        async with Script(play) as script, Flow(script.address) as flow:
            async with flow.subscribe("x") as values: self.assertEqual([value async for value in values], [1])
            async with flow.subscribe("x") as values:
                iterator = aiter(values)
                self.assertEqual(await anext(iterator), 1)
                with self.assertRaises(Failed): await anext(iterator)
            with self.assertRaises(Failed):
                async with flow.publisher("p"): pass

    async def test_unknown_frames_and_answers_are_ignored(self):
        async def play(peer):
            await peer.greet()
            _, id = await peer.opened()
            peer.say(f"NEWS {id} x", f"value {id} x", f"row {id} x", f"lost {id} x", f"reset {id} x", "@! PONG", "@! ERR usage no", "@zz OK list 3", "* row", "ERR", "OK",
                     "", "# hello", "@", "@x", f"REQ {id} x", f"DROP {id} x", f"CANCEL {id} x", f"REQ {id}.1 1", f"= {id} 1", f"DONE {id}")
            await peer.end()
        async with Script(play) as script, Flow(script.address) as flow:
            with self.assertLogs("flow", "WARNING"): self.assertEqual([value async for value in flow.subscribe("x")], [1])

    async def test_a_value_cut_off_in_the_middle(self):
        async def first(peer):
            await peer.greet()
            _, id = await peer.opened()
            peer.say(f"= {id} 1", f"= {id} 2", f": {id} 1000\nhalf of it".encode())
            await peer.writer.drain()
        async def second(peer):
            await peer.greet()
            demands.append((await peer.opened())[0])
            peer.say("= 1 3", "DONE 1")
            await peer.end()
        demands = []
        async with Script(first, second) as script, Flow(script.address, **QUICK) as flow:
            self.assertEqual([value async for value in flow.subscribe("x", 4)], [1, 2, 3])
        self.assertTrue(2 <= demands[0] <= 4, demands)

    async def test_reconnecting_requests_only_the_remaining_demand(self):
        async def first(peer):
            await peer.greet()
            await peer.opened()
            peer.say("= 1 1", "= 1 2", "= 1 3")
        async def second(peer):
            await peer.greet()
            demands.append((await peer.opened())[0])
            again.set()
            await peer.end()
        demands, again = [], asyncio.Event()
        async with Script(first, second) as script, Flow(script.address, **QUICK) as flow:
            async for value in flow.subscribe("x", 10):
                await again.wait()
                break
        self.assertEqual(demands, [7])

    async def test_half_closed(self):
        async def first(peer):
            await peer.greet()
            peer.writer.write_eof()
            await peer.end()
        async def second(peer):
            await peer.greet()
            await peer.opened()
            peer.say("DONE 1")
            await peer.end()
        async with Script(first, second) as script, Flow(script.address, **QUICK) as flow:
            self.assertEqual([value async for value in flow.subscribe("x")], [])

    async def test_random_bytes(self):
        chance = random.Random(7)
        for seed in range(40):
            async def play(peer):
                await peer.greet()
                await peer.opened()
                peer.say(chance.randbytes(3000), b"\n: 1 x\n")
                await peer.end()
            async with Script(play) as script, Flow(script.address, **QUICK) as flow:
                with self.subTest(seed), self.assertRaises(Lost) as caught: [value async for value in flow.subscribe("x")]
            self.assertEqual(caught.exception.code, "protocol")

    async def test_no_flow_server(self):
        for greeting in [b"SSH-2.0-OpenSSH\r\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"= 1 x\n", b": x\n", random.Random(1).randbytes(500) + b"\n"]:
            async def play(peer):
                peer.say(greeting)
                await peer.end()
            async with Script(play) as script:
                with self.subTest(greeting), self.assertRaises(Lost) as caught: await Flow(script.address).__aenter__()
            self.assertEqual(caught.exception.code, "protocol")
        async def silent(peer): pass
        async with Script(silent) as script:
            with self.assertRaises(Lost) as caught: await Flow(script.address).__aenter__()
        self.assertIn(caught.exception.code, ["lost", "unreachable"])
        self.assertEqual(len(script.peers), 1)
        with self.assertRaises(Lost) as caught: await Flow(script.address).__aenter__()
        self.assertEqual(caught.exception.code, "unreachable")

    async def test_goodbyes(self):
        for code, comes_again in [("shutdown", True), ("idle", True), ("limit", True), ("overflow", True), ("errors", True), ("auth", False), ("revoked", False), ("killed", False)]:
            async def first(peer):
                await peer.greet()
                await peer.opened()
                peer.say(f"BYE {code} because", "= 1 1")
            async def second(peer):
                await peer.greet()
                await peer.opened()
                peer.say("DONE 1")
                await peer.end()
            with self.subTest(code):
                async with Script(first, second) as script, Flow(script.address, **QUICK) as flow:
                    if comes_again: self.assertEqual([value async for value in flow.subscribe("x")], [])
                    else:
                        with self.assertRaises(Lost) as caught: [value async for value in flow.subscribe("x")]
                        self.assertEqual((caught.exception.code, caught.exception.text), (code, "because"))

    async def test_backoff(self):
        async def welcome(peer): await peer.greet()
        async def refuse(peer): times.append(asyncio.get_running_loop().time())
        times = []
        async with Script(welcome, refuse) as script, Flow(script.address, backoff=(0.02, 0.2)):
            while len(times) < 8: await asyncio.sleep(0.01)
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        self.assertGreater(gaps[-1], 0.09, gaps)

    async def test_backoff_of_connections_that_do_not_last(self):
        """A connection that ends soon is followed by a longer wait; one that has lasted, by the shortest wait."""
        async def greets(peer):
            times.append(asyncio.get_running_loop().time())
            await peer.greet()
            await peer.expect(r"@(\S+) SUB x 16 as=1")
            if len(times) == 8: await asyncio.sleep(1.1)
        times = []
        async with Script(greets) as script, Flow(script.address, backoff=(0.02, 1)) as flow:
            flow.subscribe("x")
            while len(times) < 9: await asyncio.sleep(0.01)
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        self.assertGreater(gaps[6], 0.09, gaps)
        self.assertLess(gaps[7], 1.1 + 0.4, gaps)  # the longest wait is 0.5 s at least

    async def test_connecting_is_cancelled_as_it_succeeds(self):
        ended = asyncio.Event()
        async def play(peer):
            await peer.greet()
            await peer.end()
            ended.set()
        async with Script(play) as script:
            flow = Flow(script.address)
            task, begin = asyncio.create_task(flow.__aenter__()), flow._begin
            flow._begin = lambda limit: begin(limit) or task.cancel()
            with self.assertRaises(asyncio.CancelledError): await task
            await ended.wait()

    async def test_a_silent_server_is_given_up(self):
        async def first(peer):
            await peer.greet()
            while (line := await peer.reader.readline()): heard.append(line)
        async def second(peer):
            await peer.greet()
            again.set()
            await peer.end()
        heard, again = [], asyncio.Event()
        async with Script(first, second) as script, Flow(script.address, ping=0.03, **QUICK):
            await again.wait()
        self.assertEqual(heard, [b"PING\n"] * 4)

    async def test_draining(self):
        async def first(peer):
            await peer.greet()
            tag, id = await peer.expect(r"@(\d+) PUB p as=(\d+)")
            peer.say(f"@{tag} OK pub {id} p demand=0", f"DRAIN {id}", f"CANCEL {id} draining")
            draining.set()
            await added.wait()
            peer.say("BYE shutdown bye")
            rest.extend([line async for line in peer.reader])
        async def second(peer):
            await peer.greet()
            tag, id = await peer.expect(r"@(\d+) PUB p as=(\d+)")
            peer.say(f"@{tag} OK pub {id} p demand=1")
            _, sub = await peer.opened()
            await peer.expect(f"= {id} 7")
            peer.say(f"= {sub} 1", f"DONE {sub}")
            await peer.end()
        draining, added, rest = asyncio.Event(), asyncio.Event(), []
        async with Script(first, second) as script, Flow(script.address, **QUICK) as flow:
            publisher = flow.publisher("p")
            await draining.wait()
            while not flow._is_draining: await asyncio.sleep(0)
            values = flow.subscribe("x")
            added.set()
            await publisher.send(7)
            self.assertEqual([value async for value in values], [1])
        self.assertEqual([line for line in rest if b"PING" not in line], [])

    async def test_grants(self):
        async def play(peer):
            await peer.greet()
            tag, id = await peer.expect(r"@(\d+) PUB p as=(\d+)")
            peer.say(f"REQ {id} 1", f"@{tag} OK pub {id} p demand=1")
            for number in [1, 2]: await peer.expect(f"= {id} {number}")
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(0.05): await peer.line()
            peer.say(f"REQ {id} max")
            for number in [3, 4, 5]: await peer.expect(f"= {id} {number}")
            await peer.expect(f"@{id} DONE {id}")
            self.assertFalse(ended.done())
            peer.say(f"@{id} OK done {id}")
            await peer.end()
        async def send(flow):
            async with flow.publisher("p") as publisher:
                for number in range(1, 6): await publisher.send(number)
        async with Script(play) as script, Flow(script.address) as flow:
            ended = asyncio.create_task(send(flow))
            await ended

    async def test_calls(self):
        async def play(peer):
            await peer.greet()
            demand, id = await peer.opened(r"SERVE f (\d+) as=(\d+)")
            self.assertEqual(demand, 2)
            peer.say(f": {id}.1 3\na\nb\n".encode(), f"= {id}.2 long")
            await begun.wait()
            peer.say(f"CANCEL {id}.2")
            await peer.expect(f"REQ {id} 1")
            peer.say(f"= {id}.3 long", f"CANCEL {id}.3")
            await peer.expect(f"REQ {id} 1")
            peer.say(f"REQ {id}.1 1")
            for line in [f": {id}.1 5", "a", "b", "!", f"DONE {id}.1", f"REQ {id} 1"]: await peer.expect(line)
            peer.say(f"= {id}.4 broken")
            for line in [f"FAIL {id}.4 odd no luck [?]", f"REQ {id} 1"]: await peer.expect(line)
            await peer.expect(rf"@{id} CANCEL {id}")
            peer.say(f"= {id}.5 late", f"@{id} OK cancel {id} values=4 missed=0 undelivered=0")
            await peer.end()
        begun, ended, got = asyncio.Event(), [], []
        async def answer(text):
            got.append(text)
            if text == "broken": raise FlowError("odd", "no\nluck \udcff")
            if text == "long":
                begun.set()
                try: await asyncio.sleep(60)
                finally: ended.append(text)
            return text.encode() + b"\n!"
        async with Script(play) as script, Flow(script.address) as flow:
            async with flow.serve("f", answer, jobs=2):
                while "broken" not in got: await asyncio.sleep(0.01)
        self.assertEqual((sorted(got), ended), (["a\nb", "broken", "long"], ["long"]))

    async def test_errors(self):
        async def play(peer):
            await peer.greet()
            for answer in ["ERR unknown-name unknown name", "ERR draining bye", "OK sub 3 x demand=16\nFAIL 3 odd-code"]:
                tag, = await peer.expect(r"@(\d+) SUB x 16 as=\d+")
                peer.say("\n".join(f"@{tag} {line}" if line[0] != "F" else line for line in answer.split("\n")))
            tag, = await peer.expect(r"@(\d+) PUB p as=4")
            peer.say(f"@{tag} OK pub 4 p demand=0", "CANCEL 4 completed")
            await peer.end()
        async with Script(play) as script, Flow(script.address) as flow:
            with self.assertRaises(Refused) as caught: [value async for value in flow.subscribe("x")]
            self.assertEqual((caught.exception.code, str(caught.exception)), ("unknown-name", "unknown-name unknown name"))
            waiting = flow.subscribe("x")
            with self.assertRaises(Failed) as caught: [value async for value in flow.subscribe("x")]
            self.assertEqual(caught.exception.code, "odd-code")
            with self.assertRaises(Failed) as caught: await flow.publisher("p").send(1)
            self.assertEqual(caught.exception.code, "completed")
            for bad in [0, -1, 1.5, "max", None, 1 << 40]:
                with self.assertRaises(ValueError): flow.subscribe("x", bad)
            with self.assertRaises(ValueError): await flow.command("LIST\nDELETE x")
            with self.assertRaises(ValueError): Flow(token="a\nDELETE x")
            with self.assertRaises(ValueError): await flow.publish("p\nDELETE x", 1)
            self.assertIsNone(waiting.error)
        self.assertIsInstance(waiting.error, Lost)
        for what in [flow.command("LIST"), flow.publish("p", 1), flow.call("f", 1)]:
            with self.assertRaises(FlowError) as caught: await what
            self.assertEqual(caught.exception.code, "closed")
        for _ in range(20):  # the traceback of an error that is raised repeatedly does not grow
            try: await flow.publish("p", 1)
            except FlowError as error: frames = len(traceback.extract_tb(error.__traceback__))
        self.assertLess(frames, 6)

"""Tests flow.py with a live server."""
import asyncio, faulthandler, logging, re, sys, unittest
from flow import Failed, Flow, FlowError, Lost, Refused
from live import ROOT, Server

DEFINITIONS = "SUBJECT orders\nSUBJECT jobs flow=slowest\nSUBJECT price current 1\n"
VALUES = [None, True, 0, -1.5, "", "grüße 🎈", "a\nb\r\nc\r", {"id": 1, "tags": ["x", {}]}, [], b"", b"\xff\n\x00", b"cr\r", b"= 1 x\nDONE 1\n", "x" * 1_048_574]


class LiveTests(unittest.IsolatedAsyncioTestCase):
    definitions, options, files = DEFINITIONS, (), ()

    def setUp(self):
        faulthandler.dump_traceback_later(20, exit=True)
        self.addCleanup(faulthandler.cancel_dump_traceback_later)
        self.server = self.enterContext(Server(self.definitions, *self.options, files=self.files))

    async def asyncSetUp(self): asyncio.get_running_loop().slow_callback_duration = 5

    def connect(self, **options): return Flow(self.server.tcp, backoff=(0.02, 0.1), **options)

    async def rows(self, flow, kind="streams"):
        """Returns the fields of the rows of LIST."""
        _, rows = await flow.command(f"LIST {kind}")
        return [dict(re.findall(r"(\S+)=(\S+)", row)) for row in rows]

    async def until(self, condition):
        """Waits until `condition` returns true."""
        try:
            async with asyncio.timeout(10):
                while not await condition(): await asyncio.sleep(0.005)
        except TimeoutError:
            self.fail(f"waited 10 s for {condition.__name__}")


class SubscriptionTests(LiveTests):
    async def test_values_arrive_as_they_were_sent(self):
        async with self.connect() as flow, flow.subscribe("orders", len(VALUES)) as values:
            for value in VALUES: await flow.publish("orders", value)
            iterator = aiter(values)
            for value in VALUES:
                expected = "" if value == b"" else "cr\r" if value == b"cr\r" else "= 1 x\nDONE 1\n" if value == b"= 1 x\nDONE 1\n" else value
                self.assertEqual(await anext(iterator), expected)
            for too_long in ["x" * 1_048_575, b"x" * 1_048_577]:
                with self.assertRaises(Refused) as caught: await flow.publish("orders", too_long)
                self.assertEqual(caught.exception.code, "value-too-long")

    async def test_the_window_bounds_what_the_server_sends(self):
        async with self.connect() as watcher, self.connect() as flow:
            for demand in [1, 2, 3, 16]:
                iterator, done = aiter(flow.subscribe("(1...1000).publisher", demand)), -1
                async def sent(): return int((await self.rows(watcher))[0]["values"])
                for number in range(1, 50):
                    self.assertEqual(await anext(iterator), number)
                    done += 1
                    asked = demand + done // ((demand + 1) // 2) * ((demand + 1) // 2)  # refilled at half
                    async def all_sent(): return await sent() >= asked
                    await self.until(all_sent)
                    self.assertEqual(await sent(), asked, f"{number} of {demand}")
                    self.assertLessEqual(asked - done, demand)
                await iterator.aclose()
                async def gone(): return not await self.rows(watcher)
                await self.until(gone)

    async def test_missed_values_are_counted(self):
        async with self.connect() as flow, flow.subscribe("orders", 2) as values:
            for number in range(5): await flow.publish("orders", number)
            iterator = aiter(values)
            self.assertEqual([await anext(iterator), await anext(iterator)], [0, 1])
            taking = asyncio.create_task(anext(iterator))
            async def asked(): return (await self.rows(flow))[0]["demand"] != "0"
            await self.until(asked)
            await flow.publish("orders", 5)
            self.assertEqual((await taking, values.missed), (5, 3))
            await flow.publish("orders", 6)
            await flow.publish("orders", 7)
        self.assertEqual(values.missed, 4)

    async def test_leaving_the_loop_cancels(self):
        async with self.connect() as flow:
            async for value in flow.subscribe("price"): break
            async def gone(): return not await self.rows(flow)
            await self.until(gone)
            async def read():
                async for value in flow.subscribe("price"): reading.set()
            reading, task = asyncio.Event(), asyncio.create_task(read())
            await reading.wait()
            task.cancel()
            await self.until(gone)
            self.assertTrue(task.cancelled())

    async def test_a_thousand_streams_on_one_connection(self):
        async with self.connect() as flow:
            streams = [flow.subscribe("orders.map { $0 + %d }" % number, 2) for number in range(1000)]
            for stream in streams: await stream.__aenter__()
            async with flow.publisher("orders") as publisher:
                for value in [0, 1000]: await publisher.send(value)
            async def two(stream):
                iterator = aiter(stream)
                return [await anext(iterator), await anext(iterator)]
            self.assertEqual(await asyncio.gather(*map(two, streams)), [[n, n + 1000] for n in range(1000)])
            await asyncio.gather(*(stream.close() for stream in streams))
            self.assertEqual((await self.rows(flow), flow._streams), ([], {}))
            self.assertEqual(sum(stream.missed for stream in streams), 0)
            more = [flow.subscribe("orders") for _ in range(1025)]
            with self.assertRaises(Refused) as caught: await asyncio.gather(*(stream.__aenter__() for stream in more))
            self.assertEqual(caught.exception.code, "limit")

    async def test_answers_find_their_commands(self):
        async with self.connect() as flow:
            answers = await asyncio.gather(*(flow.command(f"PING {number}" if number % 3 else f"SHOW {number}") for number in range(200)), return_exceptions=True)
            self.assertEqual([answer.code if number % 3 == 0 else answer for number, answer in enumerate(answers)],
                             ["usage" if number % 3 == 0 else (str(number), []) for number in range(200)])
            self.assertEqual(len((await flow.command("LIST subjects"))[1]), 3)
            self.assertEqual(await flow.command("PING"), ("", []))

    async def test_streams_live_and_end_while_answers_wait(self):
        async with self.connect() as flow, self.connect() as reader:
            waiting = asyncio.create_task(flow.command("SEND jobs 1"))  # waits for room
            async def waits(): return any("jobs" in row and "waiting=1" in row for row in (await reader.command("LIST"))[1])
            await self.until(waits)
            async with flow.subscribe("(1...3).publisher", 3) as values: self.assertEqual([value async for value in values], [1, 2, 3])
            async with reader.serve("echo", lambda value: value): self.assertEqual(await flow.call("echo", 7), 7)
            self.assertFalse(waiting.done())
            async with reader.subscribe("jobs", 1): await waiting

    async def test_an_expression_over_several_lines(self):
        async with self.connect() as flow:
            expression = """
                (1...9).publisher
                  .filter { $0 % 2 == 0 }
                  .map { ["n": $0] }
            """
            self.assertEqual([value["n"] async for value in flow.subscribe(expression, 3)], [2, 4, 6, 8])


class PageTests(LiveTests):
    definitions, options = "", ("demo",)

    async def test_the_program_in_the_documentation(self):
        with open(f"{ROOT}/docs/write-a-client.md", encoding="utf-8") as file:
            program = re.search(r"```python\n(.*?)```", file.read(), re.DOTALL)[1].replace("127.0.0.1:3569", self.server.tcp)
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
        self.assertEqual(((await process.communicate())[0], process.returncode), (b"1\n", 0))


class PublisherTests(LiveTests):
    async def test_values_wait_for_their_grants(self):
        async with self.connect() as reader, self.connect() as flow:
            sent = []
            async def send():
                async with flow.publisher("jobs") as publisher:
                    for number in range(200):
                        await publisher.send(number)
                        sent.append(number)
            task, got = asyncio.create_task(send()), []
            async def known(): return await self.rows(reader)
            await self.until(known)
            self.assertEqual(sent, [])
            async for number in reader.subscribe("jobs", 4):
                got.append(number)
                async def has_room(): return len(sent) >= min(len(got) + 2, 200)
                await self.until(has_room)
                self.assertLessEqual(len(sent), len(got) + 4)
                if number == 199: break
            await task
            self.assertEqual(got, list(range(200)))

    async def test_publish_waits_and_can_be_cancelled(self):
        async with self.connect() as flow:
            with self.assertRaises(TimeoutError):
                async with asyncio.timeout(0.1): await flow.publish("jobs", "never")
            async def gone(): return not await self.rows(flow)
            await self.until(gone)
            waiting = asyncio.create_task(flow.publish("jobs", "first"))
            async with flow.subscribe("jobs", 1) as values: self.assertEqual(await anext(aiter(values)), "first")
            await waiting

    async def test_cancelled_while_the_connection_is_away(self):
        """The next connection opens nothing that a cancelled task began."""
        async with self.connect() as flow:
            self.server.kill()
            begun = [lambda: flow.publish("jobs", 1), lambda: flow.publisher("orders").close(), lambda: flow.publisher("orders").__aenter__(),
                     lambda: flow.subscribe("orders").__aenter__(), lambda: flow.call("double", 1), lambda: flow.command("SUBJECT late")]
            for begin in begun * 200:
                with self.assertRaises(TimeoutError):
                    async with asyncio.timeout(0): await begin()
            self.assertEqual(flow._streams, {})
            self.server.start()
            self.assertEqual(await self.rows(flow), [])
            self.assertEqual(len((await flow.command("LIST subjects"))[1]), 3)
            await flow.publish("orders", 1)

    async def test_errors(self):
        async with self.connect() as flow:
            for name, code in [("ordres", "unknown-name"), ("a b", "usage"), ("$events", "denied")]:
                with self.assertRaises(Refused) as caught: await flow.publish(name, 1)
                self.assertEqual(caught.exception.code, code)
            publisher = flow.publisher("orders")
            await publisher.send(1)
            await flow.command("DONE orders")
            with self.assertRaises(Failed) as caught:
                while True: await publisher.send(2)
            self.assertEqual(caught.exception.code, "completed")
            with self.assertRaises(Failed): await publisher.close()


class ServiceTests(LiveTests):
    async def test_calls(self):
        async with self.connect() as worker, self.connect() as flow:
            async def count(to):
                for number in range(to): yield number
            async with worker.serve("double", lambda n: n * 2), worker.serve("echo", lambda v: asyncio.sleep(0, v)), worker.serve("count", count):
                self.assertEqual(await flow.call("double", 21), 42)
                for value in [None, True, 1e20, 1.5e-9, "a\"\\\n\u2028é🎈", {}, [], {"a b": [1, {"c\"": None}]}]: self.assertEqual(await flow.call("echo", value), value)
                self.assertEqual(await flow.call("echo", b'{"a":1}'), {"a": 1})
                self.assertEqual([n async for n in flow.subscribe("ask(count, 100)", 3)], list(range(100)))
                self.assertIsNone(await flow.call("count", 0))
                self.assertEqual(await asyncio.gather(*(flow.call("double", n) for n in range(300))), [2 * n for n in range(300)])
            self.assertEqual(await self.rows(flow), [])

    async def test_jobs_are_bounded(self):
        running, most = 0, 0
        async def work(number):
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.002)
            running -= 1
            return number
        async with self.connect() as flow, flow.serve("work", work, jobs=3):
            values = [n async for n in flow.subscribe("(1...60).publisher.flatMap { ask(work, $0) }", 60)]
        self.assertEqual((sorted(values), most), (list(range(1, 61)), 3))

    async def test_a_generator_makes_no_more_than_requested(self):
        made = []
        async def endless(_):
            for number in range(1_000_000):
                made.append(number)
                yield number
        async with self.connect() as flow, flow.serve("endless", endless):
            async for number in flow.subscribe("ask(endless, 0)", 2):
                self.assertLessEqual(len(made), number + 2 + 2)
                if number == 50: break
            async def over(): return (await self.rows(flow, "services"))[0]["running"] == "0"
            await self.until(over)
            self.assertEqual((await self.rows(flow, "services"))[0]["demand"], "1")

    async def test_failures(self):
        async def fail(what):
            if what == "flow": raise FlowError("odd-code", "two\nlines")
            raise KeyError(what)
        async with self.connect() as flow, flow.serve("fail", fail) as service:
            with self.assertRaises(Failed) as caught: await flow.call("fail", "flow")
            self.assertEqual((caught.exception.code, caught.exception.text), ("odd-code", "two lines"))
            with self.assertLogs("flow", "ERROR"), self.assertRaises(Failed) as caught: await flow.call("fail", "key")
            self.assertEqual((caught.exception.code, caught.exception.text), ("failed", "'key'"))
            with self.assertRaises(Refused): await flow.call("fail, 1)", 1)
            waiting = asyncio.create_task(service.wait())
            await flow.command("KILL NAME fail")
            with self.assertRaises(Failed) as caught: await waiting
            self.assertEqual(caught.exception.code, "killed")


    async def test_every_call_has_one_end(self):
        """Whatever is raised, the call fails with a code, and makes room for the next one."""
        class Unprintable(Exception):
            def __str__(self): raise ValueError
        def raising(error):
            def answer(_): raise error
            return answer
        async def cancels(_):
            asyncio.current_task().cancel()
            await asyncio.sleep(60)
        async def generates(_):
            try:
                yield 1
                yield "x" * (1 << 20)
            finally: ended.append(True)
        async def hangs(_):
            try: yield "x" * (1 << 20)
            finally: await forever.wait()
        ended, forever = [], asyncio.Event()
        failed = [raising(error) for error in [asyncio.CancelledError(), StopIteration(), KeyError(1), Unprintable(), ValueError("e" + "\u0301" * 100), ValueError("x" * 2_000_000),
                                               ValueError("\ud800\r\n\x00"), FlowError("two words"), FlowError(None), FlowError(""), FlowError("a" * 200)]]
        failed += [cancels, lambda _: object(), lambda _: float("nan")]
        too_long = [lambda _: "x" * (1 << 20), lambda _: b"\n" * ((1 << 20) + 1), generates]
        logging.getLogger("flow").addFilter(quiet := lambda _: False)
        self.addCleanup(logging.getLogger("flow").removeFilter, quiet)
        async with self.connect() as worker, self.connect() as flow:
            for number, (code, answer) in enumerate([("failed", answer) for answer in failed] + [("value-too-long", answer) for answer in too_long] + [("value-too-long", hangs)]):
                async with worker.serve(f"answer{number}", answer):
                    for _ in range(1 if answer is hangs else 2):
                        with self.subTest(number), self.assertRaises(Failed) as caught:
                            async with asyncio.timeout(5): [value async for value in flow.subscribe(f"ask(answer{number}, 1)", 3)]
                        self.assertEqual((caught.exception.code, "\n" in caught.exception.text), (code, False))
        self.assertEqual(ended, [True, True])


class EndTests(LiveTests):
    async def test_refusals_do_not_end_the_connection(self):
        """After 50 refusals in a row commands pause."""
        async with self.connect() as flow, flow.subscribe("orders", 1) as orders:
            loop = asyncio.get_running_loop()
            start, number = loop.time(), (await flow.command("LIST clients"))[1][0].split()[1]
            async def refused(what):
                with self.assertRaises(Refused) as caught: await what()
                self.assertEqual(caught.exception.code, "unknown-name")
            attempts = [lambda: flow.publish("nothing", 1), lambda: flow.subscribe("nothing").__aenter__(), lambda: flow.command("SHOW nothing")]
            for attempt in attempts * 70: await refused(attempt)
            self.assertGreater(loop.time() - start, 0.3)
            await asyncio.gather(*(refused(attempt) for attempt in attempts * 300))
            self.assertEqual((await flow.command("LIST clients"))[1][0].split()[1], number)
            await flow.publish("orders", "through")
            self.assertEqual((await anext(aiter(orders)), flow._streams.keys()), ("through", {orders.id}))

    async def test_a_command_that_is_too_long_is_not_sent(self):
        async with self.connect() as flow:
            for begin in [lambda: flow.subscribe("Just(1)" + ".map { $0 }" * 200_000), lambda: flow.serve("x" * 70_000, print), lambda: flow.publisher("ü" * 33_000)]:
                with self.assertRaises(Refused) as caught: begin()
                self.assertEqual(caught.exception.code, "line-too-long")
            with self.assertRaises(Refused): await flow.command("PING " + "x" * 65_536)
            self.assertEqual((await flow.command("send orders " + "x" * 70_000))[0], "send orders to=0 missed=0")
            self.assertEqual(await flow.command("PING"), ("", []))

    async def test_streams_fail_and_end(self):
        async with self.connect() as flow:
            for command, code in [("DELETE orders", "deleted"), ("KILL NAME price", "killed"), ("FAIL jobs odd-code why", "odd-code")]:
                async with flow.subscribe(command.split(" ")[-1 if "FAIL" not in command else 1]) as values:
                    await flow.command(command)
                    with self.assertRaises(Failed) as caught: [value async for value in values]
                    self.assertEqual(caught.exception.code, code)
            for expression, code in [("ordres", "unknown-name"), ("price.fliter { $0 }", "syntax"), ("price 5", "usage")]:
                with self.assertRaises(Refused) as caught: [value async for value in flow.subscribe(expression)]
                self.assertEqual(caught.exception.code, code)
            _, rows = await flow.command("LIST clients")
            values = flow.subscribe("price")
            await flow.command(f"KILL CLIENT {rows[0].split()[1]}")
            with self.assertRaises(Lost) as caught: [value async for value in values]
            self.assertEqual(caught.exception.code, "killed")

    async def test_sent_values_arrive_before_the_connection_ends(self):
        async with self.connect() as reader, reader.subscribe("orders", 2000) as values:
            async with self.connect() as flow:
                flow.subscribe("(1...100000).publisher", 50_000)  # leaves input unread
                publisher = flow.publisher("orders")
                for number in range(1000): await publisher.send(number)
            iterator = aiter(values)
            self.assertEqual([await anext(iterator) for _ in range(1000)], list(range(1000)))

    async def test_killed_and_started_again(self):
        async with self.connect() as flow, self.connect() as other:
            values = flow.subscribe("price.map { $0 }", 4)
            iterator = aiter(values)
            self.assertEqual(await anext(iterator), 1)
            flow.serve("echo", lambda v: v)
            publisher = flow.publisher("orders")
            await publisher.send(1)
            hanging = [asyncio.create_task(other.call("nobody", 1)), asyncio.create_task(other.publish("jobs", 1)), asyncio.create_task(other.command("SEND jobs 1"))]
            async def all_hang(): return "publications=1" in "".join((await flow.command("LIST"))[1]) and len(await self.rows(flow)) == 5 and await self.rows(flow, "services")
            await self.until(all_hang)
            self.server.kill()
            for task in [hanging[0], hanging[2]]:
                with self.assertRaises(Lost): await task
            self.server.start()
            self.assertEqual(await anext(iterator), 1)
            row = next(row for row in await self.rows(flow) if row["name"] == "-")
            self.assertEqual((row["demand"], row["values"]), ("2", "1"))  # 3 remained
            self.assertEqual(await other.call("echo", "again"), "again")
            async with other.subscribe("orders", 1) as orders:
                await publisher.send("again")
                self.assertEqual(await anext(aiter(orders)), "again")
            async with other.subscribe("jobs", 1) as jobs: self.assertEqual(await anext(aiter(jobs)), 1)
            await hanging[1]

    async def test_many_sends_to_a_server_that_has_gone(self):
        async with self.connect() as flow:
            self.server.kill()
            with self.assertNoLogs("asyncio"):
                streams = [flow.subscribe("price", 1) for _ in range(50)]
                self.server.start()
                self.assertEqual(await asyncio.gather(*(anext(aiter(stream)) for stream in streams)), [1] * 50)

    async def test_the_server_drains(self):
        async with self.connect() as flow, self.connect() as other:
            slow = flow.subscribe("(1...30).publisher.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.01) }", 30)
            iterator = aiter(slow)
            self.assertEqual(await anext(iterator), 1)
            publisher = other.publisher("orders")
            await publisher.send(1)
            self.server.terminate()
            self.assertEqual([await anext(iterator) for _ in range(29)], list(range(2, 31)))
            with self.assertRaises(StopAsyncIteration): await anext(iterator)
            await asyncio.to_thread(self.server.process.wait)
            waiting = asyncio.create_task(flow.call("double", 4))
            self.server.start()
            async with other.serve("double", lambda n: n * 2): self.assertEqual(await waiting, 8)
            async with other.subscribe("orders", 1) as orders:
                await publisher.send("again")
                self.assertEqual(await anext(aiter(orders)), "again")


class TokenTests(LiveTests):
    definitions, options = DEFINITIONS, ("--token-file", "{folder}/tokens")
    files = [("tokens", "secret all\nreader sub orders,price\n")]

    async def test_tokens(self):
        async with self.connect(token="secret", name="the-owner") as flow, self.connect(token="reader") as reader:
            self.assertIn("the-owner", str((await flow.command("LIST clients"))[1]))
            async with reader.subscribe("orders") as orders:
                await flow.publish("orders", 1)
                self.assertEqual(await anext(aiter(orders)), 1)
            for what in [reader.publish("orders", 1), reader.call("f", 1), reader.command("LIST clients")]:
                with self.assertRaises(Refused) as caught: await what
                self.assertEqual(caught.exception.code, "denied")
            self.server.write("tokens", "secret all\n")
            self.server.hang_up()
            with self.assertRaises(Lost) as caught: [value async for value in reader.subscribe("price.append(Timer.publish(every: 1).autoconnect())")]
            self.assertEqual(caught.exception.code, "revoked")
            with self.assertRaises(Refused) as caught: await self.connect(token="wrong").__aenter__()
            self.assertEqual(caught.exception.code, "denied")
        async with self.connect() as flow:
            with self.assertRaises(Refused) as caught: await flow.command("LIST")
            self.assertEqual(caught.exception.code, "denied")

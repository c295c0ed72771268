"""The Flow protocol for asyncio, in one file that needs nothing else; docs/write-a-client.md tells how it is made.

    async with Flow("127.0.0.1:3569") as flow:
        async for order in flow.subscribe("orders.filter { $0.price > 10 }", demand=16):
            await flow.publish("expensive", order)

Values are JSON; `bytes` are sent as they are. What is not JSON arrives as `str`, or as `bytes` if it is not UTF-8. A connection
that is lost is made again, with the demand that remains and without the values that were on their way."""
import asyncio, contextlib, itertools, json, logging, math, random, re, unicodedata
from collections import deque
from types import SimpleNamespace

log, LONGEST = logging.getLogger("flow"), 64 << 20  # bytes of a value, whatever the server says

class FlowError(Exception):
    """What went wrong: `code` is a word that programs may compare, `text` is for people."""
    def __init__(self, code, text=""):
        super().__init__(f"{code} {text}".rstrip())
        self.code, self.text = code, text
    def again(self): return type(self)(self.code, self.text)  # an exception that is raised again keeps its old traceback as well

class Refused(FlowError): """The server refused a command: ERR. Or it would, and it was not sent."""
class Failed(FlowError): """A stream failed: FAIL. Or the server wants no more of a publication: CANCEL."""
class Lost(FlowError): """The connection is gone: the code of a BYE, or `lost`, `unreachable`, `protocol` or `closed`."""

class Parser:
    """What the server sends as frames, however the bytes are cut. It does no I/O."""
    def __init__(self):
        self._buffer, self._searched = bytearray(), 0  # how far there is no line end
        self._counted = None  # the id and the length of the value that comes next; its line end is behind that
    def feed(self, data):
        """The frames that are complete now, as verb, key and rest; those before a broken one come before the error.
        The key is the tag of an answer, the id of a stream or a call, or another first word. Verbs are upper-case, but `value`, `row`."""
        self._buffer += data
        while (end := self._buffer.find(b"\n", self._searched)) >= 0:
            line, counted = bytes(self._buffer[:end]), self._counted
            del self._buffer[:end + 1]
            self._searched, self._counted = 0, None
            if counted and line[counted[1]:] not in (b"", b"\r"): raise Lost("protocol", "a counted value has no line end")
            if counted: yield "value", counted[0], line[:counted[1]]
            elif frame := self._frame(line.removesuffix(b"\r")): yield frame
        self._searched = max(self._searched, len(self._buffer))
        if len(self._buffer) > LONGEST + 2: raise Lost("protocol", "a line has no end")
    def _frame(self, line):
        if found := re.fullmatch(rb"= ([\d.]+)(?: (.*))?", line, re.DOTALL): return "value", found[1].decode(), found[2] or b""
        if line.startswith(b":"):
            found = re.fullmatch(rb": ([\d.]+) (\d{1,8})", line)
            if not found or int(found[2]) > LONGEST: raise Lost("protocol", f"where does the value end? {line[:80]!r}")
            self._counted, self._searched = (found[1].decode(), int(found[2])), int(found[2])
        elif line and not line.startswith(b"#"):
            tag, verb, rest = re.fullmatch(r"(?:@(\S*) )?(\S*) ?(.*)", line.decode(errors="replace"), re.DOTALL).groups()
            return "row" if verb == "*" else verb.upper(), *((tag, rest) if tag else cut(rest))

def passed_over(*_): pass
def cut(text): return text.partition(" ")[::2]  # the first word, and the rest
def number(text): return math.inf if text == "max" else int(text) if re.fullmatch("[0-9]{1,19}", text) else 0
def field(answer, name): return (re.search(rf" {name}=(\S+)", answer) or ["", ""])[1]
async def only(value): yield value
def failure(error):  # the code and the text of a FAIL for any exception, in a form that the server accepts
    code, text = (error.code, error.text) if isinstance(error, FlowError) else ("failed", error)
    if not (isinstance(code, str) and re.fullmatch("[A-Za-z_][A-Za-z0-9_-]{0,63}", code)): code, text = "failed", error
    try: text = re.sub(r"[\x00-\x1f]+", " ", str(text)[:1000])
    except Exception: text = ""
    marks = [sum(1 for _ in run) for is_mark, run in itertools.groupby(text, lambda c: unicodedata.combining(c) > 0) if is_mark]
    if max(marks, default=0) > 30: text = text.encode("ascii", "replace").decode()
    return f"{code} {text or type(error).__name__}"
def encode(value):
    if isinstance(value, bytes | bytearray | memoryview): return bytes(value)
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
def decode(payload, raw=False):
    try: return payload if raw else json.loads(payload.decode(), parse_constant=int)  # int refuses NaN, which is not JSON
    except UnicodeDecodeError: return payload
    except (ValueError, RecursionError): return payload.decode()
def literal(value):  # a JSON value as the pipeline language writes it
    if isinstance(value, str): return '"' + re.sub(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]', lambda c: rf"\u{{{ord(c[0]):x}}}", value) + '"'
    if isinstance(value, list): return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, dict): return f"[{', '.join(f'{literal(key)}: {literal(item)}' for key, item in value.items()) or ':'}]"
    return json.dumps(value)

class Waiting:  # whoever changes what others may wait for says `_news.set()`
    def __init__(self): self.error, self._news = None, asyncio.Event()
    async def _change(self): self._news.clear() or await self._news.wait()
    async def _until(self, condition):
        while not condition():
            if self.error: raise self.error.again()
            await self._change()
        return self

class Stream(Waiting):
    """What has an id, the tag of its commands. It outlives the connection; `async with` opens and ends it at the server."""
    END = "CANCEL"
    def __init__(self, flow, line, *, once=False, ended=False):
        super().__init__()
        self.flow, self.id, self._line, self._once, self._has_ended = flow, str(next(flow._ids)), line, once, ended
        self.answer, self.rows, self.missed, self._granted, self._due, self._is_told = None, [], 0, 0, 0, False
    def cancel(self):  # what still comes for it is passed over
        if self._has_ended: return
        self._has_ended = True
        self._news.set()
        self._tell(f"{self.END} {self.id}") if self._is_told else self._finish(Lost("closed", "it has ended here"))
    async def close(self, *_):  # returns when nothing more comes for it
        self.cancel()
        while self._due: await self._change()
    async def __aenter__(self):
        try: return await self._until(lambda: self.answer)
        except BaseException:  # otherwise the stream would stay open
            self.cancel()
            raise
    async def __aexit__(self, *exception): await self.close(*exception)
    def _open(self):  # sends its command once on each connection
        if not self._is_told: self._tell(self._line())
        self._is_told = True
        self._news.set()
    def _tell(self, line):
        self._due += 1
        self.flow._say(f"@{self.id} {line}")
    def _signal(self, line):
        if self._is_told: self.flow._say(line)
    def _finish(self, error=None):
        self._has_ended, self._due, self.error = True, 0, self.error or error
        if self.answer is None and not isinstance(error, Refused | Lost): self.answer = "ended"  # before its OK
        self.flow._streams.pop(self.id, None)
        self._reset()
        self._news.set()
    def _reset(self): self._granted = 0  # what holds for one connection
    def _on_REQ(self, _, text):
        self._granted += number(text)
        self._news.set()
    def _on_OK(self, key, text):
        self.flow._refused = 0
        self._due, self.answer, self.missed = self._due - 1, text, self.missed + number(field(text, "missed"))
        self._on_REQ(key, field(text, "demand"))
        if self._has_ended and not self._due: self._finish()
    def _on_ERR(self, _, text):
        self.flow._was_refused()
        self._due -= 1
        if self._has_ended or not text.startswith("draining"): self._finish(Refused(*cut(text)))  # else the next connection opens it
    def _on_lost(self):
        once, self._due, self._is_told = self._once and self._is_told, 0, False
        self._reset()
        if once or self._has_ended: self._finish(Lost("lost", "the connection was lost; what was sent may have been carried out"))
    def _on_PONG(self, key, text): self._on_OK(key, text)
    def _on_row(self, _, text): self.rows.append(text)
    def _on_DROP(self, _, text): self.missed += number(cut(text)[0])
    def _on_DONE(self, _, text): self._finish()
    def _on_FAIL(self, _, text): self._finish(Failed(*cut(text)))

class Subscription(Stream):
    """Values, for `async for`. At most `demand` of them are asked for, wait here, or are in the hands of the loop's body.
    `missed` is how many the server says it had without demand; it tells before the next value, and at the end."""
    def __init__(self, flow, expression, demand=16, *, raw=False, verb="SUB", once=False):
        if not (isinstance(demand, int) and 0 < demand < 1 << 31): raise ValueError(f"the demand is {demand!r}, expected 1 or more")
        expression = " ".join(filter(None, map(str.strip, re.split("[\r\n]+", expression))))
        super().__init__(flow, lambda: f"{verb} {expression} {self._asked} as={self.id}", once=once)
        self._window, self._asked, self._values, self._raw = demand, demand, deque(), raw
    async def __aiter__(self):
        try:
            while self._values or not self._has_ended:
                if self._values: yield decode(self._values.popleft(), self._raw)
                else: await self._change()
                room = self._window - self._asked - len(self._values)
                if room * 2 < self._window or self._has_ended: continue
                self._asked += room
                self._signal(f"REQ {self.id} {room}")
            if self.error: raise self.error.again()
        finally: self.cancel()
    def _on_value(self, _, payload):
        if self._has_ended: return
        self._asked -= 1
        self._values.append(payload)
        self._news.set()

class Publisher(Stream):
    """Sends values to a subject, each when the server has granted it. Behind its context the server has them all."""
    END = "DONE"
    def __init__(self, flow, name, *, single=False):
        super().__init__(flow, lambda: f"PUB {name} as={self.id}" + " grant=1" * single)
        self._single, self._turn = single, asyncio.Lock()
    async def send(self, value):
        self.flow._check(payload := encode(value))
        async with self._turn:
            await self._until(lambda: self._granted >= 1 or self._has_ended)
            if self._has_ended: raise self.error.again() if self.error else Lost("closed", "it has ended here")
            self._granted, self._once = self._granted - 1, self._single
            await self.flow._say_value(self.id, payload)
    async def close(self, exception=None, *_):  # returns when the server has all values
        try: await self._until(lambda: self.answer and self._is_told or exception)
        finally: self.cancel()
        await self._until(lambda: exception or not (self._due or self.error))
    def _on_CANCEL(self, _, reason):  # a server that drains ends it; the next connection opens it again
        self._on_lost() if reason == "draining" else self._finish(Failed(reason, "the server wants no more values"))

class Service(Stream):
    """Answers calls, `jobs` at a time. `fn` returns a value, an awaitable of one, or an async iterable of any number."""
    def __init__(self, flow, name, fn, jobs=1, *, raw=False):
        super().__init__(flow, lambda: f"SERVE {name} {max(jobs - len(self._tasks), 0)} as={self.id}")
        self._fn, self._raw, self._calls, self._tasks = fn, raw, {}, set()
    async def wait(self): await self._until(lambda: self._has_ended and not self.error)  # raises why it has ended, if it was not cancelled
    def _on_value(self, key, payload):
        if self._has_ended: return
        call = self._calls[key] = SimpleNamespace(demand=0)
        call.task = asyncio.create_task(self._run(key, call, payload))
        self._tasks.add(call.task)
        call.task.add_done_callback(self._job_over)  # a task that is cancelled early never begins
    def _job_over(self, task):
        self._tasks.discard(task)
        if not self._has_ended: self._signal(f"REQ {self.id} 1")
    async def _run(self, key, call, payload):
        end, values = f"DONE {key}", None
        try:
            result = self._fn(decode(payload, self._raw))
            if hasattr(result, "__await__"): result = await result
            values = result if hasattr(result, "__aiter__") else only(result)
            async for value in values:
                await self._until(lambda: call.demand >= 1)
                call.demand -= 1
                if self._calls.get(key) is call: await self.flow._say_value(key, encode(value))
        except BaseException as error:  # fn may raise CancelledError itself
            end = f"FAIL {key} {failure(error)}"
            if isinstance(error, Exception) and not isinstance(error, FlowError): log.exception("a call failed")
            if isinstance(error, KeyboardInterrupt | SystemExit): raise
        finally:
            if self._calls.get(key) is call: self.flow._say(self._calls.pop(key) and end)  # the one end of the call
            if hasattr(values, "aclose"):  # the job lasts until the generator has stopped
                with contextlib.suppress(Exception): await values.aclose()
    def _on_REQ(self, key, text):
        if call := self._calls.get(key): call.demand += number(text)
        self._news.set()
    def _on_CANCEL(self, key, _=""):
        if call := self._calls.pop(key, None): call.task.cancel()
    def _reset(self):
        for key in list(self._calls): self._on_CANCEL(key)

class Flow(Waiting):
    """A connection to `HOST:PORT` or `unix:PATH`, for `async with`; the first attempt is the only one. Times are in seconds."""
    MAY_PASS = {"lost", "unreachable", "shutdown", "idle", "limit", "overflow", "errors"}
    def __init__(self, address="127.0.0.1:3569", *, token=None, name=None, ping=30, backoff=(0.2, 5)):
        super().__init__()
        if re.search(r"\s", f"{token or ''}{name or ''}"): raise ValueError("token and name are single words")
        self.address, self.longest, self._ping, self._backoff, self._delay = address, 0, ping, backoff, None
        self._longest_line, self._said, self._refused, self._is_paused, self._since = 1 << 16, 0, 0, False, 0
        self._greetings = [f"HELLO 1 ping={ping}s" + (f" name={name}" if name else "")] + [f"AUTH {token}"] * bool(token)
        self._streams, self._ids, self._is_open, self._is_draining = {}, itertools.count(1), False, False
    def subscribe(self, expression, demand=16, **options): return self._add(Subscription(self, expression, demand, **options))
    def publisher(self, name, **options): return self._add(Publisher(self, name, **options))
    def serve(self, name, fn, jobs=1, **options): return self._add(Service(self, name, fn, jobs, **options))
    async def publish(self, name, value):
        """Publishes one value, when the subject has room; behind it the server has it."""
        async with self.publisher(name, single=True) as publisher: await publisher.send(value)
    async def call(self, service, value, **options):
        """The first value of the answer, or `None`. The argument is part of an expression, which has 16 KiB at most."""
        expression = f"ask({service}, {literal(decode(encode(value)))})"
        async with self.subscribe(expression, 1, verb="TAKE", once=True, **options) as values:
            async for value in values: return value
    async def command(self, line):
        """The answer to any other command, such as `list 2`, and its rows."""
        await self._until(lambda: self._is_open and not self._is_paused)
        command = self._add(Stream(self, lambda: line, ended=True))
        await command._until(lambda: command.answer is not None)
        return command.answer, command.rows
    async def __aenter__(self):
        self._task = asyncio.create_task(self._run())
        try: return await self._until(lambda: self._is_open)
        except BaseException:
            self._task.cancel()
            raise
    async def __aexit__(self, *_):
        self._over(Lost("closed", "the connection was closed"))
        if self._is_open: self._writer.write_eof()  # to close with something unread would discard what is on its way there
        try: await asyncio.wait([self._task], timeout=5 if self._is_open else 0)
        finally: self._task.cancel()
    def _over(self, why):
        self.error = self.error or why
        for stream in list(self._streams.values()): stream._finish(self.error)
        self._news.set()
    async def _run(self):
        while not self.error:
            try: why = await self._session()
            except FlowError as error: why = error
            except OSError as error: why = Lost("lost" if self._is_open else "unreachable", str(error) or "there is no answer")
            except Exception as error: why = Lost("protocol", repr(error))
            if self._is_open and asyncio.get_running_loop().time() - self._since >= self._backoff[1]: self._delay = self._backoff[0]
            was_open, self._is_open, self._is_draining = self._is_open, False, False
            for stream in list(self._streams.values()) if was_open else []: stream._on_lost()
            if self.error or not self._delay or why.code not in self.MAY_PASS: return self._over(why)
            log.info("%s: %s; connecting again", self.address, why)
            await asyncio.sleep(self._delay * random.uniform(0.5, 1))
            self._delay = min(2 * self._delay, self._backoff[1])
    async def _session(self):
        host, _, port = self.address.rpartition(":")
        async with asyncio.timeout(10) as limit, contextlib.AsyncExitStack() as end:
            dial = asyncio.open_unix_connection(port) if host == "unix" else asyncio.open_connection(host.strip("[]"), port)
            reader, self._writer = await dial
            end.callback(self._writer.transport.abort)
            self._writer.writelines(f"{line}\n".encode() for line in self._greetings)
            parser, unanswered = Parser(), len(self._greetings)
            while data := await reader.read(1 << 18):
                self._silence = 0
                for verb, key, rest in parser.feed(data):
                    if verb == "BYE": return Lost(key, rest)
                    elif verb == "DRAIN": self._is_draining = True
                    elif self._is_open: getattr(self._streams.get(key.partition(".")[0], self), f"_on_{verb}", passed_over)(key, rest)
                    elif verb == "HI": self.longest, self._longest_line = number(field(rest, "maxvalue")), number(field(rest, "maxline"))
                    elif verb == "ERR": return Refused(key, rest)
                    elif verb == "OK" and (unanswered := unanswered - 1) == 0: self._begin(limit)
                    elif verb != "OK": return Lost("protocol", f"there is no Flow server at {self.address}")
        return Lost("lost", "the server has closed the connection")
    def _begin(self, limit):
        limit.reschedule(None)
        self._is_open, self._since, self._delay = True, asyncio.get_running_loop().time(), self._delay or self._backoff[0]
        self._beat(self._writer)
        self._go_on()
    def _go_on(self):
        self._is_paused = False
        for stream in list(self._streams.values()) if self._is_open and not self._is_draining else []: stream._open()
        self._news.set()
    def _was_refused(self):  # 50 refusals in a row cost a pause
        self._refused += 1
        if self._refused % 50 or self._is_paused: return
        self._is_paused = True
        asyncio.get_running_loop().call_later(0.1, self._go_on)
    def _on_ERR(self, key, text): log.warning("%s: %s %s", self.address, key, text)
    def _beat(self, writer):
        if self._silence > 3 or writer.is_closing(): return writer.transport.abort()
        self._silence += 1
        self._say("PING")
        asyncio.get_running_loop().call_later(self._ping, self._beat, writer)
    def _add(self, stream):
        if self.error: raise self.error.again()
        if re.search("[\r\n]", line := stream._line()): raise ValueError(f"a command is one line: {line[:80]!r}")
        most = self._longest_line + self.longest * (line[:5].upper() == "SEND ")  # its text may be as long as a value
        if len(f"@{stream.id} {line}".encode(errors="replace")) > most: raise Refused("line-too-long", f"a command has at most {most} bytes")
        self._streams[stream.id] = stream
        if self._is_open and not self._is_paused and (stream._has_ended or not self._is_draining): stream._open()
        return stream
    def _say(self, line):  # the server ends a connection after a hundred errors in a row; a PING ends the row
        self._said += 1
        self._write(f"{line}\n".encode(errors="replace") + b"PING\n" * (self._said % 50 == 0))
    def _write(self, data): self._is_open and not self.error and not self._writer.is_closing() and self._writer.write(data)
    def _check(self, payload):
        if len(payload) > self.longest: raise Refused("value-too-long", f"the value has more than {self.longest} bytes")
    async def _say_value(self, key, payload):
        self._check(payload)
        head = f": {key} {len(payload)}\n" if re.search(rb"[\r\n]", payload) else f"= {key} "
        self._write(b"%b%b\n" % (head.encode(), payload))
        with contextlib.suppress(OSError): await self._writer.drain()

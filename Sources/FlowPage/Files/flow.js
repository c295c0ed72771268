// The Flow protocol in the terms of the platform, without dependencies; docs/browser.md describes it.
//     import { connect } from "http://127.0.0.1:8569/flow.js"; for await (const tick of connect().readable("ticks")) …
const encoder = new TextEncoder(), decoder = new TextDecoder();
const failure = (code, text) => Object.assign(new Error(text || code), { name: "FlowError", code });
const lostOne = () => failure("lost", "the connection was lost");
const encode = (value, raw) => (raw ? String(value) : (JSON.stringify(value) ?? "null"));
const decode = (text, raw) => { try { return raw ? text : JSON.parse(text); } catch { return text; } }; // else it is a string
const [demandText, demandOf] = [(n) => (n === Infinity ? "max" : n), (text) => (text === "max" ? Infinity : Number(text))];
const field = (text, name) => demandOf(text.match(`(?:^| )${name}=(\\S+)`)?.[1]);
const oneLine = (text) => String(text).replace(/[\r\n]+/g, " ");
const cut = (text) => /^(\S*) ?(.*)$/s.exec(text).slice(1); // the first word, and the rest
/** A value as the pipeline language writes it. */
function literal(value) {
  const escaped = (char) => `\\u{${char.codePointAt(0).toString(16)}}`;
  if (typeof value === "string") return `"${value.replace(/["\\\p{Cc}\u2028\u2029]/gu, escaped)}"`;
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (value === null || typeof value !== "object") return String(value);
  return `[${Object.entries(value).map((pair) => pair.map(literal).join(": ")).join(", ") || ":"}]`;
}
/** Connects to `url`, by default to the server that this file is from. Options: `token`, `name`, and `state(name, error)`. */
export const connect = (url = new URL("flow", import.meta.url), options = {}) => new Flow(String(url), options);
class Flow {
  #streams = new Map(); // by their ids; they outlive a connection
  #answers = new Map(); // whoever waits for the answer to a command, by its tag
  #waiting = []; // whoever waits for a connection
  #url; #options; #socket; #timer; #why; #counted; #over; #isOpen = false; #heard = 0; #attempts = 0; #next = 1; #longest = 1 << 20;
  constructor(url, options) { [this.#url, this.#options] = [url.replace(/^http/, "ws"), options]; this.#connect(); }
  /** The values of an expression: the server is asked for as many as the stream wants, and sends no more. */
  readable(expression, { highWaterMark = 1, raw = false, dropped } = {}) {
    let controller, demand = 0; // what was asked for and has not come
    const id = this.#next++, line = () => `SUB ${expression} ${demandText(demand)} as=${id}`;
    const value = (text) => { demand -= 1; controller.enqueue(decode(text, raw)); };
    const stream = { line, value, dropped, done: () => controller.close(), failed: (error) => controller.error(error) };
    const pull = () => {
      const more = Math.max(controller.desiredSize - demand, demand > 0 ? 0 : 1);
      if (!(more >= Math.max(highWaterMark / 2, 1))) return; // what is read, or still to come, asks again for more at once
      demand += more;
      this.#say(`REQ ${id} ${demandText(more)}`);
    };
    const start = (given) => { controller = given; this.#add(id, stream); };
    return new ReadableStream({ start, pull, cancel: () => this.#cancel(id) }, { highWaterMark });
  }
  /** Publishes to a subject: a value waits until the server has granted it. */
  writable(name, { raw = false, owner = false, grant } = {}) {
    let granted = 0, error, wake;
    const id = this.#next++, give = (more) => { granted += more; wake?.(); }, fail = (reason) => { error ??= reason; wake?.(); };
    const line = () => `PUB ${name} as=${id}${owner ? " owner=yes" : ""}${grant ? ` grant=${grant}` : ""}`;
    const stream = { line, request: give, opened: (answer) => give(field(answer, "demand")), lost: () => { granted = 0; } };
    const start = (controller) => {
      controller.signal.addEventListener("abort", () => fail(failure("aborted")));
      this.#add(id, { ...stream, failed: (reason) => { fail(reason); controller.error(reason); } });
    };
    const write = async (value) => {
      const text = encode(value, raw);
      if (text.length * 3 > this.#longest && encoder.encode(text).length > this.#longest) throw failure("value-too-long");
      const isFull = () => this.#socket.bufferedAmount > 1 << 20;
      while (!error && (granted < 1 || isFull())) await new Promise((go) => { if (granted < 1) wake = go; else setTimeout(go, 5); });
      if (error) throw error;
      granted -= 1;
      this.#sayValue(id, text);
    };
    const close = async () => { await this.#opened(); this.#streams.delete(id); await this.#command(`DONE ${id}`); };
    const abort = (why) => this.#cancel(id, owner ? `FAIL ${id} aborted ${oneLine(why?.message ?? why)}` : `DONE ${id}`);
    return new WritableStream({ start, write, close, abort }, { highWaterMark: 1 });
  }
  /** Answers calls, `jobs` at a time: `fn` returns a value, a promise of one, or an async iterable of any number. */
  serve(name, fn, { jobs = 1, raw = false } = {}) {
    const id = this.#next++, calls = new Map(), { promise: closed, resolve, reject } = Promise.withResolvers();
    closed.catch(() => {});
    let running = 0;
    const forget = (key) => { const call = calls.get(key); calls.delete(key); call?.end?.(); call?.wake?.(); };
    const lost = () => [...calls.keys()].forEach(forget);
    const run = async (key, call, argument) => {
      const say = (value) => { if (calls.get(key) === call) this.#sayValue(key, encode(value, raw)); };
      const result = await fn(argument), values = result?.[Symbol.asyncIterator]?.();
      if (!values) return say(result);
      call.end = () => Promise.resolve(values.return?.()).catch(() => {});
      while (calls.get(key) === call) {
        if (call.demand < 1) { await new Promise((wake) => { call.wake = wake; }); continue; }
        const { done, value } = await values.next();
        if (done) return;
        call.demand -= 1;
        say(value);
      }
    };
    const value = (text, key) => {
      const call = { demand: 0 }, code = (error) => (/^[a-z][a-z0-9-]*$/.test(error?.code) ? error.code : "failed");
      const failed = (error) => `FAIL ${key} ${code(error)} ${oneLine(error?.message ?? error)}`;
      calls.set(key, call);
      running += 1;
      run(key, call, decode(text, raw)).then(() => `DONE ${key}`, failed).then((end) => {
        running -= 1;
        if (calls.get(key) === call && calls.delete(key)) this.#say(end);
        if (this.#streams.has(id)) this.#say(`REQ ${id} 1`);
      });
    };
    const line = () => `SERVE ${name} ${Math.max(jobs - running, 0)} as=${id}`;
    const request = (more, key) => { const call = calls.get(key); if (call) { call.demand += more; call.wake?.(); } };
    this.#add(id, { line, value, request, cancelled: forget, lost, failed: (error) => { lost(); reject(error); } });
    return { closed, stop: () => { this.#cancel(id); lost(); resolve(); } };
  }
  /** Calls a service; resolves to the first value of the answer, or undefined if there is none. */
  async call(service, argument, { raw = false } = {}) {
    await this.#opened();
    const id = this.#next++, line = () => `TAKE ask(${service}, ${literal(JSON.parse(encode(argument)))}) 1 as=${id}`;
    const { promise, resolve, reject } = Promise.withResolvers(), lost = () => this.#fail(id, lostOne());
    this.#add(id, { line, value: (text) => resolve(decode(text, raw)), done: resolve, failed: reject, lost });
    return promise;
  }
  /** Sends one value; resolves to how many have it and how many missed it. */
  async send(name, value, { raw = false } = {}) {
    const text = encode(value, raw);
    if (/[\r\n]/.test(text)) throw failure("usage", "a value with a line end goes through writable()");
    const answer = await this.#opened().then(() => this.#command(`SEND ${name} ${text}`));
    return { to: field(answer, "to"), missed: field(answer, "missed") };
  }
  /** Ends the connection and all that is open on it. */
  close(error = failure("closed", "the connection was closed")) {
    if (this.#over) return;
    this.#over = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    for (const id of [...this.#streams.keys()]) this.#fail(id, error);
    this.#lost();
    this.#options.state?.("closed", error);
  }
  #connect() {
    const socket = (this.#socket = new WebSocket(this.#url, "flow.1"));
    [socket.binaryType, this.#heard, this.#why] = ["arraybuffer", Date.now(), lostOne()];
    socket.onmessage = ({ data }) => { if (socket === this.#socket) this.#receive(data); };
    socket.onclose = () => { if (socket === this.#socket) this.#lost(); };
    this.#timer = setInterval(() => { if (Date.now() - this.#heard > 90_000) this.#lost(); else this.#say("PING"); }, 30_000);
  }
  async #greeted(greeting) {
    const { token, name, state } = this.#options;
    this.#longest = field(greeting, "maxvalue") || this.#longest;
    try {
      if (token) await this.#command(`AUTH ${token}`);
      await this.#command(`HELLO 1 ping=30s${name ? ` name=${name}` : ""}`);
    } catch (error) { return error.code === "lost" || this.close(error); }
    [this.#isOpen, this.#attempts] = [true, 0];
    this.#streams.forEach((stream, id) => this.#open(id, stream));
    for (const { resolve } of this.#waiting.splice(0)) resolve();
    state?.("open");
  }
  #lost() { // another connection is tried, unless that cannot help
    const socket = this.#socket, why = this.#over ?? this.#why;
    [this.#socket, this.#isOpen] = [{ bufferedAmount: 0, send() {}, close() {} }, false];
    clearTimeout(this.#timer);
    socket.close();
    for (const stream of [...this.#streams.values()]) stream.lost?.();
    for (const [tag, { reject }] of this.#answers) if (this.#answers.delete(tag)) reject(failure("lost", why.message));
    if (this.#over || ["auth", "revoked"].includes(why.code)) return this.close(why);
    this.#timer = setTimeout(() => this.#connect(), Math.min(200 * 2 ** this.#attempts++, 5000) * (0.5 + Math.random() / 2));
    this.#options.state?.("away", why);
  }
  #receive(data) {
    this.#heard = Date.now();
    if (typeof data !== "string") return this.#streams.get(parseInt(this.#counted))?.value(decoder.decode(data), this.#counted);
    const [, tag, verb, rest] = /^(?:@(\S+) )?(\S*) ?(.*)$/s.exec(data), answer = this.#answers.get(tag);
    if (answer && verb !== "*") this.#answers.delete(tag);
    if (tag) return verb === "ERR" ? answer?.reject(failure(...cut(rest))) : verb === "*" || answer?.resolve(rest);
    const [key, text] = cut(rest), id = parseInt(key), stream = this.#streams.get(id);
    if (verb === "=") stream?.value(text, key);
    else if (verb === ":") this.#counted = key;
    else if (verb === "HI") this.#greeted(rest);
    else if (verb === "BYE") this.#why = failure(key, text);
    else if (verb === "REQ") stream?.request?.(demandOf(text), key);
    else if (verb === "DROP") stream?.dropped?.(...text.split(" "));
    else if (verb === "DONE" && this.#streams.delete(id)) stream.done?.();
    else if (verb === "CANCEL" && key.includes(".")) stream?.cancelled(key);
    else if (verb === "CANCEL" && text === "draining") stream?.lost(); // it goes on with the next connection
    else if (verb === "CANCEL" || verb === "FAIL") this.#fail(id, failure(...cut(text)));
  }
  #say(message) { if (this.#isOpen) this.#socket.send(message); }
  #cancel(id, line = `CANCEL ${id}`) { if (this.#streams.delete(id)) this.#say(line); }
  #sayValue(key, text) {
    if (!/[\r\n]/.test(text)) return this.#say(`= ${key} ${text}`);
    const bytes = encoder.encode(text);
    [`: ${key} ${bytes.length}`, bytes].forEach((message) => this.#say(message));
  }
  async #opened() {
    const wait = Promise.withResolvers();
    if (this.#over) wait.reject(this.#over); else if (this.#isOpen) wait.resolve(); else this.#waiting.push(wait);
    await wait.promise;
  }
  #command(line) {
    const answer = Promise.withResolvers(), tag = `t${this.#next++}`;
    this.#answers.set(tag, answer);
    this.#socket.send(`@${tag} ${line}`);
    return answer.promise;
  }
  #add(id, stream) {
    if (this.#over) throw this.#over;
    if (this.#streams.set(id, stream) && this.#isOpen) this.#open(id, stream);
  }
  #open(id, { line, opened }) {
    this.#command(line()).then(opened, (error) => { if (!["lost", "draining"].includes(error.code)) this.#fail(id, error); });
  }
  #fail(id, error) { const stream = this.#streams.get(id); if (this.#streams.delete(id)) stream.failed(error); }
}

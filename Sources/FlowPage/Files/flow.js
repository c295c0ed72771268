// The Flow protocol in the terms of the platform, without dependencies; docs/browser.md describes it.
//     import { connect } from "http://127.0.0.1:8569/flow.js"; for await (const tick of connect().readable("ticks")) …
const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const failure = (code, text) => Object.assign(new Error(text || code), { name: "FlowError", code });
const lostOne = () => failure("lost", "the connection was lost");
const encode = (value, raw) => (raw ? String(value) : (JSON.stringify(value) ?? "null"));
const decode = (text, raw) => { try { return raw ? text : JSON.parse(text); } catch { return text; } }; // else it is a string
const [demandText, demandOf] = [(n) => (n === Infinity ? "max" : n), (text) => (text === "max" ? Infinity : Number(text))];
const field = (text, name) => demandOf(text.match(`(?:^| )${name}=(\\S+)`)?.[1]);
const cut = (text) => /^(\S*) ?(.*)$/s.exec(text).slice(1); // the first word, and the rest
const isLonger = (text, most) => text.length * 3 > most && encoder.encode(text).length > most; // in bytes
/** `CODE TEXT` of a FAIL for a thrown value, in a form that the server accepts. */
function failureOf(thrown, code = "failed") {
  try {
    const text = String(thrown?.message ?? thrown).slice(0, 1000).replace(/[\r\n]+/g, " ").replace(/(\p{M}{20})\p{M}+/gu, "$1");
    return `${typeof thrown?.code === "string" && /^[a-z][a-z0-9-]{0,63}$/.test(thrown.code) ? thrown.code : code} ${text}`;
  } catch { return code; }
}
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
  #streams = new Map(); // by their ids; they outlive a connection; `isTold` if the server knows of one
  #answers = new Map(); // whoever waits for the answer to a command, by its tag
  #waiting = []; // callers that wait until commands may be sent
  #url; #options; #socket; #timer; #why; #counted; #over; #isReady = false; #heard = 0; #next = 1;
  #attempts = 0; #since = Infinity; #said = 0; #refused = 0; #longestLine = 65_536; #longest = 1 << 26; // in bytes
  constructor(url, options) { [this.#url, this.#options] = [url.replace(/^http/, "ws"), options]; this.#connect(); }
  /** The values of an expression: the server is asked for as many as the stream wants, and sends no more. */
  readable(expression, { highWaterMark = 1, raw = false, dropped } = {}) {
    let controller, demand = 0; // what was asked for and has not come
    const text = expression.split(/[\r\n]+/).map((line) => line.trim()).filter(Boolean).join(" ");
    const id = this.#next++, line = () => `SUB ${text} ${demandText(demand)} as=${id}`;
    const value = (text) => { demand -= 1; controller.enqueue(decode(text, raw)); };
    const stream = { line, value, dropped, done: () => controller.close(), failed: (error) => controller.error(error) };
    const pull = () => {
      const more = Math.max(controller.desiredSize - demand, demand > 0 ? 0 : 1);
      if (!(more >= Math.max(highWaterMark / 2, 1))) return; // what is read, or still to come, asks again for more at once
      demand += more;
      this.#signal(id, `REQ ${id} ${demandText(more)}`);
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
    const abort = (why, code = "aborted") => this.#cancel(id, owner ? `FAIL ${id} ${failureOf(why, code)}` : `DONE ${id}`);
    const write = async (value) => {
      try {
        const text = this.#fitting(encode(value, raw)), isFull = () => this.#socket.bufferedAmount > 1 << 20;
        const wait = (go) => { if (granted < 1) wake = go; else setTimeout(go, 5); };
        while (!error && (granted < 1 || isFull())) await new Promise(wait);
        if (error) throw error;
        granted -= 1;
        this.#sayValue(id, text);
      } catch (problem) { // the stream fails; otherwise the publication would stay open
        if (problem !== error) abort(problem, "failed");
        throw problem;
      }
    };
    const close = async () => { await this.#ready(); this.#streams.delete(id); await this.#command(`DONE ${id}`); };
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
      call.end = async () => { try { await values.return?.(); } catch { /* the call has ended: nobody to report to */ } };
      while (calls.get(key) === call) {
        if (call.demand < 1) { await new Promise((wake) => { call.wake = wake; }); continue; }
        const { done, value } = await values.next();
        if (done) return void (call.end = null);
        call.demand -= 1;
        say(value);
      }
    };
    const value = (text, key) => {
      const call = { demand: 0 };
      calls.set(key, call);
      running += 1;
      run(key, call, decode(text, raw)).then(() => `DONE ${key}`, (error) => `FAIL ${key} ${failureOf(error)}`).then(async (end) => {
        if (calls.get(key) === call && calls.delete(key)) this.#signal(id, end); // the one end of the call
        await call.end?.(); // the job lasts until the iterator has stopped
        running -= 1;
        this.#signal(id, `REQ ${id} 1`);
      });
    };
    const line = () => `SERVE ${name} ${Math.max(jobs - running, 0)} as=${id}`;
    const request = (more, key) => { const call = calls.get(key); if (call) { call.demand += more; call.wake?.(); } };
    this.#add(id, { line, value, request, cancelled: forget, lost, failed: (error) => { lost(); reject(error); } });
    return { closed, stop: () => { this.#cancel(id); lost(); resolve(); } };
  }
  /** Calls a service; resolves to the first value of the answer, or undefined if there is none. */
  async call(service, argument, { raw = false } = {}) {
    await this.#ready();
    const id = this.#next++, line = () => `TAKE ask(${service}, ${literal(JSON.parse(encode(argument)))}) 1 as=${id}`;
    const { promise, resolve, reject } = Promise.withResolvers(), lost = () => this.#fail(id, lostOne());
    this.#add(id, { line, value: (text) => resolve(decode(text, raw)), done: resolve, failed: reject, lost });
    return promise;
  }
  /** Sends one value; resolves to how many have it and how many missed it. */
  async send(name, value, { raw = false } = {}) {
    const text = encode(value, raw);
    if (/[\r\n]/.test(text)) throw failure("usage", "a value with a line end goes through writable()");
    if (/\s/.test(name)) throw failure("usage", "a name is one word");
    await this.#ready();
    const answer = await this.#command(`SEND ${name} ${this.#fitting(text)}`, this.#longest + 64);
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
    const beat = () => { if (Date.now() - this.#heard > 90_000) this.#lost(); else if (this.#since < Infinity) this.#send("PING"); };
    this.#timer = setInterval(beat, 30_000);
  }
  async #greeted(greeting) {
    const { token, name, state } = this.#options;
    [this.#longestLine, this.#longest] = [field(greeting, "maxline") || 65_536, field(greeting, "maxvalue") || 1 << 20];
    try {
      if (token) await this.#command(`AUTH ${token}`, 4096);
      await this.#command(`HELLO 1 ping=30s${name ? ` name=${name}` : ""}`);
    } catch (error) { return error.code === "lost" || this.close(error); }
    this.#since = Date.now();
    this.#goOn();
    state?.("open");
  }
  #goOn() { // opens the streams that the server does not know, and resumes the waiting callers
    this.#isReady = true;
    this.#streams.forEach((stream, id) => this.#open(id, stream));
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }
  #lost() { // connects again, unless that cannot help
    const socket = this.#socket, why = this.#over ?? this.#why;
    if (Date.now() - this.#since > 5000) this.#attempts = 0; // the connection has lasted
    [this.#socket, this.#isReady, this.#since, this.#refused] = [{ bufferedAmount: 0, send() {}, close() {} }, false, Infinity, 0];
    clearTimeout(this.#timer);
    socket.close();
    for (const stream of [...this.#streams.values()]) { stream.isTold = false; stream.lost?.(); }
    for (const [tag, { reject }] of this.#answers) if (this.#answers.delete(tag)) reject(failure("lost", why.message));
    if (this.#over || ["auth", "revoked"].includes(why.code)) return this.close(why);
    this.#timer = setTimeout(() => this.#connect(), Math.min(200 * 2 ** this.#attempts++, 5000) * (0.5 + Math.random() / 2));
    this.#options.state?.("away", why);
  }
  #receive(data) {
    this.#heard = Date.now();
    if (typeof data !== "string") return this.#streams.get(parseInt(this.#counted))?.value(decoder.decode(data), this.#counted);
    const [, tag, verb, rest] = /^(?:@(\S+) )?(\S*) ?(.*)$/s.exec(data), [key, text] = cut(rest);
    if (tag) return verb === "*" || this.#answered(tag, verb === "ERR" ? failure(key, text) : rest);
    const id = parseInt(key), stream = this.#streams.get(id);
    if (verb === "=") stream?.value(text, key);
    else if (verb === ":") this.#counted = key;
    else if (verb === "HI") this.#greeted(rest);
    else if (verb === "BYE") this.#why = failure(key, text);
    else if (verb === "REQ") stream?.request?.(demandOf(text), key);
    else if (verb === "DROP") stream?.dropped?.(Number(cut(text)[0]), cut(text)[1]);
    else if (verb === "DONE" && this.#streams.delete(id)) stream.done?.();
    else if (verb === "CANCEL" && key.includes(".")) stream?.cancelled(key);
    else if (verb === "CANCEL" && text === "draining") stream?.lost(); // it goes on with the next connection
    else if (verb === "CANCEL" || verb === "FAIL") this.#fail(id, failure(...cut(text)));
  }
  #answered(tag, answer) {
    const socket = this.#socket, waiting = this.#answers.get(tag), isRefusal = answer instanceof Error;
    this.#answers.delete(tag);
    this.#refused = isRefusal ? this.#refused + 1 : 0;
    if (isRefusal && this.#refused % 50 === 0) { // commands pause after 50 refusals in a row
      this.#isReady = false;
      setTimeout(() => { if (socket === this.#socket) this.#goOn(); }, 100);
    }
    if (isRefusal) waiting?.reject(answer); else waiting?.resolve(answer);
  }
  #send(line) { // the server ends a connection after a hundred errors in a row; a PING ends the row
    this.#socket.send(line);
    if (++this.#said % 50 === 0) this.#socket.send("PING");
  }
  #signal(id, line) { if (this.#streams.get(id)?.isTold) this.#send(line); }
  #cancel(id, line = `CANCEL ${id}`) { this.#signal(id, line); this.#streams.delete(id); }
  #fitting(text) {
    if (isLonger(text, this.#longest)) throw failure("value-too-long", `the value has more than ${this.#longest} bytes`);
    return text;
  }
  #sayValue(key, text) {
    if (!/[\r\n]/.test(this.#fitting(text))) return this.#socket.send(`= ${key} ${text}`);
    const bytes = encoder.encode(text);
    [`: ${key} ${bytes.length}`, bytes].forEach((message) => this.#socket.send(message));
  }
  async #ready() {
    const wait = Promise.withResolvers();
    if (this.#over) wait.reject(this.#over); else if (this.#isReady) wait.resolve(); else this.#waiting.push(wait);
    await wait.promise;
  }
  #command(line, most = this.#longestLine) {
    const answer = Promise.withResolvers(), tag = `t${this.#next++}`, text = `@${tag} ${line}`;
    if (/[\r\n]/.test(line)) answer.reject(failure("usage", "a command is one line"));
    else if (isLonger(text, most)) answer.reject(failure("line-too-long", `the command has more than ${most} bytes`));
    else if (this.#answers.set(tag, answer)) this.#send(text);
    return answer.promise;
  }
  #add(id, stream) {
    if (this.#over) throw this.#over;
    if (this.#streams.set(id, stream) && this.#isReady) this.#open(id, stream);
  }
  #open(id, stream) {
    if (stream.isTold) return;
    stream.isTold = true;
    const refused = (error) => ["lost", "draining"].includes(error.code) || this.#fail(id, error);
    this.#command(stream.line()).then(stream.opened, refused);
  }
  #fail(id, error) { const stream = this.#streams.get(id); if (this.#streams.delete(id)) stream.failed(error); }
}

/// A client's command as a value.
///
/// This file holds each command's case, verb, form, reader and writer. `Client+Commands.swift` of the
/// server adds its effect, its rights, how it is treated and its help. No switch has a `default`.
public enum Command: Hashable, Sendable {
  /// `version` is any word; `ping` is in nanoseconds.
  case hello(version: String, ping: Int64?, name: String?)
  case auth(String)
  case help(String?)
  case ping(String?)
  case quit(now: Bool)

  case subject(name: String, SubjectSettings)
  case pipeline(name: String, expression: Expression)
  /// `restart` is in nanoseconds; `failed` is the subject that gets the values left out.
  case run(name: String, expression: Expression, restart: Int64? = nil, failed: String? = nil)
  case delete(String, durable: String? = nil)
  case list(ListKind?, like: String? = nil)
  case show(String)
  case explain(Expression)
  case stats(String?)
  case watch(name: String?, stream: StreamPlace? = nil, filter: String? = nil, known: Int? = nil)
  case kill(Victim)

  case send(name: String, value: [UInt8])
  case done(Target)
  case fail(Target, code: String, text: String)

  /// The window is in bytes.
  case subscribe(
    Expression,
    demand: Demand,
    id: StreamID?,
    window: Int?,
    durable: String? = nil
  )
  /// `within` is in nanoseconds.
  case take(Expression, count: UInt64, id: StreamID?, within: Int64?)
  case tail(Expression)
  case tap(name: String, stage: Int?, demand: Demand, id: StreamID?)
  case publish(name: String, id: StreamID?, grant: Int?, over: OverflowRule?, owner: Bool)
  case feed(String)
  case serve(name: String, demand: Demand, id: StreamID?)
  case request(Target, RequestCount)
  case cancel(Target)
}

extension Command {
  public var verb: Verb {
    switch self {
    case .hello: .hello
    case .auth: .auth
    case .help: .help
    case .ping: .ping
    case .quit: .quit
    case .subject: .subject
    case .pipeline: .pipeline
    case .run: .run
    case .delete: .delete
    case .list: .list
    case .show: .show
    case .explain: .explain
    case .stats: .stats
    case .watch: .watch
    case .kill: .kill
    case .send: .send
    case .done: .done
    case .fail: .fail
    case .subscribe: .subscribe
    case .take: .take
    case .tail: .tail
    case .tap: .tap
    case .publish: .publish
    case .feed: .feed
    case .serve: .serve
    case .request: .request
    case .cancel: .cancel
    }
  }
}

extension Command {
  /// Whether it names a stream of its own connection.
  package var isAboutStream: Bool {
    switch self {
    case .done(let target), .fail(let target, _, _), .request(let target, _), .cancel(let target):
      if case .stream = target { true } else { false }
    case .hello, .auth, .help, .ping, .quit, .subject, .pipeline, .run, .delete, .list, .show,
      .explain, .stats, .watch, .kill, .send, .subscribe, .take, .tail, .tap, .publish, .feed,
      .serve:
      false
    }
  }
}

/// The first word of a command, in the order of `HELP`.
public enum Verb: String, Sendable, CaseIterable {
  case hello = "HELLO"
  case auth = "AUTH"
  case ping = "PING"
  case help = "HELP"
  case quit = "QUIT"
  case subject = "SUBJECT"
  case pipeline = "PIPELINE"
  case run = "RUN"
  case delete = "DELETE"
  case list = "LIST"
  case show = "SHOW"
  case explain = "EXPLAIN"
  case stats = "STATS"
  case watch = "WATCH"
  case kill = "KILL"
  case send = "SEND"
  case done = "DONE"
  case fail = "FAIL"
  case subscribe = "SUB"
  case take = "TAKE"
  case tail = "TAIL"
  case tap = "TAP"
  case publish = "PUB"
  case feed = "FEED"
  case serve = "SERVE"
  case request = "REQ"
  case cancel = "CANCEL"
}

// MARK: Reading

extension Command {
  /// Reads the arguments of `verb`; the caller refuses leftover words.
  init(_ verb: Verb, _ arguments: inout ArgumentReader) throws(WireError) {
    switch verb {
    case .hello: self = try .hello(&arguments)
    case .auth: self = try .auth(&arguments)
    case .ping: self = .ping(arguments.text())
    case .help: self = .help(try arguments.optionalWord())
    case .quit: self = try .quit(&arguments)
    case .subject:
      self = .subject(name: try arguments.ownName(), try SubjectSettings(&arguments))
    case .pipeline:
      let definition = try arguments.definition()
      try definition.options.end()
      self = .pipeline(name: definition.name, expression: definition.expression)
    case .run: self = try .run(&arguments)
    case .delete: self = try .delete(&arguments)
    case .list: self = try .list(&arguments)
    case .show: self = .show(try arguments.name())
    case .explain: self = .explain(try arguments.lastExpression())
    case .stats: self = .stats(try arguments.optionalPattern())
    case .watch: self = try .watch(&arguments)
    case .kill: self = .kill(try Self.victim(&arguments))
    case .send: self = try .send(&arguments)
    case .done: self = .done(try arguments.target(own: true))
    case .fail: self = try .fail(&arguments)
    case .subscribe: self = try .subscribe(&arguments)
    case .take: self = try .take(&arguments)
    case .tail: self = .tail(try arguments.expression())
    case .tap: self = try .tap(&arguments)
    case .publish: self = try .publish(&arguments)
    case .feed: self = .feed(try arguments.ownName())
    case .serve: self = try .serve(&arguments)
    case .request: self = try .request(&arguments)
    case .cancel: self = .cancel(try arguments.target(own: false))
    }
  }
}

// MARK: Writing

extension Command {
  /// The line without a tag, with its line end.
  var line: LineText {
    switch self {
    case .hello(let version, let ping, let name):
      "HELLO \(version)\("ping", ping.map(Quantity.text))\("name", name)"
    case .auth(let token): "AUTH \(token)"
    case .help(let word): "HELP\(rest: word)"
    case .ping(let text): "PING\(rest: text)"
    case .quit(let now): "QUIT\(rest: now ? "now" : nil)"
    case .subject(let name, let settings): "SUBJECT \(name) \(settings)"
    case .pipeline(let name, let expression): "PIPELINE \(name) = \(expression)"
    case .run(let name, let expression, let restart, let failed):
      "RUN \(name)\("restart", restart.map(Quantity.text))\("failed", failed) = \(expression)"
    case .delete(let name, let durable): "DELETE \(name)\("durable", durable)"
    case .list(let kind, let pattern): "LIST\(rest: kind?.rawValue)\(rest: pattern)"
    case .show(let name): "SHOW \(name)"
    case .explain(let expression): "EXPLAIN \(expression)"
    case .stats(let name): "STATS\(rest: name)"
    case .watch(let name, let stream, let filter, let known):
      "WATCH\(rest: name)\("stream", stream)\("filter", filter)\("known", known)"
    case .kill(.client(let number)): "KILL CLIENT \(number)"
    case .kill(.stream(let number, let id)): "KILL STREAM \(number) \(id)"
    case .kill(.name(let name)): "KILL NAME \(name)"
    case .send(let name, let value): "SEND \(name) \(value)"
    case .done(let target): "DONE \(target)"
    case .fail(let target, let code, let text): "FAIL \(target) \(code)\(text: text)"
    case .subscribe(let expression, let demand, let id, let window, let durable):
      "SUB \(expression)\(first: demand)\("as", id)\("window", window)\("durable", durable)"
    case .take(let expression, let count, let id, let within):
      "TAKE \(expression) \(count)\("as", id)\("within", within.map(Quantity.text))"
    case .tail(let expression): "TAIL \(expression)"
    case .tap(let name, let stage, let demand, let id):
      "TAP \(stage.map { "\(name).\($0)" } ?? name)\(first: demand)\("as", id)"
    case .publish(let name, let id, let grant, let over, let owner):
      """
      PUB \(name)\("as", id)\("grant", grant)\("over", over?.rawValue)\
      \("owner", owner ? "yes" : nil)
      """
    case .feed(let name): "FEED \(name)"
    case .serve(let name, let demand, let id): "SERVE \(name)\(first: demand)\("as", id)"
    case .request(let target, .demand(let demand)): "REQ \(target) \(demand)"
    case .request(let target, .refusedDemand(let count)): "REQ \(target) \(count)"
    case .cancel(let target): "CANCEL \(target)"
    }
  }
}

// MARK: Help

extension Verb {
  /// The form of the whole line: `[…]` is optional, `|` separates alternatives, upper case is a
  /// placeholder.
  public var form: String {
    switch self {
    case .hello: "HELLO 1 [ping=DUR] [name=TEXT]"
    case .auth: "AUTH TOKEN"
    case .ping: "PING [TEXT]"
    case .help: "HELP [WORD]"
    case .quit: "QUIT [now]"
    case .subject:
      "SUBJECT NAME [passthrough | current VALUE | replay N] [flow=free|slowest] [stall=DUR] […]"
    case .pipeline: "PIPELINE NAME = EXPR"
    case .run: "RUN NAME [restart=DUR] [failed=SUBJECT] = EXPR"
    case .delete: "DELETE NAME [durable=NAME]"
    case .list: "LIST [subjects|pipelines|runs|services|streams|clients] [NAME|PATTERN]"
    case .show: "SHOW NAME"
    case .explain: "EXPLAIN EXPR"
    case .stats: "STATS [NAME|PATTERN]"
    case .watch: "WATCH [NAME] [stream=CLIENT.ID] [filter=TEXT] [known=N]"
    case .kill: "KILL CLIENT N | STREAM N ID | NAME NAME"
    case .send: "SEND NAME TEXT"
    case .done: "DONE NAME|ID"
    case .fail: "FAIL NAME|ID CODE [TEXT]"
    case .subscribe: "SUB EXPR [N|max] [as=ID] [window=SIZE] [durable=NAME]"
    case .take: "TAKE EXPR N [as=ID] [within=DUR]"
    case .tail: "TAIL EXPR"
    case .tap: "TAP NAME[.STAGE] [N|max] [as=ID]"
    case .publish: "PUB NAME [as=ID] [grant=N] [over=hold|cancel|drop] [owner=yes|no]"
    case .feed: "FEED NAME"
    case .serve: "SERVE NAME [N|max] [as=ID]"
    case .request: "REQ ID|NAME N|max"
    case .cancel: "CANCEL ID|NAME"
    }
  }

  public var summary: String {
    switch self {
    case .hello: "switches to framed mode, for programs: quiet, pipelined, no lines for people"
    case .auth: "authenticates, if the server's greeting has auth=token"
    case .ping: "checks whether the server answers"
    case .help: "explains a command, an operator or a topic, or lists them"
    case .quit: "closes the connection when all requested values are delivered, or now"
    case .subject: "creates a subject; all subscribers get the values sent to it"
    case .pipeline: "defines a pipeline; each subscription runs its own stages"
    case .run: "runs a pipeline into a subject, without a client"
    case .delete: "deletes a subject or a pipeline, or stops a run"
    case .list: "lists subjects, pipelines, runs, services, streams or clients"
    case .show: "shows a subject's, pipeline's, run's or service's definition and current figures"
    case .explain:
      "shows what each stage of a pipeline requests, holds, does when full, and when it ends"
    case .stats:
      "shows counters and gauges of the server, or of a subject, a pipeline, a run or a service"
    case .watch: "shows, as JSON, how all names do and who holds them up, and the stages of one"
    case .kill: "ends a connection, one of its streams, or everything open on a name"
    case .send: "sends one value to a subject"
    case .done: "completes a subject, or ends one of your publications"
    case .fail: "completes a subject with a failure, or ends one of your publications with one"
    case .subscribe: "subscribes to a subject or a pipeline; nothing flows before there is demand"
    case .take: "subscribes, asks for N values and ends after them"
    case .tail:
      "turns the connection into raw lines: the values of a subject or pipeline and nothing else"
    case .tap:
      "samples the values that pass a name; it never creates demand and nobody waits for it"
    case .publish:
      "opens a stream to a subject; REQ from the server says how many values you may send"
    case .feed:
      "sends every further line to a subject as a value, until a lone . or the end of input"
    case .serve: "answers the calls that pipelines make with ask(NAME, VALUE)"
    case .request: "asks for N more values of a stream"
    case .cancel: "ends a stream; nothing more of it comes after the answer"
    }
  }

  /// Valid lines, the simplest first.
  var examples: [String] {
    switch self {
    case .hello: ["HELLO 1", "HELLO 1 ping=10s name=thermometer"]
    case .auth: ["AUTH 9f2c61d0a7e4"]
    case .ping: ["PING", "PING are you there"]
    case .help: ["HELP", "HELP SUB", "HELP flatMap", "HELP demand"]
    case .quit: ["QUIT", "QUIT now"]
    case .subject:
      ["SUBJECT orders", "SUBJECT lamp current \"off\"", "SUBJECT log replay 100 flow=slowest"]
    case .pipeline: ["PIPELINE even = orders.filter { $0 % 2 == 0 }.map { $0 * 10 }"]
    case .run:
      [
        "RUN totals = orders.scan(0) { $0 + $1 }.assign(to: revenue)",
        "RUN bills restart=1s = orders.concatMap { ask(bill, $0) }.assign(to: revenue)",
      ]
    case .delete: ["DELETE orders"]
    case .list: ["LIST", "LIST subjects", "LIST orders", "LIST subjects sensors/**"]
    case .show: ["SHOW orders"]
    case .explain:
      [
        "EXPLAIN orders.filter { $0.price > 100 }",
        "EXPLAIN orders.flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }",
      ]
    case .stats: ["STATS", "STATS orders", "STATS sensors/**"]
    case .watch: ["WATCH", "WATCH orders", "WATCH orders stream=7.1 known=12"]
    case .kill: ["KILL CLIENT 1", "KILL STREAM 1 1", "KILL NAME orders"]
    case .send: ["SEND orders 21.5", "SEND orders {\"id\": 7}"]
    case .done: ["DONE orders", "DONE 1"]
    case .fail: ["FAIL orders too-hot the sensor burns", "FAIL 1 broken"]
    case .subscribe:
      ["SUB orders 10", "SUB orders", "SUB orders.filter { $0 > 3 } max as=1 window=64KiB"]
    case .take: ["TAKE orders 2", "TAKE orders.map { $0 * 2 } 5 within=10s"]
    case .tail: ["TAIL orders", "TAIL orders.filter { $0 > 3 }"]
    case .tap: ["TAP orders 10", "TAP orders.0 max as=2"]
    case .publish: ["PUB orders", "PUB orders as=1 grant=1000 over=cancel owner=yes"]
    case .feed: ["FEED orders"]
    case .serve: ["SERVE resize 1", "SERVE resize", "SERVE resize 16 as=5"]
    case .request: ["REQ 1 8", "REQ 1 max", "REQ orders 3"]
    case .cancel: ["CANCEL 1", "CANCEL orders"]
    }
  }
}

/// A client's command as a value.
///
/// This file holds each command's case, verb, reader and writer; `Verb+Rows.swift` its form and help.
/// `Client+Commands.swift` of the server adds its rights and effect. No switch has a `default`.
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
  var isAboutStream: Bool {
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
    case .ping:
      self = unsafe .ping(arguments.rest().map { unsafe String(decoding: $0, as: UTF8.self) })
    case .help: self = .help(try arguments.optionalWord())
    case .quit: self = try .quit(&arguments)
    case .subject: self = try .subject(&arguments)
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

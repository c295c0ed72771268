private import Spelling

extension Command {
  /// Reads what follows the verb; what is left over is the caller's to refuse.
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
      let (name, expression) = try arguments.definition()
      self = .pipeline(name: name, expression: expression)
    case .run:
      let (name, expression) = try arguments.definition()
      self = .run(name: name, expression: expression)
    case .delete: self = .delete(try arguments.ownName())
    case .list: self = try .list(&arguments)
    case .show: self = .show(try arguments.name())
    case .explain: self = .explain(try arguments.lastExpression())
    case .stats: self = .stats(try arguments.optionalName())
    case .kill: self = .kill(try Self.victim(&arguments))
    case .send: self = try .send(&arguments)
    case .done: self = .done(try arguments.target(own: true))
    case .fail: self = try .fail(&arguments)
    case .subscribe: self = try .subscribe(&arguments)
    case .take: self = try .take(&arguments)
    case .tail: self = .tail(try arguments.expression())
    case .publish: self = try .publish(&arguments)
    case .feed: self = .feed(try arguments.ownName())
    case .serve: self = try .serve(&arguments)
    case .request: self = try .request(&arguments)
    case .cancel: self = .cancel(try arguments.target(own: false))
    }
  }

  private static func hello(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let version = try arguments.word("version")
    var options = try arguments.options()
    let ping = try options.duration("ping")
    let name = options.text("name")
    if name == "" { throw arguments.unexpected("name", "", "a word that says who this is") }
    try options.end()
    return .hello(version: version, ping: ping, name: name)
  }

  /// No refusal repeats what may be a token.
  private static func auth(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    guard let token = arguments.wordOfAnyLength() else {
      throw arguments.usage("token is missing")
    }
    guard arguments.wordOfAnyLength() == nil else { throw arguments.usage("a token has no blanks") }
    return .auth(token)
  }

  private static func quit(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    guard let word = try arguments.optionalWord() else { return .quit(now: false) }
    guard word == "now" else { throw arguments.unexpected("the word", word, "now or nothing") }
    return .quit(now: true)
  }

  private static func list(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    guard let word = try arguments.optionalWord() else { return .list(nil) }
    guard let kind = ListKind(rawValue: word) else {
      let meant = nearest(to: word, among: ListKind.allCases.map(\.rawValue))
      let hint = meant.map { "; did you mean \($0)?" } ?? ""
      throw arguments.unexpected("kind", word, alternatives(ListKind.self) + hint)
    }
    return .list(kind)
  }

  private static func subject(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    var settings = SubjectSettings()
    switch try arguments.wordBeforeOptions() {
    case nil, "passthrough": break
    case "current": settings.kind = .current(try arguments.value())
    case "replay":
      let word = try arguments.word("count")
      guard let count = Quantity.number(word[...]), count > 0, let count = Int(exactly: count)
      else {
        throw arguments.unexpected("count", word, "a number from 1")
      }
      settings.kind = .replay(count)
    case let word?: throw arguments.unexpected("kind", word, "passthrough, current or replay")
    }
    var options = try arguments.options()
    settings.flow = try options.choice("flow", SubjectSettings.Flow.self) ?? .free
    settings.stall = try options.duration("stall")
    try options.end()
    return .subject(name: name, settings)
  }

  private static func victim(_ arguments: inout ArgumentReader) throws(WireError) -> Victim {
    let word = try arguments.word("what to end")
    switch word.uppercased() {
    case "CLIENT": return .client(try arguments.client())
    case "STREAM":
      let client = try arguments.client()
      let id = try arguments.word("id")
      guard let id = Quantity.streamID(id[...]), !id.isCall else {
        throw arguments.unexpected("id", id, "the number of a stream; LIST streams lists them")
      }
      return .stream(client: client, id)
    case "NAME": return .name(try arguments.ownName())
    default: throw arguments.unexpected("what to end", word, "CLIENT, STREAM or NAME")
    }
  }

  private static func send(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    guard let value = unsafe arguments.rest() else {
      throw arguments.usage("the value is missing; a blank after the name sends the empty value")
    }
    return unsafe .send(name: name, value: Array(value))
  }

  private static func fail(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let target = try arguments.target(own: true)
    let code = try arguments.word("code")
    guard Name.isName(code) else { throw arguments.unexpected("code", code, "a word like too-hot") }
    let text = unsafe arguments.rest().map { unsafe String(decoding: $0, as: UTF8.self) } ?? ""
    return .fail(target, code: code, text: text)
  }

  private static func subscribe(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let expression = try arguments.expression()
    let demand = try arguments.firstDemand()
    var options = try arguments.options()
    let id = try options.streamID("as")
    let window = try options.size("window", upTo: 4_194_304)
    try options.end()
    return .subscribe(expression, demand: demand, id: id, window: window)
  }

  private static func take(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let expression = try arguments.expression()
    guard let word = try arguments.wordBeforeOptions() else {
      throw arguments.usage("count is missing")
    }
    guard let count = Quantity.number(word[...]), count > 0 else {
      throw arguments.unexpected("count", word, "a number from 1")
    }
    var options = try arguments.options()
    let id = try options.streamID("as")
    let within = try options.duration("within")
    try options.end()
    return .take(expression, count: count, id: id, within: within)
  }

  private static func publish(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    var options = try arguments.options()
    let id = try options.streamID("as")
    let grant = try options.number("grant", in: 1...65_536)
    let over = try options.choice("over", OverflowRule.self)
    let owner = try options.flag("owner") ?? false
    try options.end()
    return .publish(name: name, id: id, grant: grant, over: over, owner: owner)
  }

  private static func serve(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    let demand = try arguments.firstDemand()
    var options = try arguments.options()
    let id = try options.streamID("as")
    try options.end()
    return .serve(name: name, demand: demand, id: id)
  }

  private static func request(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let target = try arguments.target(own: false)
    let word = try arguments.word("count")
    if word == "max" { return .request(target, .demand(.unlimited)) }
    if let count = Quantity.number(word[...]) {
      return .request(target, count == 0 ? .refusedDemand(word) : .demand(.max(count)))
    }
    guard word.utf8.first == .dash, Quantity.number(word.dropFirst()) != nil else {
      throw arguments.unexpected("count", word, "a number or max")
    }
    return .request(target, .refusedDemand(word))
  }
}

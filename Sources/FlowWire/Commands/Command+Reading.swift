private import Spelling

extension Command {
  static func run(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    var definition = try arguments.definition()
    let restart = try definition.options.duration("restart")
    let failed = try definition.options.name("failed")
    try definition.options.end()
    if let restart, !restartTimes.contains(restart) {
      let text = Quantity.text(restart)
      throw arguments.unexpected("restart", text, "a time from 10ms to 60m")
    }
    return .run(
      name: definition.name,
      expression: definition.expression,
      restart: restart,
      failed: failed
    )
  }

  /// The allowed delays before a failed run restarts: 10 ms to 1 h.
  private static let restartTimes: ClosedRange<Int64> = 10_000_000...3_600_000_000_000

  static func hello(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let version = try arguments.word("version")
    var options = try arguments.options()
    let ping = try options.duration("ping")
    let name = options.text("name")
    if name == "" { throw arguments.unexpected("name", "", "one word that identifies the client") }
    try options.end()
    return .hello(version: version, ping: ping, name: name)
  }

  /// Reads AUTH; its errors never repeat text that may be the token.
  static func auth(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    guard let token = arguments.wordOfAnyLength() else {
      throw arguments.usage("token is missing")
    }
    guard arguments.wordOfAnyLength() == nil else {
      throw arguments.usage("a token cannot contain spaces")
    }
    return .auth(token)
  }

  static func quit(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    guard let word = try arguments.optionalWord() else { return .quit(now: false) }
    guard word == "now" else { throw arguments.unexpected("the word", word, "now or nothing") }
    return .quit(now: true)
  }

  static func list(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    guard let word = try arguments.optionalWord() else { return .list(nil) }
    if let kind = ListKind(rawValue: word) {
      return .list(kind, like: try arguments.optionalPattern())
    }
    if let meant = nearest(to: word, among: ListKind.allCases.map(\.rawValue)) {
      let hint = "\(alternatives(ListKind.self)); did you mean \(meant)?"
      throw arguments.unexpected("kind", word, hint)
    }
    guard Name.isReadable(word) || Name.isPattern(word) else {
      throw arguments.unexpected("kind or name", word, Name.expected(insteadOf: word))
    }
    return .list(nil, like: word)
  }

  static func victim(_ arguments: inout ArgumentReader) throws(WireError) -> Victim {
    guard let word = try arguments.optionalWord() else {
      throw arguments.usage("the first word is missing: CLIENT, STREAM or NAME")
    }
    switch word.uppercased() {
    case "CLIENT": return .client(try arguments.client())
    case "STREAM":
      let client = try arguments.client()
      let id = try arguments.word("id")
      guard let id = StreamID(id.utf8), !id.isCall else {
        throw arguments.unexpected("id", id, "the number of a stream; LIST streams lists them")
      }
      return .stream(client: client, id)
    case "NAME": return .name(try arguments.ownName())
    default:
      let expected = "the first word is \(quoted(word)), expected CLIENT, STREAM or NAME"
      let meant: Victim? =
        if let place = StreamPlace(word[...]) {
          .stream(client: place.client, place.id)
        } else if let client = UInt64(decimal: word.utf8).flatMap({ Int(exactly: $0) }) {
          .client(client)
        } else {
          Name.isName(word) ? .name(word) : nil
        }
      let hint = meant.map { "; did you mean \(quoted("\(Command.kill($0))"))?" } ?? ""
      throw arguments.usage(expected + hint)
    }
  }

  static func send(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    guard let value = unsafe arguments.rest() else {
      throw arguments.usage("the value is missing; for an empty value, add a space after the name")
    }
    return unsafe .send(name: name, value: Array(value))
  }

  static func fail(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let target = try arguments.target(own: true)
    let code = try arguments.word("code")
    guard Name.isWord(code) else { throw arguments.unexpected("code", code, "a word like too-hot") }
    return .fail(target, code: code, text: arguments.text() ?? "")
  }

  static func subscribe(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let expression = try arguments.expression()
    let demand = try arguments.firstDemand()
    var options = try arguments.options()
    let id = try options.streamID("as")
    let window = try options.size("window", upTo: 4_194_304)
    let durable = try options.word("durable")
    try options.end()
    if durable != nil, demand == .unlimited {
      throw arguments.usage("max does not go with durable, as each REQ acknowledges a number")
    }
    return .subscribe(expression, demand: demand, id: id, window: window, durable: durable)
  }

  static func delete(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    var options = try arguments.options()
    let durable = try options.word("durable")
    try options.end()
    return .delete(name, durable: durable)
  }

  static func watch(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.wordBeforeOptions()
    if let name, !Name.isReadable(name) {
      throw arguments.unexpected("name", name, Name.expected(insteadOf: name))
    }
    var options = try arguments.options()
    let stream = try options.place("stream")
    let filter = options.text("filter")
    let known = try options.number("known", in: 0...Int.max)
    try options.end()
    if stream != nil, name == nil {
      throw arguments.usage("stream is given without the name that it runs")
    }
    return .watch(name: name, stream: stream, filter: filter, known: known)
  }

  static func take(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let expression = try arguments.expression()
    guard let word = try arguments.wordBeforeOptions() else {
      throw arguments.usage("count is missing")
    }
    guard let count = UInt64(decimal: word.utf8), count > 0 else {
      throw arguments.unexpected("count", word, "a number from 1")
    }
    var options = try arguments.options()
    let id = try options.streamID("as")
    let within = try options.duration("within")
    try options.end()
    return .take(expression, count: count, id: id, within: within)
  }

  static func tap(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let (name, stage) = try arguments.nameAndStage()
    let demand = try arguments.firstDemand()
    var options = try arguments.options()
    let id = try options.streamID("as")
    try options.end()
    return .tap(name: name, stage: stage, demand: demand, id: id)
  }

  static func publish(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    var options = try arguments.options()
    let id = try options.streamID("as")
    let grant = try options.number("grant", in: 1...65_536)
    let over = try options.choice("over", OverflowRule.self)
    let owner = try options.flag("owner") ?? false
    try options.end()
    return .publish(name: name, id: id, grant: grant, over: over, owner: owner)
  }

  static func serve(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let name = try arguments.ownName()
    let demand = try arguments.firstDemand()
    var options = try arguments.options()
    let id = try options.streamID("as")
    try options.end()
    return .serve(name: name, demand: demand, id: id)
  }

  static func request(_ arguments: inout ArgumentReader) throws(WireError) -> Command {
    let target = try arguments.target(own: false)
    let word = try arguments.word("count")
    if word == "max" { return .request(target, .demand(.unlimited)) }
    if let count = UInt64(decimal: word.utf8) {
      return .request(target, count == 0 ? .refusedDemand(word) : .demand(.max(count)))
    }
    guard word.utf8.first == .dash, UInt64(decimal: word.dropFirst().utf8) != nil else {
      throw arguments.unexpected("count", word, "a number or max")
    }
    return .request(target, .refusedDemand(word))
  }
}

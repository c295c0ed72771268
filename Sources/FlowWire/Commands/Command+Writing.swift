extension TaggedCommand {
  /// The line and its line end.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    command.write(tag: tag, into: &bytes)
    return bytes
  }
}

extension Command: CustomStringConvertible {
  /// The line without its line end.
  public var description: String { String(decoding: bytes.dropLast(), as: UTF8.self) }

  /// The line and its line end.
  public var bytes: [UInt8] { TaggedCommand(self).bytes }

  /// Appends the line, behind a tag if there is one, and its line end.
  ///
  /// Names, expressions and values have to be what a line can hold.
  public func write(tag: String? = nil, into output: inout [UInt8]) {
    if let tag { output.append(tag: tag) }
    switch self {
    case .request(.stream(let id), .demand(let demand)):
      ServerLine.request(id, demand).write(into: &output)
    case .done(.stream(let id)): ServerLine.done(id).write(into: &output)
    case .fail(.stream(let id), let code, let text):
      ServerLine.fail(id, code: code, text: text).write(into: &output)
    default: output.append(line)
    }
  }

  private var line: LineText {
    switch self {
    case .hello(let version, let ping, let name):
      "HELLO \(version)\("ping", ping.map(Quantity.text))\("name", name)"
    case .auth(let token): "AUTH \(token)"
    case .help(let word): "HELP\(rest: word)"
    case .ping(let text): "PING\(rest: text)"
    case .quit(let now): "QUIT\(rest: now ? "now" : nil)"
    case .subject(let name, let settings): "SUBJECT \(name) \(settings)"
    case .pipeline(let name, let expression): "PIPELINE \(name) = \(expression)"
    case .run(let name, let expression, let restart):
      "RUN \(name)\("restart", restart.map(Quantity.text)) = \(expression)"
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

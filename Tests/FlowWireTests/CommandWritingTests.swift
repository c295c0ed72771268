import FlowTestSupport
import FlowWire
import Testing

@Suite("Command, written")
struct CommandWritingTests {
  @Test("each command is read as it is written", arguments: Verb.allCases)
  func bothWays(_ verb: Verb) throws {
    var values = RandomValues(seed: 11)
    for _ in 0..<100 {
      for command in values.commands(verb) {
        let line = command.bytes.dropLast()
        #expect(line.starts(with: verb.rawValue.utf8))
        let read = try line.withUnsafeBytes { try TaggedCommand($0) }
        #expect(read == TaggedCommand(command))
        #expect(TaggedCommand(tag: "a.1", command).bytes == Array("@a.1 ".utf8) + line + [10])
      }
    }
  }

  @Test("the examples say the same when they are written anew", arguments: Verb.allCases)
  func examples(_ verb: Verb) throws {
    for example in verb.entry.examples {
      let command = try TaggedCommand(example).command
      let anew = try TaggedCommand(command.description).command
      #expect(anew.withoutColumns == command.withoutColumns)
    }
  }

  @Test(
    "what was left out is left out",
    arguments: [
      "HELLO 1", "HELP", "PING", "QUIT", "LIST", "STATS", "WATCH", "FAIL orders hot", "SUB orders",
      "SUB orders 3 as=1", "TAKE orders 3", "PUB orders", "SERVE resize", "KILL CLIENT 3",
    ]
  )
  func short(_ line: String) throws {
    #expect(try TaggedCommand(line).command.description == line)
  }

  @Test("a text stays on its line, whatever is in it")
  func injection() {
    let command = Command.fail(.name("orders"), code: "x", text: "a\r\nDONE 6\n")
    #expect(command.description == "FAIL orders x a\\r\\nDONE 6\\n")
  }
}

extension Command {
  /// The same with its expression at the beginning of the line.
  fileprivate var withoutColumns: Command {
    switch self {
    case .pipeline(let name, let text): .pipeline(name: name, expression: Expression(text.text))
    case .run(let name, let text, let restart, let failed):
      .run(name: name, expression: Expression(text.text), restart: restart, failed: failed)
    case .explain(let text): .explain(Expression(text.text))
    case .tail(let text): .tail(Expression(text.text))
    case .subscribe(let text, let demand, let id, let window, let durable):
      .subscribe(
        Expression(text.text),
        demand: demand,
        id: id,
        window: window,
        durable: durable
      )
    case .take(let text, let count, let id, let within):
      .take(Expression(text.text), count: count, id: id, within: within)
    default: self
    }
  }
}

extension RandomValues {
  /// Commands of all forms that a verb has.
  mutating func commands(_ verb: Verb) -> [Command] {
    let name = name
    return switch verb {
    case .hello: [.hello(version: "1", ping: time, name: word)]
    case .auth: [.auth(code)]
    case .help: [.help(word)]
    case .ping: [.ping(nil), .ping(rest)]
    case .quit: [.quit(now: true), .quit(now: false)]
    case .subject: [.subject(name: name, settings)]
    case .pipeline: [.pipeline(name: name, expression: expression(at: 13 + name.count))]
    case .run:
      [
        .run(name: name, expression: expression(at: 8 + name.count)),
        .run(name: name, expression: expression(at: 19 + name.count), restart: 1_000_000_000),
        .run(name: name, expression: expression(at: 19 + name.count), failed: "bad"),
      ]
    case .delete: [.delete(name), .delete(name, durable: name)]
    case .list:
      [.list(nil), .list(nil, like: name), .list(nil, like: "a/*"), .list(.runs)]
        + ListKind.allCases.map { .list($0, like: "a-*/**") }
    case .show: [.show(name)]
    case .explain: [.explain(expression(at: 9))]
    case .stats: [.stats(nil), .stats(name), .stats("sensors/**")]
    case .watch:
      [
        .watch(name: nil), .watch(name: nil, filter: word, known: count),
        .watch(name: name, stream: StreamPlace(client: count, id: stream)),
      ]
    case .kill:
      [.kill(.client(count)), .kill(.stream(client: count, stream)), .kill(.name(name))]
    case .send: [.send(name: name, value: value)]
    case .done: [.done(.stream(id)), .done(.name(name))]
    case .fail:
      [
        .fail(.stream(id), code: code, text: rest), .fail(.name(name), code: code, text: rest),
      ]
    case .subscribe: [.subscribe(expression(at: 5), demand: demand, id: newID, window: size)]
    case .take: [.take(expression(at: 6), count: UInt64(max(1, count)), id: newID, within: time)]
    case .tail: [.tail(expression(at: 6))]
    case .tap:
      [
        .tap(name: name, stage: nil, demand: demand, id: newID),
        .tap(name: name, stage: count, demand: demand, id: nil),
      ]
    case .publish:
      [
        .publish(name: name, id: newID, grant: grant, over: nil, owner: true),
        .publish(name: name, id: newID, grant: grant, over: overflow, owner: false),
      ]
    case .feed: [.feed(name)]
    case .serve: [.serve(name: name, demand: demand, id: newID)]
    case .request:
      [
        .request(target, .demand(.max(UInt64(max(1, count))))),
        .request(target, .demand(.unlimited)), .request(target, .refusedDemand("-\(count)")),
      ]
    case .cancel: [.cancel(target)]
    }
  }
}

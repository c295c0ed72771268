import FlowWire
import Testing

@Suite("Command")
struct CommandTests {
  private static func stream(_ id: UInt64) -> Target { .stream(StreamID(rawValue: id)) }

  @Test(
    "reads every form",
    arguments: [
      ("HELLO 1", .hello(version: "1", ping: nil, name: nil)),
      (
        "hello 2 name=a=b ping=10s",
        .hello(version: "2", ping: 10_000_000_000, name: "a=b")
      ),
      ("HELP", .help(nil)),
      ("help flatMap ", .help("flatMap")),
      ("PING", .ping(nil)),
      ("PING  two  words ", .ping(" two  words ")),
      ("quit", .quit(now: false)),
      ("QUIT now", .quit(now: true)),
      (
        "run t = a.assign(to: b) ",
        .run(name: "t", expression: Expression("a.assign(to: b)", column: 9))
      ),
      (
        "RUN t  restart=1m  =a.assign(to: b)",
        .run(
          name: "t",
          expression: Expression("a.assign(to: b)", column: 21),
          restart: 60_000_000_000
        )
      ),
      (
        "RUN restart=a.assign(to: b)",
        .run(name: "restart", expression: Expression("a.assign(to: b)", column: 13))
      ),
      ("LIST runs", .list(.runs)),
      ("DELETE orders", .delete("orders")),
      ("LIST", .list(nil)),
      ("LIST sensors/*", .list(nil, like: "sensors/*")),
      ("LIST sensors/kitchen", .list(nil, like: "sensors/kitchen")),
      ("LIST streams orders", .list(.streams, like: "orders")),
      ("LIST subjects sensors/**", .list(.subjects, like: "sensors/**")),
      ("STATS lab-*", .stats("lab-*")),
      ("SHOW sensors/kitchen/temp", .show("sensors/kitchen/temp")),
      ("SHOW sensors/17", .show("sensors/17")),
      ("LIST pipelines", .list(.pipelines)),
      ("SHOW orders", .show("orders")),
      ("SHOW $clock", .show("$clock")),
      ("WATCH", .watch(name: nil)),
      ("watch orders", .watch(name: "orders")),
      (
        "WATCH orders known=3 stream=7.1 filter=or",
        .watch(
          name: "orders",
          stream: StreamPlace(client: 7, id: StreamID(rawValue: 1)),
          filter: "or",
          known: 3
        )
      ),
      ("WATCH filter=a.b", .watch(name: nil, filter: "a.b")),
      ("SEND orders 5", .send(name: "orders", value: Array("5".utf8))),
      ("\tSEND \t orders  a b ", .send(name: "orders", value: Array(" a b ".utf8))),
      ("SEND orders ", .send(name: "orders", value: [])),
      ("DONE orders", .done(.name("orders"))),
      ("DONE 3", .done(stream(3))),
      (
        "FAIL orders too-hot it  burns ",
        .fail(.name("orders"), code: "too-hot", text: "it  burns ")
      ),
      ("FAIL 3 broken", .fail(stream(3), code: "broken", text: "")),
      ("REQ 1 2", .request(stream(1), .demand(.max(2)))),
      ("req 1 max", .request(stream(1), .demand(.unlimited))),
      ("REQ orders 3", .request(.name("orders"), .demand(.max(3)))),
      ("REQ $clock 3", .request(.name("$clock"), .demand(.max(3)))),
      (
        "REQ 1 9223372036854775807",
        .request(stream(1), .demand(.max(9_223_372_036_854_775_807)))
      ),
      ("REQ 1 9223372036854775808", .request(stream(1), .demand(.unlimited))),
      ("REQ 1 99999999999999999999999", .request(stream(1), .demand(.unlimited))),
      ("REQ 1 0", .request(stream(1), .refusedDemand("0"))),
      ("REQ 1 000", .request(stream(1), .refusedDemand("000"))),
      ("REQ 1 -7", .request(stream(1), .refusedDemand("-7"))),
      ("CANCEL 9007199254740992", .cancel(stream(9_007_199_254_740_992))),
      ("CANCEL orders", .cancel(.name("orders"))),
    ] as [(String, Command)]
  )
  func simple(_ line: String, _ command: Command) throws {
    #expect(try TaggedCommand(line) == TaggedCommand(command))
  }

  @Test(
    "reads subjects, pipelines and publications",
    arguments: [
      ("SUBJECT a", .subject(name: "a", SubjectSettings())),
      ("SUBJECT a passthrough", .subject(name: "a", SubjectSettings())),
      (
        "SUBJECT a current 5 flow=slowest",
        .subject(name: "a", SubjectSettings(kind: .current(Array("5".utf8)), flow: .slowest))
      ),
      (
        "SUBJECT a current {\"b\": [1, \"} 2\"]} stall=250ms",
        .subject(
          name: "a",
          SubjectSettings(
            kind: .current(Array("{\"b\": [1, \"} 2\"]}".utf8)),
            stall: 250_000_000
          )
        )
      ),
      (
        "SUBJECT a stall=2m flow=free",
        .subject(name: "a", SubjectSettings(stall: 120_000_000_000))
      ),
      (
        "SUBJECT a flow=slowest rate=100/s stall=2s",
        .subject(
          name: "a",
          SubjectSettings(flow: .slowest, stall: 2_000_000_000, rate: 100)
        )
      ),
      ("SUBJECT a replay 100", .subject(name: "a", SubjectSettings(kind: .replay(100)))),
      (
        "SUBJECT a on=nats replicas=3 storage=memory",
        .subject(
          name: "a",
          SubjectSettings(nats: .init(replicas: 3, storage: .memory))
        )
      ),
      (
        "SUBJECT a room=10 on=nats flow=slowest",
        .subject(name: "a", SubjectSettings(flow: .slowest, nats: .init(room: 10)))
      ),
      ("PIPELINE x = a", .pipeline(name: "x", expression: Expression("a", column: 14))),
      ("PIPELINE x=a", .pipeline(name: "x", expression: Expression("a", column: 12))),
      (
        "PIPELINE  x  =  a.map { $0 + 1 } 10 as=1  ",
        .pipeline(name: "x", expression: Expression("a.map { $0 + 1 } 10 as=1", column: 17))
      ),
      ("PUB a", .publish(name: "a", id: nil, grant: nil, over: nil, owner: false)),
      (
        "PUB a owner=yes over=hold grant=65536 as=7",
        .publish(
          name: "a",
          id: StreamID(rawValue: 7),
          grant: 65_536,
          over: .hold,
          owner: true
        )
      ),
      ("SERVE resize", .serve(name: "resize", demand: .none, id: nil)),
      ("SERVE resize max", .serve(name: "resize", demand: .unlimited, id: nil)),
      (
        "serve resize 16 as=5",
        .serve(name: "resize", demand: .max(16), id: StreamID(rawValue: 5))
      ),
    ] as [(String, Command)]
  )
  func definitions(_ line: String, _ command: Command) throws {
    #expect(try TaggedCommand(line) == TaggedCommand(command))
  }

  @Test(
    "reads subscriptions",
    arguments: [
      ("SUB a", .subscribe(Expression("a", column: 5), demand: .none, id: nil, window: nil)),
      ("SUB a 0", .subscribe(Expression("a", column: 5), demand: .none, id: nil, window: nil)),
      (
        "SUB a max",
        .subscribe(Expression("a", column: 5), demand: .unlimited, id: nil, window: nil)
      ),
      (
        "SUB a 10 window=64KiB as=3",
        .subscribe(
          Expression("a", column: 5),
          demand: .max(10),
          id: StreamID(rawValue: 3),
          window: 65_536
        )
      ),
      (
        "SUB a window=4MiB",
        .subscribe(Expression("a", column: 5), demand: .none, id: nil, window: 4_194_304)
      ),
      (
        "SUB a window=1",
        .subscribe(Expression("a", column: 5), demand: .none, id: nil, window: 1)
      ),
      (
        "SUB a .filter { $0 > 3 } 10",
        .subscribe(
          Expression("a .filter { $0 > 3 }", column: 5),
          demand: .max(10),
          id: nil,
          window: nil
        )
      ),
      (
        "TAKE a 2",
        .take(Expression("a", column: 6), count: 2, id: nil, within: nil)
      ),
      (
        "TAKE a.first() 1 within=1s as=9",
        .take(
          Expression("a.first()", column: 6),
          count: 1,
          id: StreamID(rawValue: 9),
          within: 1_000_000_000
        )
      ),
    ] as [(String, Command)]
  )
  func subscriptions(_ line: String, _ command: Command) throws {
    #expect(try TaggedCommand(line) == TaggedCommand(command))
  }

  @Test("a value is any bytes, other commands are text")
  func bytes() throws {
    let line = Array("@t SEND a ".utf8) + [0xFF, 0x00, 0x0D]
    let expected = Command.send(name: "a", value: [0xFF, 0x00, 0x0D])
    #expect(try line.withUnsafeBytes { try TaggedCommand($0) } == TaggedCommand(tag: "t", expected))
  }

  @Test("reads a tag and counts it into the column")
  func tags() throws {
    let line = try TaggedCommand("@a.b_c-9 SUB ab.map { \"é\" } 3")
    #expect(line.tag == "a.b_c-9")
    let expression = Expression("ab.map { \"é\" }", column: 14)
    #expect(line.command == .subscribe(expression, demand: .max(3), id: nil, window: nil))
    #expect(try TaggedCommand("@1 PING @2").tag == "1")
    #expect(try TaggedCommand("PING @2").tag == nil)
  }

  @Test(
    "ignores blank lines and notes",
    arguments: [
      ("", true), ("  \t", true), ("# PING", true), ("  # PING", true), ("PING", false),
      ("@t # PING", false), ("= 1", false),
    ]
  )
  func ignorable(_ line: String, _ isIgnorable: Bool) {
    #expect(Array(line.utf8).withUnsafeBytes { TaggedCommand.isIgnorable($0) } == isIgnorable)
  }
}

@Suite("DONE, however it is spelled")
struct DoneSpellingTests {
  @Test(
    "means the same with a tag, in lower case, with more blanks, and to the server",
    arguments: [
      "1", "5.17", "0", "007", "9007199254740992", "9007199254740993", "5.0", "5.",
      "5.9007199254740993",
      "orders", "1 ", "1 2", "", "5.1.2", "1x", "00000000000000000001",
    ]
  )
  func spellings(_ arguments: String) throws {
    let plain = Result { try TaggedCommand("DONE \(arguments)").command }
    for line in ["@t DONE \(arguments)", "done \(arguments)", "DONE  \(arguments)"] {
      let other = Result { try TaggedCommand(line).command }
      switch (plain, other) {
      case (.success(let plain), .success(let other)): #expect(plain == other)
      case (.failure(let plain as CommandError), .failure(let other as CommandError)):
        #expect(plain.error == other.error)
      default: Issue.record("\(line): \(plain), \(other)")
      }
    }
    guard case .success(.done(.stream(let id))) = plain else { return }
    #expect(try TaggedServerLine("DONE \(arguments)") == TaggedServerLine(.done(id)))
  }
}

@Suite("REQ, however it is spelled")
struct RequestSpellingTests {
  @Test(
    "means the same with a tag, in lower case, with more blanks, and to the server",
    arguments: [
      "1 1", "1 max", "0 5", "9007199254740992 9223372036854775807", "1 9223372036854775808",
      "1 999999999999999999", "1 1000000000000000000", "1 0", "1 00", "007 007", "1 -1", "1 maxx",
      "1 max ", "1 5 ", "1 5 6", "1 5x", "1x 5", "9007199254740993 1", "1 ", "1", "1  5", "",
      "99999999999999999 1", "1 ma", "5.17 1", "5.17 max",
      "5.9007199254740992 1", "5.9007199254740993 1", "5.0 1", "5. 1", ".5 1", "5.1.1 1", "5.017 2",
      "5.1", "5.1 0", "5.x 1",
    ]
  )
  func spellings(_ arguments: String) throws {
    let plain = Result { try TaggedCommand("REQ \(arguments)").command }
    for line in ["@t REQ \(arguments)", "req \(arguments)", "REQ  \(arguments)"] {
      let other = Result { try TaggedCommand(line).command }
      switch (plain, other) {
      case (.success(let plain), .success(let other)): #expect(plain == other)
      case (.failure(let plain as CommandError), .failure(let other as CommandError)):
        #expect(plain.error == other.error)
      default: Issue.record("\(line): \(plain), \(other)")
      }
    }
    guard case .success(.request(.stream(let id), .demand(let demand))) = plain else { return }
    #expect(try TaggedServerLine("REQ \(arguments)") == TaggedServerLine(.request(id, demand)))
    #expect(try TaggedServerLine("REQ  \(arguments)") == TaggedServerLine(.request(id, demand)))
  }
}

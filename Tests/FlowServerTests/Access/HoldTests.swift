import FlowServerSupport
import FlowSubjects
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("The right hold")
struct HoldTests {
  private let server: TestServer

  init() throws {
    server = try TestServer(
      .ofTests(tokens: [
        Token("root"), Token("guest", rights: .subscribe),
        Token("reader", rights: [.subscribe, .hold]),
      ])
    )
  }

  private func client(_ token: String, _ lines: String...) throws -> TestClient {
    let client = try server.framed("AUTH \(token)")
    for line in lines {
      let answer = try client.ask(line)
      guard answer.hasPrefix("OK ") else { throw TestFailure("\(line): \(answer)") }
    }
    return client
  }

  @Test(
    "is in pub, define and all",
    arguments: [
      (Token.Rights.publish, true, "pub"), (.define, true, "define"), (.subscribe, false, "sub"),
      ([.subscribe, .hold], true, "sub,hold"), ([.send, .serve], false, "send,serve"),
      (.administer, false, "admin"), (.all, true, "sub,pub,define,print,admin"),
    ] as [(Token.Rights, Bool, String)]
  )
  func words(_ rights: Token.Rights, _ holds: Bool, _ text: String) {
    #expect(rights.contains(.hold) == holds)
    #expect(rights.text == text)
  }

  @Test("a subscription without it misses what comes while it has no demand")
  func misses() throws {
    let root = try client("root", "SUBJECT a flow=slowest")
    let guest = try client("guest")
    #expect(try guest.ask("SUB a") == "OK sub 1 a demand=0 flow=free")
    let reader = try client("reader")
    #expect(try reader.ask("SUB a max") == "OK sub 1 a demand=max")
    #expect(try root.ask("PUB a as=5") == "OK pub 5 a demand=64")
    #expect(try root.ask("SEND a 1") == "OK send a to=1 missed=1")
    try guest.say("REQ 1 1")
    _ = try guest.ask("PING")
    #expect(try root.ask("SEND a 2") == "OK send a to=2 missed=0")
    #expect(try guest.lines(2) == ["DROP 1 1 no-demand", "= 1 2"])
    #expect(try reader.lines(2) == ["= 1 1", "= 1 2"])
    try root.say("SHOW a")
    #expect(
      try root.rest(until: "OK show a").filter { $0.contains(" flow=free") } == [
        "* subscription client=2 id=1 demand=0 flow=free"
      ]
    )
  }

  @Test("a subscription with it still makes publishers wait, beside one without")
  func waits() throws {
    let root = try client("root", "SUBJECT a flow=slowest")
    let guest = try client("guest", "SUB a max")
    let reader = try client("reader", "SUB a")
    try root.say("SEND a 1")
    try client("root").waitUntil(1, waitAt: "a")
    #expect(try guest.ask("PING") == "PONG")
    try reader.say("REQ 1 1")
    #expect(try root.line() == "OK send a to=2 missed=0")
    #expect(try guest.line() == "= 1 1")
  }

  @Test("a value waits for the first subscription of any kind; those without it let all pass")
  func alone() throws {
    let root = try client("root", "SUBJECT a flow=slowest")
    try root.say("SEND a 1")
    try client("root").waitUntil(1, waitAt: "a")
    let guest = try client("guest", "SUB a 1")
    #expect(try guest.line() == "= 1 1")
    #expect(try root.line() == "OK send a to=1 missed=0")
    #expect(try root.ask("SEND a 2") == "OK send a to=0 missed=1")
    #expect(try root.ask("PUB a as=5") == "OK pub 5 a demand=64")
    try guest.say("CANCEL 1")
    #expect(try guest.line() == "OK cancel 1 values=1 missed=1 undelivered=0")
  }

  @Test(
    "every way to read a subject tells whether it is waited for",
    arguments: [
      ("SUB a", true), ("SUB a.map { $0 } 1", true), ("SUB b.merge(with: a)", true),
      ("SUB p", true), ("TAKE a 1", true), ("TAKE p 1 within=1s", true), ("SUB s/** 1", true),
      ("SUB b", false), ("SUB b.map { $0 }", false), ("SUB Just(1)", false), ("TAP a", false),
    ]
  )
  func ways(_ line: String, _ isTold: Bool) throws {
    let root = try client(
      "root",
      "SUBJECT a flow=slowest",
      "SUBJECT b",
      "PIPELINE p = a.map { $0 }",
      "SUBJECT s/a flow=slowest"
    )
    let reader = try client("reader", "SUB a max", "SUB b max", "SUB s/a max")
    defer { reader.close() }
    let guest = try client("guest")
    let answer = try guest.ask(line)
    #expect(answer.hasPrefix("OK "))
    #expect(answer.hasSuffix(" flow=free") == isTold, "\(answer)")
    for name in ["a", "b", "s/a", "a", "b", "s/a"] {
      #expect(try root.ask("SEND \(name) 1").hasPrefix("OK send \(name) to="))
    }
  }

  @Test("TAIL without it misses what is sent while its client does not read, and holds up nobody")
  func tail() throws {
    let root = try client("root", "SUBJECT a flow=slowest")
    let reader = try client("reader", "SUB a max")
    let guest = try client("guest")
    try guest.say("TAIL a")
    try server.wait(for: "TAIL to begin") { $0.registry.subject("a")?.outletCount == 2 }
    let value = String(repeating: "v", count: 60_000)
    for _ in 0..<400 {
      #expect(try root.ask("SEND a \(value)").hasPrefix("OK send a to="))
      _ = try reader.line()
    }
  }

  @Test("LIST says which subscriptions no publisher waits for")
  func list() throws {
    let root = try client("root", "SUBJECT a flow=slowest", "SUBJECT b")
    #expect(try root.ask("PIPELINE p = a.map { $0 }") == "OK pipeline p stages=2")
    let guest = try client("guest", "SUB a", "SUB p", "SUB a.map { $0 }", "SUB b", "TAP a")
    let reader = try client("reader", "SUB a", "SUB p")
    defer { withExtendedLifetime((guest, reader)) {} }
    let tail = try client("guest")
    try tail.say("TAIL p")
    try server.wait(for: "TAIL to begin") { $0.registry.subject("a")?.outletCount == 6 }
    try root.say("LIST streams")
    let rows = try root.rest { $0.hasPrefix("OK list ") }
    let guests = rows.filter { $0.contains(" flow=free ") }
    #expect(
      guests.map { $0.split(separator: " ").dropFirst(2).prefix(3).joined(separator: " ") } == [
        "client=2 id=1 name=a", "client=2 id=2 name=p", "client=2 id=3 name=-",
        "client=4 id=1 name=p",
      ],
      "\(rows)"
    )
  }

  @Test("WATCH blames the subscription with it that a value waits for, and none without it")
  func blame() throws {
    let root = try client("root", "SUBJECT a flow=slowest", "PIPELINE p = a.map { $0 }")
    let guest = try client("guest", "SUB p", "SUB a")
    let reader = try client("reader", "SUB a")
    defer { withExtendedLifetime((guest, reader)) {} }
    try root.say("SEND a 1")
    let watcher = try client("root")
    try watcher.waitUntil(1, waitAt: "a")
    func verdict(on name: String) throws -> String {
      var sample = ""
      for _ in 0..<3 {
        try watcher.say("WATCH \(name)")
        sample = try watcher.rest(until: "OK watch \(name)").filter { $0.hasPrefix("* sample ") }
          .map { $0.dropFirst("* sample ".count) }.joined()
        for _ in 0..<40 { server.advance(seconds: 0.025) }
      }
      return sample
    }
    #expect(try verdict(on: "a").contains("Held up by client 3: 1 value waits."))
    #expect(try verdict(on: "p").contains("Held up by another reader of a: client 3"))
  }

  @Test("a subscription without it has no part in the stall of the others")
  func stall() throws {
    let root = try client("root", "SUBJECT a flow=slowest stall=1s")
    let reader = try client("reader", "SUB a 1")
    let guest = try client("guest", "SUB a max")
    defer { guest.close() }
    #expect(try root.ask("SEND a 1") == "OK send a to=2 missed=0")
    try root.say("SEND a 2")
    try client("root").waitUntil(1, waitAt: "a")
    server.advance(seconds: 4)
    // It is the only one that the subject waits for.
    #expect(try reader.line() == "= 1 1")
    #expect(try reader.ask("PING") == "PONG")
  }

  @Test("a subscription without it reads what the subject keeps, as far as it is still kept")
  func kept() throws {
    let root = try client("root", "SUBJECT a replay 2 flow=slowest")
    let guest = try client("guest", "SUB a")
    let reader = try client("reader", "SUB a max")
    for number in 1...3 { #expect(try root.ask("SEND a \(number)") == "OK send a to=1 missed=1") }
    #expect(try reader.lines(3) == ["= 1 1", "= 1 2", "= 1 3"])
    try guest.say("REQ 1 5")
    #expect(try guest.lines(3) == ["DROP 1 1 replaced", "= 1 2", "= 1 3"])
  }
}

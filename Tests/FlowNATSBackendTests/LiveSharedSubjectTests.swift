import FlowServerSupport
import FlowTestSupport
import Testing

extension TestClient {
  /// Sends `line` until its answer begins with `answer`.
  ///
  /// Sends PING in between, since a server ends a client that sends only wrong lines.
  fileprivate func `repeat`(_ line: String, until answer: String) throws {
    try Patience.wait(for: "the answer \(answer)… to \(line)") {
      #expect(try ask("PING") == "PONG")
      return try ask(line).hasPrefix(answer)
    }
  }
}

/// Tests with several servers on a real NATS.
@Suite("Subjects in NATS, with a nats-server")
struct LiveSharedSubjectTests {
  private let lossless = "SUBJECT a flow=slowest on=nats"

  /// Starts a NATS and two servers that share it.
  private func start() throws -> (NATSServer, TestServer, TestServer) {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    let nats = try NATSServer()
    return (nats, try server(on: nats), try server(on: nats))
  }

  private func server(on nats: NATSServer) throws -> TestServer {
    try TestServer(.ofTests(nats: [nats.address]), time: .real)
  }

  private func framed(_ server: TestServer, _ lines: String...) throws -> TestClient {
    let client = try server.connect()
    for line in ["HELLO 1"] + lines {
      // A nats-server that has just started may answer late.
      var answer = ""
      try Patience.wait(for: "NATS to answer \(line)") {
        answer = try client.ask(line)
        return !answer.hasPrefix("ERR away ")
      }
      guard answer.hasPrefix("OK ") else { throw TestFailure("\(line): \(answer)") }
    }
    return client
  }

  @Test("values of any publisher reach any reader of the other server, in order")
  func everyWay() throws {
    let (nats, first, second) = try start()
    defer { withExtendedLifetime(nats) {} }
    let sender = try framed(first, "SUBJECT a on=nats", lossless.replacing("a f", with: "b f"))
    let reader = try framed(second, "SUBJECT a on=nats", lossless.replacing("a f", with: "b f"))
    #expect(try reader.ask("SUB a.filter { $0 != 2 } 9") == "OK sub 1 - demand=9")
    #expect(try reader.ask("TAKE b 3") == "OK take 2 b demand=3")
    let tail = try second.connect()
    try tail.say("HELLO 1", "TAIL b")
    #expect(try tail.line() == "OK hello 1")
    for number in 1...3 {
      #expect(try sender.ask("SEND a \(number)") == "OK send a seq=\(number)")
    }
    #expect(try reader.lines(2) == ["= 1 1", "= 1 3"])
    #expect(try sender.ask("PUB b") == "OK pub 1 b demand=64")
    try sender.say("= 1 x")
    let feeder = try framed(first)
    #expect(try reader.line() == "= 2 x")
    try feeder.say("FEED b", "y", "z", ".")
    #expect(try feeder.line() == "OK feed b sent=2 missed=0 refused=0")
    #expect(try reader.lines(3) == ["= 2 y", "= 2 z", "DONE 2"])
    try sender.say("DONE b")
    #expect(try sender.lines(2) == ["CANCEL 1 completed", "OK done b"])
  }

  @Test("definitions and deletions reach the other server, and later ones")
  func names() throws {
    let (nats, first, second) = try start()
    let client = try framed(first, lossless)
    // Defining it again waits until the other server knows it.
    let reader = try framed(second, lossless)
    #expect(try reader.ask("SUB a 5") == "OK sub 1 a demand=5")
    #expect(try framed(first).ask("SUBJECT a on=nats").hasPrefix("ERR exists "))
    let third = try server(on: nats)
    let late = try framed(third)
    try late.repeat("SEND a 1", until: "OK send a seq=")
    #expect(try reader.line() == "= 1 1")
    #expect(try client.ask("DELETE a") == "OK delete a")
    #expect(try reader.line() == "FAIL 1 deleted subject a was deleted")
    try late.repeat("SEND a 2", until: "ERR unknown-name ")
    // A new subject with the same name.
    #expect(try reader.ask("SUBJECT a on=nats").hasPrefix("OK subject a "))
    try late.repeat("SEND a 3", until: "OK send a seq=1")
  }

  @Test(
    "a worker of the other server answers calls, as many as it demands"
  )
  func calls() throws {
    let (nats, first, second) = try start()
    defer { withExtendedLifetime(nats) {} }
    let caller = try framed(first)
    let ask = "SUB (1...9).publisher.flatMap(maxPublishers: .max(4)) { ask(twice, $0) } max"
    #expect(try caller.ask(ask) == "OK sub 1 - demand=max")
    let worker = try framed(second, "SERVE twice 2")
    var answers: Set<String> = []
    for number in 1...9 {
      var lines = try worker.lines(2)
      if number == 1 {
        // Two calls at a time, and no third one before one of them has ended.
        lines = (lines + (try worker.lines(2))).filter { $0.hasPrefix("= ") }
        #expect(try worker.linesSoFar() == [])
      }
      for line in lines where line.hasPrefix("= ") {
        let words = line.split(separator: " ")
        try worker.say("= \(words[1]) \((Int(words[2]) ?? 0) * 2)", "DONE \(words[1])")
        answers.insert(try caller.line())
      }
      if number < 8 { try worker.say("REQ 1 1") }
      if number == 8 { break }
    }
    #expect(answers == Set((1...9).map { "= 1 \($0 * 2)" }))
    #expect(try caller.line() == "DONE 1")
    #expect(try caller.ask(ask.replacing("(1...9)", with: "[1]")) == "OK sub 2 - demand=max")
    try worker.say("REQ 1 1")
    _ = try worker.lines(2)
    try worker.say("CANCEL 1")
    #expect(try caller.line().hasPrefix("FAIL 2 worker-lost "))
  }

  @Test("stored values outlive their server")
  func outlives() throws {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    let nats = try NATSServer()
    do {
      let server = try self.server(on: nats)
      let client = try framed(server, lossless, "SUBJECT c current 0 on=nats")
      for number in 1...5 { _ = try client.ask("SEND a \(number)") }
      _ = try client.ask("SEND c 7")
      #expect(try client.ask("TAKE a 2") == "OK take 1 a demand=2")
      #expect(try client.lines(3) == ["= 1 1", "= 1 2", "DONE 1"])
    }
    let server = try self.server(on: nats)
    let client = try framed(server, lossless, "SUBJECT c current 0 on=nats")
    #expect(try client.ask("SUB a 9") == "OK sub 1 a demand=9")
    #expect(try client.lines(3) == ["= 1 3", "= 1 4", "= 1 5"])
    #expect(try client.ask("SUB c 9") == "OK sub 2 c demand=9")
    #expect(try client.line() == "= 2 7")
  }

  /// Publishes numbers on one server, reads them on both, and calls `breaking` in between.
  private func numbers(
    _ count: Int,
    breaking: (NATSServer, [TestServer], Int) throws -> Void
  ) throws {
    let (nats, first, second) = try start()
    let publisher = try framed(first, lossless, "PUB a grant=1000 over=hold")
    let readers = [
      try framed(first, "SUB a 100"), try framed(second, lossless, "SUB a 100"),
    ]
    var received = readers.map { _ in 0 }
    var (granted, sent, round) = (1000, 0, 0)
    while received.contains(where: { $0 < count }) {
      let more = min(granted, count - sent, 97)
      if more > 0 {
        try publisher.say((sent..<sent + more).map { "= 1 \($0)" }.joined(separator: "\n"))
        (sent, granted) = (sent + more, granted - more)
      }
      round += 1
      try breaking(nats, [first, second], round)
      for (place, reader) in readers.enumerated() where received[place] < sent {
        for line in [try reader.line()] + (try reader.linesSoFar()) {
          #expect(line == "= 1 \(received[place])")
          received[place] += 1
        }
        try reader.say("REQ 1 \(received[place] % 50 + 50)")
      }
      for line in try publisher.linesSoFar() where line.hasPrefix("REQ 1 ") {
        granted += Int(line.dropFirst(6)) ?? 0
      }
    }
    #expect(received == readers.map { _ in count })
  }

  @Test("values arrive once and in order though NATS is killed repeatedly")
  func killed() throws {
    try numbers(3000) { nats, _, round in
      guard round % 8 == 0 else { return }
      nats.kill()
      try nats.start()
    }
  }

  @Test("values arrive once and in order though NATS freezes for a while")
  func stopped() throws {
    try numbers(1000) { nats, servers, round in
      guard round == 3 else { return }
      nats.stop()
      for server in servers {
        let client = try server.connect()
        try Patience.wait(for: "the server to notice that NATS is silent") {
          try client.say("LIST subjects")
          return try client.rest(until: "OK list 1")[0].contains(" nats=away ")
        }
      }
      nats.goOn()
    }
  }
}

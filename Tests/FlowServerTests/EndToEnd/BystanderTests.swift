import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

/// Clients that misbehave must not affect others.
@Suite("Hostile and unlucky clients")
struct BystanderTests {
  /// A client that must get all its values, whatever other clients do.
  final class Bystander {
    private let client: TestClient
    private var next = 1

    init(_ server: TestServer) throws {
      client = try server.connect()
      _ = try client.ask("HELLO 1")
      _ = try client.ask("SUBJECT calm")
      _ = try client.ask("SUB calm max")
    }

    /// Sends `count` values and gets them back.
    func check(_ count: Int = 10) throws {
      for _ in 1...count {
        try client.say("SEND calm \(next)")
        #expect(try client.lines(2) == ["= 1 \(next)", "OK send calm to=1 missed=0"])
        next += 1
      }
    }

    /// Waits until the server has no other clients and streams.
    func waitUntilAlone() throws {
      var rows: [String] = []
      try Patience.wait(for: "the end of all other clients and streams") {
        try client.say("LIST clients", "LIST streams")
        rows = try client.rest { $0.hasPrefix("OK list ") }
        rows += try client.rest { $0.hasPrefix("OK list ") }
        return rows.count { $0 == "OK list 1" } == 2
      }
      #expect(rows.count == 4)
      #expect(try client.ask("PING") == "PONG")
    }
  }

  @Test("a line of ten million bytes is refused once and skipped", .timeLimit(.minutes(10)))
  func longLine() throws {
    let server = try TestServer(time: .real)
    let bystander = try Bystander(server)
    let client = try server.connect()
    try client.say("PING")
    #expect(try client.line() == "PONG")
    let million = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
    for _ in 0..<10 {
      try client.send(million)
      try bystander.check()
    }
    try client.say("", "PING still there")
    #expect(try client.line().hasPrefix("ERR line-too-long "))
    #expect(try client.line() == "PONG still there")
    client.close()
    try bystander.waitUntilAlone()
  }

  @Test(
    "random bytes, alone or after a command, do not affect others",
    .timeLimit(.minutes(10)),
    arguments: [
      "", "SUB calm max\n", "SUBJECT noise\nHELLO 1\nPUB noise\n= 1 ", "SUB calm.map { ",
      ": 1 100\n",
    ]
  )
  func randomBytes(_ start: String) throws {
    let server = try TestServer(time: .real)
    let bystander = try Bystander(server)
    var numbers = SeededGenerator(state: 7)
    for number in 0..<(start.isEmpty ? 100 : 40) {
      let client = try server.connect()
      let noise = (0..<Int.random(in: 1...5000, using: &numbers)).map { _ in
        UInt8.random(in: 0...255, using: &numbers)
      }
      try client.send(Array(start.utf8) + noise)
      if start.isEmpty, number.isMultiple(of: 2) {
        client.endInput()
        _ = try client.rest()
      } else {
        client.reset()
      }
    }
    try bystander.waitUntilAlone()
  }

  @Test("a reset connection leaves no stream", .timeLimit(.minutes(10)))
  func resets() throws {
    let server = try TestServer(time: .real)
    let bystander = try Bystander(server)
    let publisher = try server.connect()
    _ = try publisher.ask("HELLO 1")
    _ = try publisher.ask("SUBJECT busy")
    _ = try publisher.ask("SUBJECT strict flow=slowest")
    let value = String(repeating: "v", count: 2000)
    for round in 0..<20 {
      let victim = try server.connect()
      try victim.say("HELLO 1", "SUB busy max", "SUB busy.map { $0 } max", "SUB strict 1")
      _ = try victim.lines(4)
      try victim.say("PUB busy as=8", "PUB strict as=9", "= 8 own", "= 9 own", "SEND strict last")
      for _ in 0..<50 { try publisher.say("SEND busy \(value)") }
      victim.reset()
      if round % 5 == 0 { try bystander.check() }
    }
    publisher.close()
    try bystander.waitUntilAlone()
    try bystander.check()
  }

  @Test(
    "a subscriber that never reads costs a window and delays nobody",
    .timeLimit(.minutes(10))
  )
  func neverReads() throws {
    let server = try TestServer(time: .real)
    let deaf = try server.connect()
    let reader = try server.connect()
    let publisher = try server.connect()
    _ = try deaf.ask("HELLO 1 name=deaf")
    _ = try deaf.ask("SUBJECT news")
    _ = try deaf.ask("SUB news max")
    _ = try reader.ask("HELLO 1")
    _ = try reader.ask("SUB news max")
    _ = try publisher.ask("HELLO 1")
    _ = try publisher.ask("PUB news")
    // 64 MB in all, in batches of eight values, which fit into the reader's window.
    let body = String(repeating: "n", count: 16_000)
    for batch in 0..<500 {
      for number in 0..<8 { try publisher.say("= 1 \(batch * 8 + number) \(body)") }
      for number in 0..<8 {
        let line = try reader.line()
        try #require(line.hasPrefix("= 1 \(batch * 8 + number) n"))
      }
    }
    try publisher.say("LIST clients")
    let row = try publisher.lines(4).first { $0.contains(" name=deaf ") }
    let unsent = row?.split(separator: " ").first { $0.hasPrefix("unsent=") }
    let bytes = try #require(unsent.flatMap { Int($0.dropFirst(7)) })
    #expect(bytes < 5_000_000)
    try publisher.say("SHOW news")
    #expect(try publisher.line() == "* definition SUBJECT news passthrough flow=free")
    #expect(try publisher.line().contains(" published=4000 "))
  }
}

import FlowServerSupport
import FlowTestSupport
import FlowWire
import Foundation
import Testing

@testable import FlowServer

/// Every code that the table of `protocol.md` names, produced by something that a client does.
@Suite("Error codes")
struct ErrorCodeTests {
  /// What brings about a code, in a server with the usual names and small limits.
  struct Example: Sendable {
    let code: String
    /// Returns the line that has the code.
    let line: @Sendable (TestServer) throws -> String

    init(_ code: String, _ line: @escaping @Sendable (TestServer) throws -> String) {
      self.code = code
      self.line = line
    }

    /// What is answered to `line`, after the answers to the lines before it.
    init(_ code: String, _ line: String, after lines: String...) {
      self.init(code) { server in
        let client = try server.connect()
        for line in lines { _ = try client.ask(line) }
        return try client.ask(line)
      }
    }
  }

  static let errors: [Example] = [
    Example("unknown-command", "SUBB orders"),
    Example("usage", "SUB"),
    Example("unknown-name", "SUB ordres"),
    Example("unknown-stream", "REQ 1 1"),
    Example("id-in-use", "SUB orders as=1", after: "SUB orders 1"),
    Example("syntax", "SUB orders.fliter { $0 }"),
    Example("line-too-long", "PING " + String(repeating: "x", count: 1000), after: "PING"),
    Example("value-too-long", "SEND orders " + String(repeating: "x", count: 1001)),
    Example("denied", "SUBJECT $orders"),
    Example("limit", "SUB orders", after: "SUB orders 1", "SUB orders 1"),
    Example("version", "HELLO 2"),
    Example("draining") { server in
      let client = try server.connect()
      _ = try client.ask("SUB orders 1")
      server.server.stop {}
      _ = try client.line()
      return try client.ask("SUB orders")
    },
    Example("exists", "SUBJECT orders replay 1"),
    Example("completed", "SEND orders 1", after: "DONE orders"),
    Example("no-demand") { server in
      let client = try server.connect()
      let other = try server.connect()
      _ = try client.ask("SUBJECT strict flow=slowest")
      try client.say("SEND strict 1")
      try other.waitUntil(1, waitAt: "strict")
      server.advance(seconds: 6)
      return try client.line()
    },
    Example("away") { _ in
      let play = try PlayedServer { $0.isThere = false }
      let client = try play.framed()
      try play.say(client, "SUBJECT a on=nats")
      play.advance(seconds: 6)
      return try client.line()
    },
    Example("cycle", "RUN r = orders.map { $0 }.subscribe(orders)"),
  ]

  static let failures: [Example] = [
    Example("bad-demand", "REQ 1 0", after: "SUB orders 1"),
    Example("too-slow") { server in
      let client = try server.connect()
      _ = try client.ask("SUBJECT strict flow=slowest stall=1s")
      _ = try client.ask("HELLO 1")
      _ = try client.ask("SUB strict")
      _ = try client.ask("SUB strict 5")
      let publisher = try server.connect()
      _ = try publisher.ask("PUB strict")
      _ = try publisher.ask("= 1 a")
      server.advance(seconds: 2)
      return try client.line()
    },
    Example("timeout") { server in
      let client = try server.connect()
      _ = try client.ask("TAKE orders 1 within=1s")
      server.advance(seconds: 2)
      return try client.line()
    },
    Example("deleted") { server in
      let client = try server.connect()
      _ = try client.ask("SUB orders 1")
      _ = try client.ask("DELETE orders")
      return try client.line()
    },
    Example("killed", "KILL NAME orders", after: "SUB orders 1"),
    Example("publisher-lost") { server in
      let client = try server.connect()
      let publisher = try server.connect()
      _ = try publisher.ask("PUB orders owner=yes")
      _ = try client.ask("SUB orders 1")
      publisher.reset()
      return try client.line()
    },
    Example("worker-lost") { server in
      let client = try server.connect()
      let worker = try server.connect()
      _ = try client.ask("SUB ask(work, 1) 1")
      _ = try worker.ask("SERVE work 1")
      worker.reset()
      return try client.line()
    },
    Example("limit") { server in
      let client = try server.connect()
      for id in 1...2 { _ = try client.ask("SUB ask(work, 1) 1 as=\(id)") }
      return try client.line()
    },
    Example("stage") { server in
      let client = try server.connect()
      _ = try client.ask("SUB orders.tryMap { $0.price } 1")
      try client.say("SEND orders 1")
      return try client.line()
    },
    Example("away") { _ in
      let play = try PlayedServer(lines: "SUBJECT a on=nats")
      let client = try play.framed()
      try play.say(client, "SUB a 1 durable=x")
      play.advance(seconds: 1)
      _ = try client.line()
      // Another client has it meanwhile, and keeps it.
      play.play { $0.steal("d.a.x") }
      for _ in 0..<2 {
        play.advance(seconds: 4)
        play.play { $0.lease("d.a.x") }
      }
      play.advance(seconds: 1)
      return try client.line()
    },
  ]

  static let cancellations: [Example] = [
    Example("away") { _ in
      let play = try PlayedServer(lines: "SUBJECT a on=nats")
      play.fail("PUBLISH", .lost)
      let publisher = try play.framed("PUB a")
      try play.say(publisher, "= 1 a")
      play.play {
        $0.isThere = false
        $0.disconnect()
      }
      play.advance(seconds: 101)
      return try publisher.line()
    },
    Example("value-too-long") { _ in
      let play = try PlayedServer(lines: "SUBJECT a on=nats")
      play.play {
        $0.info = #"{"version":"2.15.1","headers":true,"max_payload":600}"#
        $0.disconnect()
      }
      play.advance(seconds: 1)
      let publisher = try play.framed("PUB a")
      try publisher.say("= 1 " + String(repeating: "a", count: 100))
      return try publisher.line()
    },
    Example("completed") { server in
      let publisher = try server.connect()
      _ = try publisher.ask("PUB orders")
      _ = try server.connect().ask("DONE orders")
      return try publisher.line()
    },
    Example("deleted") { server in
      let publisher = try server.connect()
      _ = try publisher.ask("PUB orders")
      _ = try server.connect().ask("DELETE orders")
      return try publisher.line()
    },
    Example("overrun") { server in
      let publisher = try server.connect()
      _ = try publisher.ask("SUBJECT strict flow=slowest")
      _ = try publisher.ask("PUB strict over=cancel")
      return try publisher.ask("= 1 a")
    },
    Example("draining") { server in
      let publisher = try server.connect()
      for line in ["SUB orders 1", "PUB orders"] { _ = try publisher.ask(line) }
      server.server.stop {}
      _ = try publisher.line()
      return try publisher.line()
    },
    Example("killed", "KILL NAME orders", after: "PUB orders"),
  ]

  static let goodbyes: [Example] = [
    Example("killed") { server in
      let client = try server.connect()
      try client.say("KILL CLIENT 2")
      return try client.rest().last ?? ""
    },
    Example("framing", ": 1 x"),
    Example("auth") { _ in
      var configuration = Configuration()
      configuration.tokens = [Token("right")]
      let server = try TestServer(configuration)
      let client = try server.connect()
      _ = try client.ask("AUTH wrong")
      _ = try client.ask("AUTH wrong")
      _ = try client.ask("AUTH wrong")
      return try client.line()
    },
    Example("revoked") { _ in
      var configuration = Configuration()
      configuration.tokens = [Token("right")]
      let server = try TestServer(configuration)
      let client = try server.connect()
      _ = try client.ask("AUTH right")
      server.server.replaceTokens([Token("other")])
      return try client.line()
    },
    Example("idle") { server in
      let client = try server.connect()
      _ = try client.ask("HELLO 1 ping=1s")
      for _ in 0..<3 { server.advance(seconds: 1) }
      return try client.rest().last ?? ""
    },
    Example("overflow") { server in
      let client = try server.connect()
      // Answers that nobody reads, until neither kernel nor server take any more.
      let line = Array("PING \(String(repeating: "x", count: 900))\n".utf8)
      let batch = Array(repeatElement(line, count: 200).joined())[...]
      var rest = batch
      try Patience.wait(for: "the error line") {
        if server.server.perform({ $0.clients.all.contains { !$0.waits.isEmpty } }) {
          server.advance(seconds: 11)
        } else {
          rest = try client.sendSome(rest.isEmpty ? batch : rest)
        }
        return server.server.perform { !$0.counters.errorLines.isEmpty }
      }
      return try client.rest().last ?? ""
    },
    Example("errors") { server in
      let client = try server.connect()
      for _ in 0..<100 { _ = try client.ask("nonsense") }
      return try client.line()
    },
    Example("http", "GET / HTTP/1.1"),
    Example("tls") { server in
      let client = try server.connect()
      try client.send([0x16, 0x03, 0x01])
      return try client.line()
    },
    Example("limit") { _ in
      var configuration = Configuration()
      configuration.connections.limit = 1
      let server = try TestServer(configuration)
      let first = try server.connect()
      let answer = try TestClient(port: server.port).line()
      _ = try first.ask("PING")
      return answer
    },
    Example("shutdown") { server in
      let client = try server.connect()
      server.server.stop {}
      return try client.line()
    },
    Example("quit") { server in
      let client = try server.connect()
      _ = try client.ask("QUIT")
      return try client.line()
    },
  ]

  private func server() throws -> TestServer {
    var configuration = Configuration()
    configuration.lineLimit = 1000
    configuration.valueLimit = 1000
    configuration.connections.streamLimit = 2
    configuration.waitingCallLimit = 1
    let server = try TestServer(configuration)
    _ = try server.connect().ask("SUBJECT orders")
    return server
  }

  @Test("are produced by something", arguments: errors + failures + cancellations + goodbyes)
  func produced(_ example: Example) throws {
    let line = try example.line(try server())
    let words = line.split(separator: " ")
    let place = ["FAIL", "CANCEL"].contains(words.first) ? 2 : 1
    #expect(words.count > place && words[place] == example.code, "\(line)")
  }

  @Test(
    "of protocol.md are those that something produces",
    arguments: ["ERR", "FAIL", "CANCEL", "BYE"]
  )
  func table(_ kind: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)
    let row = text.split(separator: "\n").first { $0.hasPrefix("| `\(kind)` | `") }
    let cell = row?.split(separator: "|").dropFirst(1).first?.split(separator: ",").first ?? ""
    let codes = cell.split(separator: "`").filter { !$0.allSatisfy { $0 == " " } }.map(String.init)
    let examples = [
      "ERR": Self.errors, "FAIL": Self.failures, "CANCEL": Self.cancellations, "BYE": Self.goodbyes,
    ]
    #expect(Set(codes) == Set((examples[kind] ?? []).map(\.code)))
    #expect(codes.allSatisfy { ErrorCode(rawValue: $0) != nil })
  }
}

extension ErrorCodeTests.Example: CustomTestStringConvertible {
  var testDescription: String { code }
}

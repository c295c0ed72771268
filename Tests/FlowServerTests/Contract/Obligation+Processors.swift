import FlowServerSupport
import FlowTestSupport
import Testing

// Section 4: pipelines between a publisher and a subscriber.
extension Obligation {
  static let processors = [
    Obligation(
      "4.1",
      what:
        "A pipeline keeps the rules of both sides: a publisher is granted what the stages request"
    ) { server in
      // Expression, REQ of the subscriber, values sent, what the publisher has been granted in all.
      let table: [(String, demand: Int, sent: Int, granted: Int)] = [
        ("in", 3, 0, 3), ("in.map { $0 }", 3, 0, 3), ("in.map { $0 }", 3, 3, 3),
        ("in.filter { $0 > 2 }", 3, 2, 5), ("in.compactMap { $0 > 1 ? $0 : null }", 2, 1, 3),
        ("in.dropFirst(2)", 2, 0, 4), ("in.prefix(2)", 5, 0, 5),
        ("in.scan(0) { $0 + $1 }", 4, 4, 4),
        ("in.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 5) }", 1, 0, 3),
        ("in.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 5) }", 1, 3, 3),
        ("in.flatMap(maxPublishers: .max(1)) { Just($0) }", 2, 2, 3),
        ("in.buffer(size: 8, prefetch: .keepFull, whenFull: .dropOldest)", 1, 0, 8),
        ("in.buffer(size: 8, prefetch: .byRequest, whenFull: .dropOldest)", 1, 0, 64),
        ("in.reduce(0) { $0 + $1 }", 1, 0, 64), ("in.first()", 4, 0, 64),
        ("in.map { $0 }.filter { $0 > 1 }.map { $0 }", 2, 1, 3),
      ]
      for (number, (text, demand, sent, granted)) in table.enumerated() {
        let name = "in\(number)"
        try server.prepare("SUBJECT \(name) flow=slowest")
        let publisher = try server.framed()
        let client = try server.framed()
        _ = try publisher.ask("PUB \(name) as=9")
        _ = try client.ask("SUB \(text.replacing("in", with: name, maxReplacements: 1)) \(demand)")
        _ = try client.ask("PING")
        var sum = 0
        for value in 0..<sent {
          while sum <= value { sum += try Self.grant(publisher.line()) }
          try publisher.say("= 9 \(value + 1)")
        }
        // The server sends grants at the end of a turn, so the last one may come in the next turn.
        for line in try publisher.linesSoFar() + publisher.linesSoFar() {
          sum += try Self.grant(line)
        }
        #expect(sum == granted, "\(text), REQ \(demand), \(sent) sent")
      }
    },
    Obligation("4.2", what: "A failure that a stage recovers from is not passed on") { server in
      let client = try server.framed()
      try client.say("SUB (1...3).publisher.flatMap { Fail(\"no\").replaceError(with: $0) } 3")
      #expect(
        try client.lines(5) == ["OK sub 1 - demand=3", "= 1 1", "= 1 2", "= 1 3", "DONE 1"]
      )
    },
  ]

  private static func grant(_ line: String) throws -> Int {
    guard line.hasPrefix("REQ 9 "), let count = Int(line.dropFirst(6)) else {
      throw TestFailure(line)
    }
    return count
  }
}

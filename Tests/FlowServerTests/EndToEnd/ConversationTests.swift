import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@testable import FlowLanguage

/// Plays every `Conversation` with every source and operator.
///
/// The operators come from `OperatorTable`, so new ones are included.
@Suite("Conversations")
struct ConversationTests {
  private static let names = ["orders", "taps", "returns", "revenue"]

  /// Sends `lines` one after the other, or at once; returns the answers.
  private func say(
    _ lines: [String],
    atOnce: Bool,
    to client: TestClient
  ) throws -> [String] {
    if atOnce {
      try client.send(Array((lines + ["PING end"]).map { $0 + "\n" }.joined().utf8))
      return try client.rest(until: "PONG end")
    }
    return try lines.flatMap { line in
      try client.say(line, "PING end")
      return try client.rest(until: "PONG end")
    }
  }

  /// Expects no more values on stream 9 than requested, and none after its end.
  private func check(_ answers: [String], _ lines: [String], _ place: String) {
    var demand = 0
    for line in lines {
      let words = line.split(separator: " ")
      let asked: Substring? =
        switch words[0] {
        case "REQ" where words[1] == "9": words[2]
        case "SUB" where line.hasSuffix(" as=9"): words[words.count - 2]
        case "TAKE": words[words.count - 2]
        default: nil
        }
      guard let asked else { continue }
      demand = asked == "max" ? .max / 2 : demand + (Int(asked) ?? 0)
    }
    let values = answers.filter { $0.hasPrefix("= 9") || $0.hasPrefix(": 9 ") }
    #expect(values.count <= demand, "\(place): \(answers)")
    let end = answers.firstIndex { $0 == "DONE 9" || $0.hasPrefix("FAIL 9 ") } ?? answers.count
    let late = answers.dropFirst(end + 1).filter { $0.hasPrefix("= 9") || $0.hasPrefix("DONE 9") }
    #expect(late == [], "\(place): \(answers)")
  }

  /// Plays one of `step` conversations with the operator of `entry`, different ones for each expression.
  private func play(
    _ entry: OperatorEntry,
    waysAtOnce: [Bool] = [true, false],
    step: Int = 1,
    connect: () throws -> TestClient,
    pass: () -> Void = {}
  ) throws {
    let bystander = try connect()
    let expressions = Conversation.expressions(of: entry)
    #expect(!expressions.isEmpty, "\(entry.example)")
    var number = 0
    for expression in expressions {
      number += 1
      for conversation in Conversation.all {
        for atOnce in waysAtOnce {
          number += 1
          guard number.isMultiple(of: step) else { continue }
          let place = "\(expression), \(conversation.name), at once: \(atOnce)"
          let lines = conversation.lines.map { $0.replacing("EXPR", with: expression) }
          let client = try connect()
          _ = try say(
            ["HELLO 1"] + Self.names.map { "SUBJECT \($0)" },
            atOnce: true,
            to: client
          )
          var answers = try say(lines, atOnce: atOnce, to: client)
          pass()
          answers += try say(["REQ 9 1"], atOnce: false, to: client)
          check(answers, lines + ["REQ 9 1"], place)
          if conversation.endsInReset { client.reset() } else { client.close() }
          let rest = ["r", "p", "o"] + Self.names
          _ = try say(rest.map { "DELETE \($0)" }, atOnce: true, to: bystander)
        }
      }
    }
    let left = try say(["LIST"], atOnce: true, to: bystander)
    #expect(left.filter { $0.hasPrefix("*") } == [])
  }

  @Test(
    "may end in any order, and leave no definitions",
    arguments: OperatorTable.all.filter { $0.role == .stage }
  )
  func anyOrder(_ entry: OperatorEntry) throws {
    let server = try TestServer()
    var seconds = 0.0
    // Each conversation in one of the two ways; Tests/System/valgrind.py plays all of them at once.
    try play(entry, step: 2 * RandomCases.step, connect: server.connect) {
      seconds += 10
      server.advance(toSecond: seconds)
    }
  }

  private static let port = ProcessInfo.processInfo.environment["FLOW_CONVERSATIONS_PORT"]

  @Test(
    "do not harm a server in another process",
    .serialized,
    .enabled(if: port != nil, "started by Scripts/ci valgrind"),
    arguments: OperatorTable.all.filter { $0.role == .stage }
  )
  func elsewhere(_ entry: OperatorEntry) throws {
    let port = try #require(Self.port.flatMap(UInt16.init))
    try play(entry, waysAtOnce: [true]) {
      let client = try TestClient(port: port)
      _ = try client.line()
      return client
    }
  }
}

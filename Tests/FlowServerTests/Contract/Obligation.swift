import FlowServerSupport
import FlowTestSupport
import Testing

/// A rule of Reactive Streams on the wire, with a test that the server keeps it.
struct Obligation: Sendable, CustomTestStringConvertible {
  /// The numbers of the rules.
  let rules: [String]
  /// The rule, word for word as in `docs/contract.md`.
  let what: String
  let check: @Sendable (TestServer) throws -> Void

  init(
    _ rules: String...,
    what: String,
    check: @escaping @Sendable (TestServer) throws -> Void
  ) {
    self.rules = rules
    self.what = what
    self.check = check
  }

  var testDescription: String { "\(rules.joined(separator: ", ")): \(what)" }

  static let all = publishers + subscribers + subscriptions + processors
}

extension TestServer {
  /// Sends the lines, and expects OK for each.
  func prepare(_ lines: String...) throws {
    let client = try framed()
    for line in lines {
      let answer = try client.ask(line)
      guard answer.hasPrefix("OK ") else { throw TestFailure("\(line): \(answer)") }
    }
  }
}

extension TestClient {
  /// Returns the values of stream `id` in `lines`.
  static func values(_ id: Int, in lines: [String]) -> [String] {
    lines.filter { $0.hasPrefix("= \(id) ") }.map { String($0.dropFirst("= \(id) ".count)) }
  }

  /// Reads lines until each stream has that many values, including those in `earlier`.
  func lines(_ earlier: [String] = [], untilValues counts: [Int: Int]) throws -> [String] {
    var lines = earlier
    var missing = counts.map { id, count in
      (start: "= \(id) ", count: count - Self.values(id, in: earlier).count)
    }
    while missing.contains(where: { $0.count > 0 }) {
      let line = try line()
      lines.append(line)
      for index in missing.indices where line.hasPrefix(missing[index].start) {
        missing[index].count -= 1
      }
    }
    return lines
  }

  /// Sends `line`; returns the first row with `part` in its answer.
  func ask(_ line: String, rowWith part: String) throws -> String {
    try say(line)
    let rows = try rest { !$0.hasPrefix("* ") }
    guard let row = rows.first(where: { $0.contains(part) }) else { throw TestFailure("\(rows)") }
    return row
  }

  /// Waits until `count` values wait for room at the subject `name`.
  func waitUntil(_ count: Int, waitAt name: String) throws {
    try Patience.wait(for: "\(count) values waiting for room at \(name)") {
      try ask("LIST subjects", rowWith: "subject \(name) ").hasSuffix(" waiting=\(count)")
    }
  }

  /// Returns the values of stream `id` that have come so far.
  func valuesSoFar(_ id: Int) throws -> [String] { Self.values(id, in: try linesSoFar()) }
}

import FlowTestSupport
import Foundation
import Testing

@testable import FlowServer

/// A conversation of `protocol.md`: `A> …` is sent by client A, `A< …` is received by it.
///
/// Lines `token …` at the beginning make the server's token file. A line `nats` gives it a NATS.
struct Transcript: CustomTestStringConvertible {
  enum Step {
    case send(line: String)
    /// `…` in the pattern matches any text.
    case receive(pattern: String)
    case event(Event)
  }

  /// Another event of a connection, such as `A: half-closes`.
  enum Event: String {
    /// The client closes its sending side, and goes on reading.
    case halfCloses = "half-closes"
    /// The client closes the connection.
    case closes
    /// The server closes the connection without sending more.
    case isClosed = "is closed"
  }

  let place: String
  let tokens: [Token]
  let needsNATS: Bool
  let steps: [(client: String, step: Step)]

  var testDescription: String { place }

  /// Returns all transcripts of the file, named by their first line.
  static func all(in file: String) throws -> [Transcript] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    var transcripts: [Transcript] = []
    var steps: [(client: String, step: Step)]?
    var tokens: [String] = []
    var needsNATS = false
    var start = 0
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line == "```transcript" {
        steps = []
        tokens = []
        needsNATS = false
        start = index + 1
      } else if line == "```", let finished = steps {
        let place = "\(file):\(start)"
        transcripts.append(
          Transcript(
            place: place,
            tokens: try Self.tokens(tokens, place),
            needsNATS: needsNATS,
            steps: finished
          )
        )
        steps = nil
      } else if steps != nil, line.hasPrefix("token ") {
        tokens.append(String(line.dropFirst(6)))
      } else if steps != nil, line == "nats" {
        needsNATS = true
      } else if steps != nil {
        let step = try step(line, at: "\(file):\(index + 1)")
        steps?.append((client: String(line.prefix(1)), step: step))
      }
    }
    return transcripts
  }

  private static func tokens(_ lines: [String], _ place: String) throws -> [Token] {
    lines.isEmpty ? [] : try Token.all(in: lines.joined(separator: "\n"), file: place)
  }

  private static func step(_ line: String, at place: String) throws -> Step {
    let text = String(line.dropFirst(3))
    switch line.dropFirst().prefix(2) {
    case "> ": return .send(line: text)
    case "< ": return .receive(pattern: text)
    case ": ":
      if let event = Event(rawValue: text) { return .event(event) }
      fallthrough
    default: throw TestFailure("\(place): '\(line)' is neither sent, received nor an event")
    }
  }

  /// Whether `line` matches `pattern`.
  static func matches(_ line: String, _ pattern: String) -> Bool {
    let parts = pattern.components(separatedBy: "…")
    guard let first = parts.first, let last = parts.last, parts.count > 1 else {
      return line == pattern
    }
    guard line.hasPrefix(first) else { return false }
    var rest = line.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}

import FlowTestSupport
import Foundation
import Testing

/// A conversation of `protocol.md`: `A> …` is sent by client A, `A< …` is received by it.
struct Transcript: CustomTestStringConvertible {
  enum Step {
    case send(client: String, line: String)
    /// `…` in the pattern stands for anything.
    case receive(client: String, pattern: String)
  }

  let place: String
  let steps: [Step]

  var testDescription: String { place }

  /// All transcripts of the file, by the line they begin at.
  static func all(in file: String) throws -> [Transcript] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    var transcripts: [Transcript] = []
    var steps: [Step]?
    var start = 0
    for (index, line) in text.components(separatedBy: "\n").enumerated() {
      if line == "```transcript" {
        steps = []
        start = index + 1
      } else if line == "```", let finished = steps {
        transcripts.append(Transcript(place: "\(file):\(start)", steps: finished))
        steps = nil
      } else if steps != nil {
        steps?.append(try step(line, at: "\(file):\(index + 1)"))
      }
    }
    return transcripts
  }

  private static func step(_ line: String, at place: String) throws -> Step {
    let client = String(line.prefix(1))
    switch line.dropFirst().prefix(2) {
    case "> ": return .send(client: client, line: String(line.dropFirst(3)))
    case "< ": return .receive(client: client, pattern: String(line.dropFirst(3)))
    default: throw TestFailure("\(place): '\(line)' is neither sent nor received")
    }
  }

  /// Whether `line` is what `pattern` says.
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

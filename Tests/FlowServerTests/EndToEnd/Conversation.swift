@testable import FlowLanguage

/// The lines of a client that subscribes to a pipeline, up to its end.
struct Conversation {
  let name: String
  /// The lines of the client; `EXPR` stands for the pipeline, whose stream is 9.
  let lines: [String]
  /// Whether the client resets the connection at the end.
  var endsInReset = false

  static let all = [
    Conversation(
      name: "one by one, and on after DONE",
      lines: [
        "SUB EXPR 1 as=9", "SEND taps 1", "SEND taps 2", "REQ 9 1", "SEND taps 3", "REQ 9 1",
        "DONE taps", "REQ 9 1", "REQ 9 max", "CANCEL 9",
      ]
    ),
    Conversation(
      name: "asked for only after DONE",
      lines: [
        "SUB EXPR as=9", "SEND taps 1", "SEND taps 2", "DONE taps", "REQ 9 5", "REQ 9 max",
        "CANCEL 9",
      ]
    ),
    Conversation(
      name: "cancelled in the middle",
      lines: ["SUB EXPR max as=9", "SEND taps 1", "SEND taps 2", "CANCEL 9", "SEND taps 3"]
    ),
    Conversation(
      name: "taken, and failed from outside",
      lines: ["TAKE EXPR 1 as=9", "SEND taps 1", "SEND taps 2", "FAIL taps boom x"]
    ),
    Conversation(
      name: "asked for after FAIL",
      lines: ["SUB EXPR 1 as=9", "SEND taps 1", "SEND taps 2", "FAIL taps boom x", "REQ 9 3"]
    ),
    Conversation(
      name: "its subject deleted",
      lines: [
        "SUB EXPR 1 as=9", "SEND taps 1", "REQ 9 max", "SEND taps 2", "DELETE taps", "REQ 9 1",
        "CANCEL 9",
      ]
    ),
    Conversation(
      name: "by name, and looked at",
      lines: [
        "PIPELINE p = EXPR", "SUB p as=9", "REQ 9 2", "SEND taps 1", "SEND taps 2", "SHOW p",
        "REQ 9 1", "DONE taps", "REQ 9 9", "SHOW p", "DELETE p",
      ]
    ),
    Conversation(
      name: "two of one pipeline, one of them cancelled",
      lines: [
        "PIPELINE p = EXPR", "SUB p 1 as=9", "SUB p max as=10", "SEND taps 1", "CANCEL 10",
        "SEND taps 2", "REQ 9 max", "DONE taps",
      ]
    ),
    Conversation(
      name: "run, and its target read",
      lines: [
        "SUBJECT o", "SUB o max as=9", "RUN r = EXPR.assign(to: o)", "SEND taps 1", "SEND taps 2",
        "SHOW r", "DONE taps", "SHOW r", "DELETE r", "DELETE o",
      ]
    ),
    Conversation(
      name: "run into a subject that holds it up, and deleted under load",
      lines: [
        "SUBJECT o flow=slowest", "SUB o 1 as=9", "RUN r = EXPR.subscribe(o)", "SEND taps 1",
        "SEND taps 2", "REQ 9 1", "DELETE o", "FAIL taps bad x", "SHOW r",
      ]
    ),
    Conversation(
      name: "its client reset",
      lines: ["SUB EXPR max as=9", "SUB EXPR 1 as=10", "SEND taps 1", "SEND taps 2"],
      endsInReset: true
    ),
  ]

  /// Sources of pipelines: with values, without, failing, a subject, and a buffer.
  static let sources = [
    "[1, 2, 3].publisher", "Just(1)", "Empty()", "Fail(\"no\")", "(1...40).publisher", "taps",
    "taps.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)",
    "[1, 2, 3].publisher.map { $0 == 3 ? fail(\"three\") : $0 }",
  ]

  /// Returns each source, followed by the operator as in its example.
  static func expressions(of entry: OperatorEntry) -> [String] {
    guard let start = entry.example.firstRange(of: ".\(entry.name)")?.lowerBound else { return [] }
    return sources.map { $0 + entry.example[start...] }
  }
}

extension String {
  fileprivate func firstRange(of part: String) -> Range<String.Index>? {
    indices.lazy.first { self[$0...].hasPrefix(part) }.map { start in
      start..<index(start, offsetBy: part.count)
    }
  }
}

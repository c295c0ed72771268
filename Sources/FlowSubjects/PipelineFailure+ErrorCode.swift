package import FlowCore
package import FlowLanguage
package import FlowWire

extension PipelineFailure {
  /// Makes a failure of the server, with a code of the protocol.
  package init(_ code: ErrorCode, _ message: String) {
    self.init(code: code.rawValue, message: message)
  }
}

extension Subscribers.Completion where Failure == PipelineFailure {
  /// Parses `done`, or `fail CODE TEXT`.
  package init(line: some StringProtocol) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.first == "fail" else {
      self = .finished
      return
    }
    let code = words.count > 1 && !words[1].isEmpty ? String(words[1]) : ErrorCode.upstream.rawValue
    let text = words.count > 2 ? String(words[2]) : ""
    self = .failure(PipelineFailure(code: code, message: text))
  }

  package var line: String {
    switch self {
    case .finished: "done"
    case .failure(let failure): "fail \(failure.code) \(failure.message)"
    }
  }
}

internal import FlowLanguage
internal import FlowWire

/// What the stream of names says of a run: its definition, and on lines of their own what it was known as
/// before that stream was lost, and how it has ended.
struct RunEntry {
  let line: String
  var was: UInt64?
  var end: Run.State?

  init(line: String, was: UInt64? = nil, end: Run.State? = nil) {
    self.line = line
    self.was = was
    self.end = end
  }

  /// Reads an entry; nil if the run was deleted.
  init?(_ entry: SharedNames.Entry) {
    guard let text = entry.line else { return nil }
    self.init(text: text)
  }

  init(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    line = lines.first ?? ""
    for other in lines.dropFirst() {
      let words = other.split(separator: " ", maxSplits: 2).map(String.init)
      switch words.first {
      case "was": was = words.count > 1 ? UInt64(words[1]) : nil
      case "done": end = .finished
      case "fail":
        let code = words.count > 1 ? words[1] : ErrorCode.upstream.rawValue
        let text = words.count > 2 ? words[2] : ""
        end = .failed(PipelineFailure(code: code, message: text))
      default: break
      }
    }
  }

  var text: String {
    let end =
      switch end {
      case .finished: "\ndone"
      case .failed(let failure): "\nfail \(failure.code) \(FrameWriter.oneLine(failure.message))"
      case .running, .waiting, nil: ""
      }
    return line + (was.map { "\nwas \($0)" } ?? "") + end
  }
}

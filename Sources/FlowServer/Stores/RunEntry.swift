internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The definition of a run in a store: its line, and on lines of their own the rights of the client that defined
/// it, the identity that it had before the store lost it, and how it has ended.
struct RunEntry {
  let line: String
  /// The rights of the client that defined it, as `Access.text`; nil if it may do everything.
  var rights: String?
  var was: UInt64?
  var end: Run.State?

  init(line: String, rights: String?, was: UInt64? = nil, end: Run.State? = nil) {
    self.line = line
    self.rights = rights
    self.was = was
    self.end = end
  }

  /// The access with which the run is carried out; nil if `rights` is malformed.
  var access: Access? {
    guard let rights else { return .everything }
    return Access(text: rights)
  }

  init(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    line = lines.first ?? ""
    for other in lines.dropFirst() {
      let words = other.split(separator: " ", maxSplits: 2).map(String.init)
      switch words.first {
      case "rights": rights = words.dropFirst().joined(separator: " ")
      case "was": was = words.count > 1 ? UInt64(words[1]) : nil
      case "done": end = .finished
      case "fail":
        if case .failure(let failure) = ServerSubject.Completion(line: other) {
          end = .failed(failure)
        }
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
    return line + (rights.map { "\nrights \($0)" } ?? "") + (was.map { "\nwas \($0)" } ?? "") + end
  }
}

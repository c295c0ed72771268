internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The definition of a run in a store.
///
/// Its text is the line of the run; further lines have its rights, the identity from before the
/// store lost it, and how it ended.
package struct RunEntry {
  package let line: String
  /// The rights of its client, as `Access.text`; nil for everything.
  package var rights: String?
  package var was: UInt64?
  package var end: Run.State?

  package init(line: String, rights: String?, was: UInt64? = nil, end: Run.State? = nil) {
    self.line = line
    self.rights = rights
    self.was = was
    self.end = end
  }

  /// The access of the run; nil if `rights` is malformed.
  var access: Access? {
    guard let rights else { return .everything }
    return Access(text: rights)
  }

  package init(text: String) {
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

  package var text: String {
    let end =
      switch end {
      case .finished: "\ndone"
      case .failed(let failure): "\nfail \(failure.code) \(FrameWriter.oneLine(failure.message))"
      case .running, .waiting, nil: ""
      }
    return line + (rights.map { "\nrights \($0)" } ?? "") + (was.map { "\nwas \($0)" } ?? "") + end
  }
}

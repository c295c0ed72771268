/// What is said beside the data, on standard error.
struct Remarks: Sendable {
  var isQuiet = false
  var isVerbose = false

  /// Something worth knowing; silent with `-q`.
  func note(_ text: String) {
    if !isQuiet { StandardStreams.writeError("\(text)\n") }
  }

  /// Something that only `-v` asks for.
  func detail(_ text: String) {
    if isVerbose { StandardStreams.writeError("\(text)\n") }
  }

  /// What went wrong and what to do about it; never silent.
  func error(_ error: ClientError) {
    let advice = error.advice.map { "\($0)\n" } ?? ""
    StandardStreams.writeError("flowclient: \(error.message)\n\(advice)")
  }
}

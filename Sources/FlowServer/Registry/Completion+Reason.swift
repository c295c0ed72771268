internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension PipelineFailure {
  /// The code and the text, for rows.
  var oneLine: String { message.isEmpty ? code : "\(code) \(FrameWriter.oneLine(message))" }
}

extension ServerSubject.Completion {
  var reason: String {
    switch self {
    case .finished: "done"
    case .failure(let failure): failure.code
    }
  }

  var failure: PipelineFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

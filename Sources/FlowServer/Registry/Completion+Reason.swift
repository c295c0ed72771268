internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension PipelineFailure {
  /// The code and the text, if there is any, as rows tell them.
  var oneLine: String { message.isEmpty ? code : "\(code) \(FrameWriter.oneLine(message))" }
}

extension ServerSubject.Completion {
  /// `done`, or the code of the failure.
  var reason: String {
    switch self {
    case .finished: "done"
    case .failure(let failure): failure.code
    }
  }

  /// The failure, if it is one.
  var failure: PipelineFailure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}

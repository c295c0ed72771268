internal import FlowSubjects

/// Something that a token must allow before a command is run.
enum Right {
  case define(String)
  case subscribe(String)
  case send(String)
  case complete(String)
  case serve(String)
  case administer(String)
  /// The right for some name, no matter which; the text continues "this token may not".
  case any(Token.Rights, to: String)

  static let subscribeToAny = Right.any(.subscribe, to: "subscribe")
  static let sendToAny = Right.any(.send, to: "send")
}

extension Access {
  /// Refuses a client whose token does not allow `right`.
  func check(_ right: Right) throws(DefinitionError) {
    switch right {
    case .define(let name): try check(.define, name)
    case .subscribe(let name): try check(.subscribe, name)
    case .send(let name): try check(.send, name)
    case .complete(let name): try check(.complete, name)
    case .serve(let name): try check(.serve, name)
    case .administer(let name): try check(.administer, name)
    case .any(let rights, let action): try check(rights, to: action)
    }
  }
}

internal import FlowSubjects

/// A right that a command needs.
enum Right {
  case define(String)
  case subscribe(String)
  case send(String)
  case complete(String)
  case serve(String)
  case administer(String)
  /// The right for some name, no matter which; `to` continues "this token may not".
  case any(Token.Rights, to: String)

  static let subscribeToAny = Right.any(.subscribe, to: "subscribe")
  static let sendToAny = Right.any(.send, to: "send")
}

extension Access {
  /// Throws unless the token allows `right`.
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

import FlowCore

extension Compiler {
  /// Compiles `first(where:)`, if it is that.
  func first(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source? {
    guard !call.list.isEmpty else { return nil }
    return try each(call, label: "where", makes: .bool, in: scope) {
      (value, result) throws(Trouble) in
      try Arithmetic.truth(result.decoded, "first") ? .last(value) : .leaveOut
    }
  }

  func first(_ call: Call) -> Source {
    { [upstream = call.upstream] (frame, context) throws(Trouble) in
      try upstream(&frame, context).first().eraseToAnyPublisher()
    }
  }

  /// Compiles `prefix(while:)`, if it is that.
  func prefix(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source? {
    let arguments = try call.arguments(unlabelled: 1)
    guard arguments.labelled("while") != nil || arguments.unlabelled.first?.isFunction ?? false
    else { return nil }
    return try each(call, label: "while", makes: .bool, in: scope) {
      (value, result) throws(Trouble) in
      try Arithmetic.truth(result.decoded, "prefix") ? .publish(value) : .finish
    }
  }

  func prefixOfCount(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let count = try integer(arguments.first("a count"), atLeast: 0, in: scope)
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let count = try count(&frame)
      return try upstream(&frame, context).prefix(count).eraseToAnyPublisher()
    }
  }

  func dropFirst(_ call: Call, in scope: Scope) throws(Diagnostic) -> Source {
    let arguments = try call.arguments(unlabelled: 1)
    let one = Syntax(kind: .literal(.int(1)), range: call.name.range, height: 1)
    let count = try integer(arguments.unlabelled.first ?? one, atLeast: 0, in: scope)
    return { [upstream = call.upstream] (frame, context) throws(Trouble) in
      let count = try count(&frame)
      return try upstream(&frame, context).dropFirst(count).eraseToAnyPublisher()
    }
  }
}

extension Syntax {
  /// Whether this is a closure or key path.
  var isFunction: Bool {
    switch kind {
    case .closure, .keyPath: true
    default: false
    }
  }
}

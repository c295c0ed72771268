// Closures that leave their value untouched, so that nobody need look into it.

extension Syntax {
  /// Whether this is `{ $0 }`.
  var isItsValue: Bool {
    guard case .closure(let closure) = kind else { return false }
    return closure.onlyResult?.isParameter(of: closure) ?? false
  }

  /// Whether this is `{ Just($0) }`.
  var isJustOfItsValue: Bool {
    guard case .closure(let closure) = kind,
      case .call(let callee, let arguments)? = closure.onlyResult?.kind,
      case .name("Just") = callee.kind, arguments.count == 1, arguments[0].label == nil
    else { return false }
    return arguments[0].value.isParameter(of: closure)
  }

  private func isParameter(of closure: Closure) -> Bool {
    switch kind {
    case .parameter(0): closure.parameters == nil
    case .name(let name): closure.parameters == [name]
    default: false
    }
  }
}

extension Closure {
  /// The result, where nothing is computed before it.
  fileprivate var onlyResult: Syntax? { body.lets.isEmpty ? body.result : nil }
}

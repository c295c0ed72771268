/// A step of a key path.
enum PathStep {
  case member(String)
  /// As in `\.0` and `\.[0]`, which are the same.
  case place(Int)
  /// As in `\.["a key"]`.
  case key(String)
}

extension Parser {
  /// A key path, of which the backslash has been read: as in Swift, it may begin with a type, and has
  /// `?` and `!` where what is behind them may be missing, which it may be everywhere here.
  mutating func keyPath(from start: Int) throws(Diagnostic) -> Syntax {
    if case .identifier(let type) = token.kind, type.first?.isUppercase ?? false,
      tokens[position + 1].kind == .symbol(".")
    {
      advance()
    }
    guard peek(".") else { throw unexpected("a dot and a name") }
    var path: [PathStep] = []
    while let step = try pathStep(behind: path) {
      path.append(step)
      while peek("?") || peek("!"), isClose(position) { advance() }
    }
    if path.count == 1, case .member("self") = path[0] { path = [] }
    return try node(.keyPath(path), from: start)
  }

  private mutating func pathStep(behind path: [PathStep]) throws(Diagnostic) -> PathStep? {
    let isFirst = path.isEmpty
    if read(".") {
      if isFirst, let step = place() { return step }
      if case .int(let place) = token.kind {
        advance()
        return .place(place)
      }
      if token.kind == .end { unfinished?.wanted = .keyPath(path) }
      return .member(try name("a name after the dot").text)
    }
    return isFirst || !isClose(position) ? nil : place()
  }

  /// What stands in brackets, if it is a literal: the number of an element, or a key.
  private mutating func place() -> PathStep? {
    guard peek("["), position + 2 < tokens.count, tokens[position + 2].kind == .symbol("]") else {
      return nil
    }
    let step: PathStep
    switch tokens[position + 1].kind {
    case .int(let place): step = .place(place)
    case .string(let parts) where parts.count == 1:
      guard case .text(let key) = parts[0] else { return nil }
      step = .key(key)
    default: return nil
    }
    for _ in 0..<3 { advance() }
    return step
  }
}

extension Syntax {
  /// What a key path that stands at `range` leads to from a parameter.
  static func following(
    _ path: [PathStep],
    from parameter: Int = 0,
    at range: Range<Int>
  ) -> Syntax {
    let value = Syntax(kind: .parameter(parameter), range: range, height: 1)
    return path.reduce(value) { base, step in
      let kind: Kind =
        switch step {
        case .member(let name): .member(base, Identifier(text: name, range: range))
        case .place(let place):
          .element(base, Syntax(kind: .literal(.int(place)), range: range, height: 1))
        case .key(let key):
          .element(base, Syntax(kind: .literal(.string(key)), range: range, height: 1))
        }
      return Syntax(kind: kind, range: range, height: base.height + 1)
    }
  }
}

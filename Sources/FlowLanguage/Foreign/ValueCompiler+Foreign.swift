extension ValueCompiler {
  /// What is said of a function or property of another language behind `base`; the whole begins at
  /// `start` and ends at `end`.
  static func foreign(
    _ name: Identifier,
    behind base: Syntax? = nil,
    _ arguments: [Argument] = [],
    from start: Int? = nil,
    to end: Int? = nil
  ) -> Diagnostic? {
    guard let word = ForeignWord.row(name.text, .function) else { return nil }
    var call = ForeignCall()
    call.arguments = arguments.map { SyntaxPrinter.print($0.value) }
    if let base { call.base = text(of: base) }
    let diagnostic = word.diagnostic(name, call, from: start, to: end)
    guard let base, base.range == name.range, let suggestion = diagnostic.suggestion else {
      return diagnostic
    }
    // A key path, in place of which only a closure can stand.
    let body = if case .whole = word.instead { suggestion } else { "\(call.base).\(suggestion)" }
    return Diagnostic(diagnostic.message, at: name.range, suggestion: "{ \(body) }")
  }

  /// As what stands before a dot or a sign.
  private static func text(of base: Syntax) -> String {
    let text = SyntaxPrinter.print(base)
    return switch base.kind {
    case .infix, .prefix, .choice, .selection, .closure: "(\(text))"
    default: text
    }
  }

  /// Refuses `Math.abs(x)` and `String(format: "%.2f", x)`.
  func checkForeign(
    _ callee: Syntax,
    _ arguments: [Argument],
    at range: Range<Int>
  ) throws(Diagnostic) {
    switch callee.kind {
    case .member(let base, let name):
      guard case .name(let type) = base.kind else { return }
      if type == "Math" { throw mathematics(name, callee.range) }
      if ["JSON", "Object", "console"].contains(type), !isSource(type) {
        try checkForeign(type, name, arguments, at: range)
      }
    case .name("String") where arguments.first?.label == "format":
      throw formatting(arguments, at: range)
    default: return
    }
  }

  private func checkForeign(
    _ type: String,
    _ name: Identifier,
    _ arguments: [Argument],
    at range: Range<Int>
  ) throws(Diagnostic) {
    let whole = Identifier(text: "\(type).\(name.text)", range: range)
    if type == "Object", ["keys", "values"].contains(name.text), arguments.count == 1 {
      let suggestion = "\(Self.text(of: arguments[0].value)).\(name.text)"
      throw Diagnostic("there is no value \"Object\"", at: range, suggestion: suggestion)
    }
    let word = type == "console" ? Identifier(text: type, range: range) : name
    let diagnostic = Self.foreign(
      word,
      behind: nil,
      arguments,
      from: range.lowerBound,
      to: range.upperBound
    )
    throw diagnostic ?? .absent("function", whole.text, at: range)
  }

  private func mathematics(_ name: Identifier, _ callee: Range<Int>) -> Diagnostic {
    let message = "there is no value \"Math\""
    let other = ["trunc": "Int"][name.text] ?? name.text
    guard FunctionTable.entries(other).contains(where: { $0.role == .function }) else {
      return Self.foreign(name) ?? Diagnostic(message, at: callee)
    }
    return Diagnostic(message, at: callee, suggestion: other)
  }

  /// `%.2f` is all that there is something for.
  private func formatting(_ arguments: [Argument], at range: Range<Int>) -> Diagnostic {
    let message = "String has no argument \"format\""
    let label = arguments[0].range.lowerBound..<arguments[0].range.lowerBound + "format".count
    guard arguments.count == 2, case .literal(.string(let format)) = arguments[0].value.kind else {
      let instead = "put values into a text with \"\\(value)\""
      return Diagnostic("\(message): \(instead)", at: label)
    }
    let value = Self.text(of: arguments[1].value)
    let places =
      format.hasPrefix("%.") && format.hasSuffix("f") ? Int(format.dropFirst(2).dropLast()) : nil
    if let places {
      let suggestion = "\(value).formatted(places: \(places))"
      return Diagnostic(message, at: range, suggestion: suggestion)
    }
    return Diagnostic(
      message,
      at: range,
      suggestion: "String(\(SyntaxPrinter.print(arguments[1].value)))"
    )
  }
}

extension ValueCompiler {
  /// The member `name` of `value`: null when missing.
  static func member(_ name: String, of value: Value) throws(Trouble) -> Value {
    switch value.decoded {
    case .object(let object):
      if let member = object[name] { return member }
      if name == "count" { return .int(object.members.count) }
      return name == "isEmpty" ? .bool(object.members.isEmpty) : .null
    case .array(let elements):
      if name == "count" { return .int(elements.count) }
      if name == "isEmpty" { return .bool(elements.isEmpty) }
    case .string(let text):
      if name == "count" { return .int(text.count) }
      if name == "isEmpty" { return .bool(text.isEmpty) }
    case .null: return .null
    default: break
    }
    throw .fault("\(value.kind) has no member \"\(name)\"")
  }

  func member(_ base: Syntax, _ name: String, in scope: Scope) throws(Diagnostic) -> Evaluation {
    let base = try decoded(base, in: scope)
    return { (frame) throws(Trouble) in try Self.member(name, of: base(&frame)) }
  }

  func element(_ base: Syntax, _ index: Syntax, in scope: Scope) throws(Diagnostic) -> Evaluation {
    let base = try decoded(base, in: scope)
    let index = try decoded(index, in: scope)
    return { (frame) throws(Trouble) in
      let whole = try base(&frame)
      let place = try index(&frame)
      switch (whole, place) {
      case (.array(let elements), .int(let number)):
        return elements.indices.contains(number) ? elements[number] : .null
      case (.object(let object), .string(let key)): return object[key] ?? .null
      case (.null, _): return .null
      default: throw .fault("\(whole.kind) has no element at \(place.kind)")
      }
    }
  }

  /// `fail("text")`: the only call there is among values.
  func call(
    _ callee: Syntax,
    _ arguments: [Argument],
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Evaluation {
    switch callee.kind {
    case .name("fail"):
      guard arguments.count == 1, arguments[0].label == nil else {
        throw Diagnostic("fail takes one text, as in fail(\"too dear\")", at: range)
      }
      let reason = try decoded(arguments[0].value, in: scope)
      return { (frame) throws(Trouble) in
        let value = try reason(&frame)
        if case .string(let text) = value { throw .failed(text) }
        throw .failed(value.excerpt())
      }
    case .name(let name):
      guard OperatorTable.entry(name) == nil, !isSource(name) else {
        throw Diagnostic("\"\(name)\" makes a publisher, and a value is needed here", at: range)
      }
      throw .unknown("function", name, at: callee.range, among: ["fail"])
    case .member(_, let name):
      throw .unknown("function", name.text, at: name.range, among: ["count", "isEmpty"])
    default: throw Diagnostic("this can not be called", at: callee.range)
    }
  }
}

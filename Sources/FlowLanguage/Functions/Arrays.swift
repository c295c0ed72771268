/// What the functions of arrays do; the caller has checked the kinds.
enum Arrays {
  static func joined(_ value: Value, _ separator: Value) throws(EvaluationError) -> Value {
    var parts: [String] = []
    parts.reserveCapacity(value.elements.count)
    for element in value.elements {
      guard case .string(let text) = element.decoded else {
        throw .fault("joined needs Strings, not \(element.kind)")
      }
      parts.append(text)
    }
    return try Texts.joined(parts, separator: separator.text)
  }

  static func joined(_ value: Value) throws(EvaluationError) -> Value {
    try joined(value, .string(""))
  }

  static func map(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    var results: [Value] = []
    results.reserveCapacity(value.elements.count)
    for element in value.elements { results.append(try closure(element, &locals)) }
    return try JSONArray.checked(results)
  }

  static func compactMap(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    var results: [Value] = []
    for element in value.elements {
      let result = try closure(element, &locals)
      if case .null = try locals.decode(result) { continue }
      results.append(result)
    }
    return try JSONArray.checked(results)
  }

  static func filter(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    var results: [Value] = []
    for element in value.elements where try closure.isTrue(element, "filter", &locals) {
      results.append(element)
    }
    return .array(JSONArray(results))
  }

  static func contains(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    for element in value.elements where try closure.isTrue(element, "contains", &locals) {
      return .bool(true)
    }
    return .bool(false)
  }

  static func reduce(
    _ value: Value,
    _ initial: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    var result = initial
    for element in value.elements { result = try closure(result, element, &locals) }
    return result
  }
}

// MARK: - Order

extension Arrays {
  static func sorted(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    let elements = try sorted(value.elements) { (a, b) throws(EvaluationError) in
      let result = try closure(a, b, &locals)
      return try Arithmetic.truth(locals.decode(result), "sorted")
    }
    return .array(JSONArray(elements))
  }

  /// Decodes each element once, and keeps how it is spelled.
  static func sorted(_ value: Value) throws(EvaluationError) -> Value {
    let (elements, decoded) = (value.elements, value.elements.map(\.decoded))
    let places = try sorted(decoded.indices) { (a, b) throws(EvaluationError) in
      try isLess(decoded[a], decoded[b])
    }
    return .array(JSONArray(places.lazy.map { elements[$0] }))
  }

  static func least(_ value: Value) throws(EvaluationError) -> Value { try least(value.elements) }

  static func greatest(_ value: Value) throws(EvaluationError) -> Value {
    try greatest(value.elements)
  }

  static func least(_ values: [Value]) throws(EvaluationError) -> Value {
    guard var best = values.first else { return .null }
    for value in values.dropFirst() where try isLess(value, best) { best = value }
    return best
  }

  static func greatest(_ values: [Value]) throws(EvaluationError) -> Value {
    guard var best = values.first else { return .null }
    for value in values.dropFirst() where try isLess(best, value) { best = value }
    return best
  }

  private static func isLess(_ a: Value, _ b: Value) throws(EvaluationError) -> Bool {
    let (decoded, other) = (a.decoded, b.decoded)
    try Order.check(decoded, other)
    guard let isLess = Order.isLess(decoded, other) else {
      throw .fault("\(a.kind) and \(b.kind) have no order; give a closure")
    }
    return isLess
  }

  /// The standard library's sort forgets what its closure throws.
  private static func sorted<Element>(
    _ elements: some Sequence<Element>,
    by isBefore: (Element, Element) throws(EvaluationError) -> Bool
  ) throws(EvaluationError) -> [Element] {
    do {
      return try elements.sorted { a, b in try isBefore(a, b) }
    } catch {
      throw error as? EvaluationError ?? .fault("\(error)")
    }
  }
}

/// What the functions do that take a part of an array or a text; the caller has checked the kinds.
enum Parts {
  static func prefix(_ value: Value, _ count: Value) -> Value {
    part(of: value, { $0.prefix(count.whole) }, { $0.prefix(count.whole) })
  }

  static func suffix(_ value: Value, _ count: Value) -> Value {
    part(of: value, { $0.suffix(count.whole) }, { $0.suffix(count.whole) })
  }

  static func dropFirst(_ value: Value, _ count: Value) -> Value {
    part(of: value, { $0.dropFirst(count.whole) }, { $0.dropFirst(count.whole) })
  }

  static func dropFirst(_ value: Value) -> Value { dropFirst(value, .int(1)) }

  static func dropLast(_ value: Value, _ count: Value) -> Value {
    part(of: value, { $0.dropLast(count.whole) }, { $0.dropLast(count.whole) })
  }

  static func dropLast(_ value: Value) -> Value { dropLast(value, .int(1)) }

  static func reversed(_ value: Value) -> Value {
    if case .string(let text) = value { return .string(String(text.reversed())) }
    return .array(JSONArray(value.elements.reversed()))
  }

  private static func part(
    of value: Value,
    _ characters: (String) -> Substring,
    _ elements: ([Value]) -> ArraySlice<Value>
  ) -> Value {
    if case .string(let text) = value { return .string(String(characters(text))) }
    return .array(JSONArray(elements(value.elements)))
  }

  /// The elements at the places of a range, of which those that are not there are left out.
  static func slice(
    _ value: Value,
    _ low: Value,
    _ high: Value,
    isClosed: Bool,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    if case .null = value { return .null }
    guard case .array(let array) = value else {
      throw .fault("a slice needs an array, not \(value.kind)")
    }
    guard case .int(let low) = low, case .int(let high) = high else {
      throw .fault("a range needs two Ints, not \(low.kind) and \(high.kind)")
    }
    guard low <= high else { throw .fault("the lower bound is above the upper bound") }
    let first = min(max(low, 0), array.count)
    let end = isClosed && high < array.count ? max(high, -1) + 1 : min(max(high, 0), array.count)
    try locals.spend(1 + Price.copying(end - first))
    return .array(JSONArray(array.elements[first..<max(first, end)]))
  }
}

extension Value {
  /// The number, if it is an Int.
  var whole: Int { if case .int(let number) = self { number } else { 0 } }
}

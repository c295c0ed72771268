/// What the functions do that go with more than one kind of value; the caller has checked the kinds.
enum Contents {
  static func count(_ value: Value) -> Value {
    switch value {
    case .string(let text): .int(text.count)
    case .array(let array): .int(array.count)
    case .object(let object): .int(object.effective.count)
    default: .null
    }
  }

  static func isEmpty(_ value: Value) -> Value {
    switch value {
    case .string(let text): .bool(text.isEmpty)
    case .array(let array): .bool(array.isEmpty)
    case .object(let object): .bool(object.members.isEmpty)
    default: .null
    }
  }

  static func first(_ value: Value) -> Value {
    if case .string(let text) = value { return text.first.map { .string(String($0)) } ?? .null }
    return value.elements.first ?? .null
  }

  static func last(_ value: Value) -> Value {
    if case .string(let text) = value { return text.last.map { .string(String($0)) } ?? .null }
    return value.elements.last ?? .null
  }

  static func contains(_ value: Value, _ part: Value) throws(EvaluationError) -> Value {
    guard case .string(let text) = value else { return .bool(value.elements.contains(part)) }
    guard case .string(let part) = part else {
      throw .fault("contains needs a String, not \(part.kind)")
    }
    return .bool(text.has(part))
  }

  static func keys(_ value: Value) -> Value {
    .array(JSONArray(value.members.map { .string($0.key) }))
  }

  static func values(_ value: Value) -> Value {
    .array(JSONArray(value.members.map(\.value)))
  }

  static func string(_ value: Value) -> Value { .string(value.plainText) }
}

extension Value {
  /// The characters, if this is a string.
  var text: String { if case .string(let text) = self { text } else { "" } }

  /// The elements, if this is an array.
  var elements: [Value] { if case .array(let array) = self { array.elements } else { [] } }

  /// The members that count, if this is an object.
  var members: [JSONObject.Member] {
    if case .object(let object) = self { object.effective } else { [] }
  }
}

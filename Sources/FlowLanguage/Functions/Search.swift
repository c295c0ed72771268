/// What the functions do that look for elements of an array, or pair them; the caller has checked the
/// kinds.
enum Search {
  static func first(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    for element in value.elements where try closure.isTrue(element, "first", &locals) {
      return element
    }
    return .null
  }

  static func last(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    for element in value.elements.reversed() where try closure.isTrue(element, "last", &locals) {
      return element
    }
    return .null
  }

  static func firstIndex(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    for (index, element) in value.elements.enumerated()
    where try closure.isTrue(element, "firstIndex", &locals) {
      return .int(index)
    }
    return .null
  }

  static func firstIndex(_ value: Value, _ element: Value) -> Value {
    value.elements.firstIndex(of: element).map(Value.int) ?? .null
  }

  static func allSatisfy(
    _ value: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    for element in value.elements where try !closure.isTrue(element, "allSatisfy", &locals) {
      return .bool(false)
    }
    return .bool(true)
  }

  /// The first of those before which no other comes.
  static func least(
    _ value: Value,
    _ comesBefore: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    try best(of: value) { (element, best) throws(EvaluationError) in
      try comesBefore.isTrue(element, best, "min", &locals)
    }
  }

  /// The first of those that come before no other.
  static func greatest(
    _ value: Value,
    _ comesBefore: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    try best(of: value) { (element, best) throws(EvaluationError) in
      try comesBefore.isTrue(best, element, "max", &locals)
    }
  }

  /// The element that is left when each that is better takes the place of the one before.
  private static func best(
    of value: Value,
    _ isBetter: (_ element: Value, _ best: Value) throws(EvaluationError) -> Bool
  ) throws(EvaluationError) -> Value {
    guard var best = value.elements.first else { return .null }
    for element in value.elements.dropFirst() where try isBetter(element, best) { best = element }
    return best
  }

  // MARK: Pairs

  private static let offset = Key("offset")
  private static let element = Key("element")

  static func enumerated(_ value: Value) throws(EvaluationError) -> Value {
    try JSONArray.checked(
      value.elements.enumerated().map { index, value in
        .object(JSONObject(members: numbered(index, value)))
      }
    )
  }

  /// The members of an object that has a value with its place.
  static func numbered(_ index: Int, _ value: Value) -> [JSONObject.Member] {
    [
      JSONObject.Member(name: offset, value: .int(index)),
      JSONObject.Member(name: element, value: value),
    ]
  }

  static func zip(_ a: Value, _ b: Value) throws(EvaluationError) -> Value {
    try JSONArray.checked(
      Swift.zip(a.elements, b.elements).map { .array(JSONArray([$0, $1])) }
    )
  }
}

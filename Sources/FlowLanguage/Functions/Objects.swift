/// What the functions of objects do; the caller has checked the kinds.
enum Objects {
  /// Both objects in one: the members of the second count where both have them, in the place of the
  /// first's.
  static func merging(_ value: Value, _ other: Value) throws(EvaluationError) -> Value {
    try merging(value.members, other.members) { (_, new) throws(EvaluationError) in new }
  }

  static func merging(
    _ value: Value,
    _ other: Value,
    _ closure: InnerClosure,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    try merging(value.members, other.members) { (old, new) throws(EvaluationError) in
      try closure(old, new, &locals)
    }
  }

  private static func merging(
    _ first: [JSONObject.Member],
    _ second: [JSONObject.Member],
    _ combine: (Value, Value) throws(EvaluationError) -> Value
  ) throws(EvaluationError) -> Value {
    var members = first
    var places: [Key: Int] = [:]
    for (index, member) in first.enumerated() { places[member.name] = index }
    for member in second {
      guard let place = places[member.name] else {
        members.append(member)
        continue
      }
      let value = try combine(members[place].value, member.value)
      members[place] = JSONObject.Member(name: member.name, value: value)
    }
    return try JSONObject.checked(members)
  }

  /// The first of `values` without the members that the others name.
  static func removing(_ values: [Value]) -> Value {
    let keys = Set(values.dropFirst().map { Key($0.text) })
    return .object(JSONObject(members: values[0].members.filter { !keys.contains($0.name) }))
  }
}

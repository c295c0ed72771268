import Spelling

/// A name behind a dot: a key of an object, or else a property of the value.
final class Member {
  let key: Key
  let property: FunctionEntry?

  init(_ name: String) {
    key = Key(name)
    property = FunctionTable.property(name)
  }

  /// What `value`, which is decoded, has there; null when missing.
  func of(_ value: Value, _ locals: inout Locals) throws(EvaluationError) -> Value {
    switch value {
    case .object(let object):
      try locals.spend(Price.finding(in: object))
      if let member = object[key] { return member }
      guard let property, property.receiver.contains(.object) else { return .null }
      return try property.call(value, &locals)
    case .null: return .null
    default:
      guard let property, property.receiver.contains(Kinds(of: value)) else {
        let hint = ForeignWord.row(key.text, .function).map { "; use \($0.hint)" } ?? ""
        throw .fault("\(value.kind) has no member \"\(key.text.excerpt())\"\(hint)")
      }
      return try property.call(value, &locals)
    }
  }
}

/// One name after the other behind a value.
final class MemberPath {
  let members: [Member]
  let first: Key
  /// The tag of the first key.
  let tag: UInt64
  /// The keys behind the first.
  let rest: [Key]
  let isOneKey: Bool
  private let hasProperties: Bool

  init(_ names: [String]) {
    members = names.map(Member.init)
    first = members[0].key
    tag = first.tag
    isOneKey = names.count == 1
    rest = members.dropFirst().map(\.key)
    hasProperties = members.contains { $0.property != nil }
  }

  /// What the path leads to from `value`, which is decoded.
  func of(_ value: Value, _ locals: inout Locals) throws(EvaluationError) -> Value {
    var value = value
    for member in members { value = try member.of(locals.decode(value), &locals) }
    return value
  }

  /// What the path leads to from a value of the locals: looks for it in the bytes if they are not
  /// decoded yet.
  func of(
    _ number: Int,
    in locals: inout Locals,
    for use: MemberScan.Use
  ) throws(EvaluationError) -> Value {
    let value: Value?
    if let payload = unsafe locals.payload(number) {
      value = unsafe self.value(in: .payload(payload), locals.work, for: use)
      try locals.spend(Price.scanning(payload.count))
    } else {
      let whole = locals[number]
      switch whole {
      case .object(let object) where isOneKey:
        try locals.spend(Price.finding(in: object))
        value = object[first]
      case .raw(let raw):
        value = self.value(in: .value(whole), nil, for: use)
        try locals.spend(Price.scanning(raw.bytes.count))
      default: value = nil
      }
    }
    if let value { return value }
    return try of(locals.decoded(number), &locals)
  }

  /// What the path leads to in bytes that are not decoded; `nil` if they do not tell.
  func value(
    in input: Incoming,
    _ work: Work?,
    for use: MemberScan.Use = .handingOn
  ) -> Value? {
    unsafe withPlace(in: input, work) {
      unsafe $0.map { unsafe MemberScan.value(at: $0, for: use) } ?? .null
    }
  }

  /// Gives the place that the path leads to in bytes that are not decoded, or `nil` if there is
  /// none; returns `nil` if that alone does not tell, since it may lead to a property.
  @inline(__always)
  func withPlace<R>(
    in input: Incoming,
    _ work: Work?,
    _ body: (JSONGrammar.Place?) -> R?
  ) -> R? {
    switch input {
    case .payload(let payload):
      if let found = unsafe work?.withKnownMembers({ unsafe $0.find(self, in: payload) }) {
        return unsafe of(found, body)
      }
      return unsafe PaddedText.with(copyOf: payload) {
        unsafe of(MemberScan.find(self, in: $0), body)
      }
    case .value(.raw(let raw)):
      return raw.bytes.withText { unsafe of(MemberScan.find(self, in: $0), body) }
    case .value(.object(let object)):
      guard isOneKey, let read = object.read else { return nil }
      return unsafe read.withPlace(of: first) { unsafe $0.flatMap(body) }
    case .value: return nil
    }
  }

  @inline(__always)
  func of<R>(_ found: MemberScan.Found, _ body: (JSONGrammar.Place?) -> R?) -> R? {
    switch unsafe found {
    case .at(let place): unsafe body(place)
    case .missing: hasProperties ? nil : body(nil)
    case .notAnObject: nil
    }
  }
}

extension ValueCompiler {
  func member(
    _ base: Syntax,
    _ name: Identifier,
    from start: Int,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    var names = [name]
    var base = base
    while case .member(let inner, let name) = base.kind {
      names.insert(name, at: 0)
      base = inner
    }
    let range = base.range.lowerBound..<name.range.upperBound
    let operand = try operand(base, in: scope)
    try check(names[0], of: operand.kinds, behind: base, from: start)
    let path = MemberPath(names.map(\.text))
    let isDefinite = names.count == 1 && operand.kinds.isDisjoint(with: .object)
    var kinds = isDefinite ? path.members[0].property?.gives ?? .any : .any
    if operand.kinds.contains(.null) { kinds.formUnion(.null) }
    if case .slot(let number) = operand.form, !scope.entries[number].isOftenRead {
      return Operand(kinds: kinds, form: .member(path, of: number))
    }
    let value = operand.decoded
    return try .computed(kinds, of: [operand], at: range, isDecoded: false) {
      (locals) throws(EvaluationError) in
      let value = try value(&locals)
      return try path.of(value, &locals)
    }
  }

  /// Refuses what nothing of these kinds has; behind null everything is null.
  private func check(
    _ name: Identifier,
    of kinds: Kinds,
    behind base: Syntax,
    from start: Int
  ) throws(Diagnostic) {
    let mayBeNull = kinds.contains(.null)
    let kinds = kinds.subtracting(.null)
    guard !kinds.isEmpty, !kinds.contains(.object) else { return }
    guard let property = FunctionTable.property(name.text) else {
      if let method = FunctionTable.entries(name.text).first(where: { $0.role == .method }) {
        throw Diagnostic("\(name.text) needs arguments: \(method.signature)", at: name.range)
      }
      if let diagnostic = Self.foreign(name, behind: base, from: start) { throw diagnostic }
      throw .unknown(
        "property",
        name.text,
        at: name.range,
        among: FunctionTable.names(of: .property)
      )
    }
    guard mayBeNull || !kinds.isDisjoint(with: property.receiver) else {
      throw Diagnostic(
        "\(name.text) needs \(property.receiver.text), not \(kinds.text)",
        at: name.range
      )
    }
  }

  func element(
    _ base: Syntax,
    _ index: Syntax,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    if case .infix(let sign, let low, let high) = index.kind, sign.hasPrefix("..") {
      return try slice(base, low, high, isClosed: sign == "...", at: range, in: scope)
    }
    let placeRange = index.range
    let places: Kinds = [.int, .string]
    let wholes: Kinds = [.array, .object, .null]
    let base = try operand(base, for: "a subscript", needs: wholes, in: scope)
    let index = try operand(index, for: "an index", needs: places, in: scope)
    if case .constant(.int(let place)) = index.form, let width = base.kinds.width, place >= width {
      let elements = width == 1 ? "1 element" : "\(width) elements"
      throw Diagnostic(
        "there is no element \(place): the array has \(elements), counted from 0",
        at: placeRange
      )
    }
    let (whole, place) = (base.decoded, index.decoded)
    return try .computed(.any, of: [base, index], at: range, isDecoded: false) {
      (locals) throws(EvaluationError) in
      let whole = try whole(&locals)
      let place = try place(&locals)
      switch (whole, place) {
      case (.array(let array), .int(let number)):
        return array.elements.indices.contains(number) ? array.elements[number] : .null
      case (.object(let object), .string(let key)):
        try locals.spend(Price.finding(in: object))
        return object[key] ?? .null
      case (.null, _): return .null
      default: throw .fault("\(whole.kind) has no element at \(place.kind)")
      }
    }
  }

  /// `base[low...high]`.
  private func slice(
    _ base: Syntax,
    _ low: Syntax,
    _ high: Syntax,
    isClosed: Bool,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Operand {
    let base = try operand(base, for: "a slice", needs: [.array, .null], in: scope)
    let low = try operand(low, for: "a range", needs: .int, in: scope)
    let high = try operand(high, for: "a range", needs: .int, in: scope)
    if case .constant(.int(let first)) = low.form, case .constant(.int(let last)) = high.form,
      first > last
    {
      throw Diagnostic("the lower bound is above the upper bound", at: range)
    }
    let kinds: Kinds = base.kinds.contains(.null) ? [.array, .null] : .array
    let (whole, first, last) = (base.decoded, low.decoded, high.decoded)
    var slice = try Operand.computed(kinds, of: [base, low, high], at: range) {
      (locals) throws(EvaluationError) in
      let array = try whole(&locals)
      return try Parts.slice(
        array,
        first(&locals),
        last(&locals),
        isClosed: isClosed,
        &locals
      )
    }
    slice.elements = base.elements
    return slice
  }
}

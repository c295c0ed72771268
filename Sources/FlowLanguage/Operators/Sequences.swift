import FlowCore

extension OperatorTable {
  static let sequences: [OperatorEntry] = [
    source(
      "publisher",
      "Publishes the elements of an array or range, or one value unless it is null, and finishes.",
      demand: StageDemand(asks: "sends what is requested", ends: "after the last element"),
      "(1...10).publisher",
      MarbleExample("(1...4).publisher", asking: "2--1-1", gives: "[12]--3-[4|]"),
      traits: [.isAtHand],
      price: 192,
      .property(Compiler.sequence)
    )
  ]
}

extension Compiler {
  func sequence(_ tail: Tail, in scope: Scope) throws(Diagnostic) -> Compiled {
    // The parentheses around a range belong to no node.
    let base = tail.base.range
    let isEnclosed = characters[base.upperBound] == ")"
    let before = characters[..<base.lowerBound].lastIndex(of: "(")
    let start = (isEnclosed ? before : nil) ?? base.lowerBound
    let range = start..<tail.name.range.upperBound
    try size.add(sources: 1, at: range)
    let stage: CompiledStage
    if let optional = try optional(tail.base, in: scope) {
      stage = optional
    } else {
      stage = try sequence(tail.base, in: scope)
    }
    return compiled(stage, of: tail.entry, [], at: range, in: scope)
  }

  /// `Optional(value).publisher`: one value, arrays too, or none if it is null.
  private func optional(_ base: Syntax, in scope: Scope) throws(Diagnostic) -> CompiledStage? {
    guard case .call(let callee, let arguments) = base.kind, case .name("Optional") = callee.kind,
      lookup("Optional") == nil
    else { return nil }
    guard arguments.count == 1, arguments[0].label == nil else {
      throw Diagnostic("Optional takes one value", at: base.range)
    }
    let operand = try values(in: scope).operand(arguments[0].value, in: scope)
    let value = operand.decoded
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      let value = try value(&locals)
      let values = if case .null = value { [Value]() } else { [value] }
      return Self.publish(values, isShort: true, at: context.timeSlice)
    }
    return CompiledStage(source: source, kinds: operand.kinds.subtracting(.null))
  }

  /// `[…].publisher` and `(1...3).publisher`; a value that is neither is published as it is, null not.
  func sequence(_ base: Syntax, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    if case .infix(let sign, let low, let high) = base.kind, sign == "..." || sign == "..<" {
      let parts = [low, high]
      let low = try integer(low, atLeast: .min, in: scope)
      let high = try integer(high, atLeast: .min, in: scope)
      let isClosed = sign == "..."
      // Closed, since it may end with the greatest Int; `nil` for an empty range.
      let bounds = { (locals: inout Locals) throws(EvaluationError) -> ClosedRange<Int>? in
        let (low, high) = (try low(&locals), try high(&locals))
        if low > high {
          guard isClosed, low - 1 == high else {
            throw .fault("the lower bound is above the upper bound")
          }
          return nil
        }
        if isClosed { return low...high }
        return low == high ? nil : low...(high - 1)
      }
      try check(bounds, of: parts, at: base.range, in: scope)
      let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
        guard let range = try bounds(&locals) else {
          return Self.publish([Value](), isShort: true, at: context.timeSlice)
        }
        // The two may be further apart than an Int can tell.
        let (distance, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        let isShort = !overflow && distance < Self.fewElements
        return Self.publish(range.lazy.map(Value.int), isShort: isShort, at: context.timeSlice)
      }
      return CompiledStage(source: source, kinds: .int)
    }
    let (array, kinds) = try elements(base, in: scope)
    let elements = { (locals: inout Locals) throws(EvaluationError) -> [Value] in
      switch try array(&locals) {
      case .array(let elements): return elements.elements
      case .null: return []
      case let value: return [value]
      }
    }
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      let elements = try elements(&locals)
      let isShort = elements.count <= Self.fewElements
      return Self.publish(elements, isShort: isShort, at: context.timeSlice)
    }
    return CompiledStage(source: source, kinds: kinds)
  }

  /// An array, the elements of which are published.
  private func elements(
    _ base: Syntax,
    in scope: Scope
  ) throws(Diagnostic) -> (array: Evaluation, kinds: Kinds) {
    let operand = try values(in: scope).operand(base, in: scope)
    guard !operand.kinds.isDisjoint(with: [.array, .null]) else {
      throw Diagnostic(
        "publisher needs an array or a range, not \(operand.kinds.text)",
        at: base.range
      )
    }
    guard case .array(let elements) = base.kind else { return (operand.decoded, .any) }
    let operands = try values(in: scope).operands(elements, in: scope)
    return (operand.decoded, operands.reduce([]) { $0.union($1.kinds) })
  }

  /// So many values are sent at once.
  static let fewElements = 16

  /// A few values come at once, which costs `flatMap` no subscription; many come at a timeSlice.
  static func publish(
    _ values: some RandomAccessCollection<Value>,
    isShort: Bool,
    at timeSlice: TimeSlice
  ) -> Stream {
    isShort
      ? Publishers.Sequence(sequence: values).eraseToAnyPublisher()
      : PacedSequence(elements: values, timeSlice: timeSlice).eraseToAnyPublisher()
  }
}

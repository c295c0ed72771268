import FlowCore

extension OperatorTable {
  static let sequences: [OperatorEntry] = [
    source(
      "publisher",
      "Publishes the elements of an array or range and finishes.",
      demand: StageDemand(asks: "sends what is requested", ends: "after the last element"),
      "(1...10).publisher",
      MarbleExample("(1...4).publisher", asking: "2--1-1", gives: "[12]--3-[4|]"),
      traits: [.isAtHand],
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
    let stage = try sequence(tail.base, in: scope)
    return compiled(stage, of: tail.entry, [], at: range, in: scope)
  }

  /// `[…].publisher` and `(1...3).publisher`.
  func sequence(_ base: Syntax, in scope: Scope) throws(Diagnostic) -> CompiledStage {
    if case .infix(let sign, let low, let high) = base.kind, sign == "..." || sign == "..<" {
      let parts = [low, high]
      let low = try integer(low, atLeast: .min, in: scope)
      let high = try integer(high, atLeast: .min, in: scope)
      let bounds = { (locals: inout Locals) throws(EvaluationError) -> Range<Int> in
        let (low, high) = (try low(&locals), try high(&locals))
        let end = sign == "..." ? high.addingReportingOverflow(1) : (high, false)
        if end.1 { throw .fault("a range that is published needs an end") }
        guard low <= end.0 else { throw .fault("the lower bound is above the upper bound") }
        return low..<end.0
      }
      try check(bounds, of: parts, at: base.range, in: scope)
      let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
        let range = try bounds(&locals)
        // The two may be further apart than an Int can tell.
        let (length, overflow) = range.upperBound.subtractingReportingOverflow(range.lowerBound)
        let isShort = !overflow && length <= Self.fewElements
        return Self.publish(range.lazy.map(Value.int), isShort: isShort, at: context.timeSlice)
      }
      return CompiledStage(source: source, kinds: .int)
    }
    let (array, kinds) = try elements(base, in: scope)
    let elements = { (locals: inout Locals) throws(EvaluationError) -> [Value] in
      let value = try array(&locals)
      guard case .array(let elements) = value else {
        throw .fault("publisher needs an array or a range, not \(value.kind)")
      }
      return elements.elements
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
    guard !operand.kinds.isDisjoint(with: .array) else {
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

/// What a closure makes of scalars, step by step: without references and without a locals, which
/// would cost more than the arithmetic.
///
/// Each step does something with the result so far and an operand. What it cannot do, it leaves to the
/// evaluation of the closure: what fails, and what needs texts, arrays or objects.
@safe  // memory 8
final class ScalarSteps {
  enum Operation {
    case load
    /// Keeps the result for a later step, whose operand it is.
    case push
    case plus, minus, times, over, remainder
    case less, greater, lessOrEqual, greaterOrEqual, equal, notEqual
    case negate, not
    /// Makes sure that the result is a Bool.
    case checkBool
    /// Leaves out some steps: if the result is true, if it is false, always.
    case skipIfTrue, skipIfFalse, skip
  }

  fileprivate enum Source {
    case none, constant, first, second, popped
    /// What a path leads to from the first or the second.
    case memberOfFirst, memberOfSecond
  }

  fileprivate struct Step {
    var operation: Operation
    var source = Source.none
    /// Which path, or how many steps are left out.
    var number: UInt8 = 0
    /// Which text the member may be: the operand is whether it is.
    var text = Step.noText
    var constant = Scalar.null

    static let noText = UInt8.max
  }

  private let steps: UnsafeMutablePointer<Step>
  private let count: Int
  private let paths: [MemberPath]
  /// The paths, which the array holds.
  private let heldPaths: UnsafeMutablePointer<Unmanaged<MemberPath>>  // memory 3
  private let texts: [String]

  /// So many results may be kept.
  private static let mostKept = 8

  /// The steps of `tree`, which may use so many slots, two at most; `nil` if there are too many.
  init?(_ tree: ScalarTree, slots: Int) {
    var writer = Writer(slots: min(slots, 2))
    writer.append(tree, kept: 0)
    guard !writer.isTooMuch, writer.mostKept <= Self.mostKept else { return nil }
    count = writer.steps.count
    unsafe steps = .allocate(capacity: count)
    for (index, step) in writer.steps.enumerated() {
      unsafe (steps + index).initialize(to: step)
    }
    paths = writer.paths
    texts = writer.texts
    unsafe heldPaths = .allocate(capacity: paths.count)
    for (index, path) in paths.enumerated() {
      unsafe (heldPaths + index).initialize(to: .passUnretained(path))
    }
  }

  deinit {
    unsafe steps.deallocate()
    unsafe heldPaths.deallocate()
  }
}

// MARK: - Made of a tree

extension ScalarSteps {
  private struct Writer {
    let slots: Int
    private(set) var steps: [Step] = []
    private(set) var paths: [MemberPath] = []
    private(set) var texts: [String] = []
    /// How many results are kept at most.
    private(set) var mostKept = 0
    private(set) var isTooMuch = false

    private static let mostSteps = 100

    private mutating func append(_ step: Step) {
      steps.append(step)
      if steps.count > Self.mostSteps { isTooMuch = true }
    }

    init(slots: Int) { self.slots = slots }

    mutating func append(_ tree: ScalarTree, kept: Int) {
      guard !isTooMuch else { return }
      switch tree {
      case .constant, .slot, .member, .isText: append(.load, tree)
      case .binary(let operation, let first, let second):
        if second.isOperand {
          append(first, kept: kept)
          append(operation, second)
        } else {
          append(second, kept: kept)
          append(Step(operation: .push))
          mostKept = max(mostKept, kept + 1)
          append(first, kept: kept + 1)
          append(Step(operation: operation, source: .popped))
        }
      case .negation(let value):
        append(value, kept: kept)
        append(Step(operation: .negate))
      case .not(let value):
        append(value, kept: kept)
        append(Step(operation: .not))
      case .logic(let decisive, let first, let second):
        append(first, kept: kept)
        let place = append(decisive ? .skipIfTrue : .skipIfFalse)
        append(second, kept: kept)
        append(Step(operation: .checkBool))
        skip(from: place)
      case .choice(let condition, let first, let second):
        append(condition, kept: kept)
        let no = append(.skipIfFalse)
        append(first, kept: kept)
        let end = append(.skip)
        skip(from: no)
        append(second, kept: kept)
        skip(from: end)
      }
    }

    /// Appends a step that leaves out what `skip(from:)` says; returns its place.
    private mutating func append(_ skip: Operation) -> Int {
      append(Step(operation: skip))
      return steps.count - 1
    }

    /// Lets the step at `place` leave out all behind it so far.
    private mutating func skip(from place: Int) {
      steps[place].number = UInt8(clamping: steps.count - place - 1)
    }

    private mutating func append(_ operation: Operation, _ operand: ScalarTree) {
      var step = Step(operation: operation)
      switch operand {
      case .constant(let scalar):
        step.source = .constant
        step.constant = scalar
      case .slot(let slot):
        step.source = slot == 0 ? .first : .second
        if slot >= slots { isTooMuch = true }
      case .member(let path, let slot): step = member(step, path, slot)
      case .isText(let text, let path, let slot):
        step = member(step, path, slot)
        step.text = UInt8(clamping: texts.count)
        texts.append(text)
      default: preconditionFailure("an operand is a constant, a slot or a member")
      }
      append(step)
    }

    private mutating func member(_ step: Step, _ path: MemberPath, _ slot: Int) -> Step {
      var step = step
      step.source = slot == 0 ? .memberOfFirst : .memberOfSecond
      step.number = UInt8(clamping: paths.count)
      paths.append(path)
      if slot >= slots { isTooMuch = true }
      return step
    }
  }
}

extension ScalarTree {
  /// Whether it needs no step of its own.
  fileprivate var isOperand: Bool {
    switch self {
    case .constant, .slot, .member, .isText: true
    case .binary, .negation, .not, .logic, .choice: false
    }
  }
}

// MARK: - Taken

extension ScalarSteps {
  /// What comes of what the closure is given; `nil` if its evaluation has to tell.
  @inline(__always)
  func result(
    _ first: Incoming,
    and second: Incoming = .value(.null),
    _ work: Work?
  ) -> Scalar? {
    guard count <= 2 else { return longResult(first, second, work) }
    // Most closures do one thing with two operands.
    guard let a = unsafe operand(of: steps, first, second, work) else { return nil }
    if count < 2 { return a }
    guard let b = unsafe operand(of: steps + 1, first, second, work) else { return nil }
    return unsafe steps[1].operation.result(a, b)
  }

  @inline(never)
  private func longResult(_ first: Incoming, _ second: Incoming, _ work: Work?) -> Scalar? {
    unsafe withUnsafeTemporaryAllocation(of: Scalar.self, capacity: Self.mostKept) { kept in
      var result = Scalar.null
      var (next, keptCount) = (0, 0)
      while next < count {
        let step = unsafe steps + next
        next &+= 1
        switch unsafe step.pointee.operation {
        case .push:
          unsafe kept[keptCount] = result
          keptCount &+= 1
          continue
        case .skip:
          next &+= unsafe Int(step.pointee.number)
          continue
        case .skipIfTrue, .skipIfFalse:
          guard case .bool(let flag) = result else { return nil }
          if unsafe flag == (step.pointee.operation == .skipIfTrue) {
            next &+= unsafe Int(step.pointee.number)
          }
          continue
        default: break
        }
        var operand = Scalar.null
        switch unsafe step.pointee.source {
        case .none: break
        case .popped:
          keptCount &-= 1
          operand = unsafe kept[keptCount]
        default:
          guard let scalar = unsafe self.operand(of: step, first, second, work) else { return nil }
          operand = scalar
        }
        guard let computed = unsafe step.pointee.operation.result(result, operand) else {
          return nil
        }
        result = computed
      }
      return result
    }
  }

  @inline(__always)
  private func operand(
    of step: UnsafePointer<Step>,
    _ first: Incoming,
    _ second: Incoming,
    _ work: Work?
  ) -> Scalar? {
    switch unsafe step.pointee.source {
    case .constant: unsafe step.pointee.constant
    case .first: Scalar(first, work)
    case .second: Scalar(second, work)
    case .memberOfFirst: unsafe member(step, of: first, work)
    case .memberOfSecond: unsafe member(step, of: second, work)
    // A prefix operator has no second operand.
    case .none: .null
    case .popped: nil
    }
  }
}

extension ScalarSteps.Operation {
  /// What a step makes of the result so far and its operand; `nil` if that needs a closer look.
  @inline(__always)
  fileprivate func result(_ a: Scalar, _ b: Scalar) -> Scalar? {
    switch self {
    case .load: return b
    case .plus: return Plus.scalars(a, b)
    case .minus: return Minus.scalars(a, b)
    case .times: return Times.scalars(a, b)
    case .over: return Over.scalars(a, b)
    case .remainder: return Remainder.scalars(a, b)
    case .less: return Less.scalars(a, b)
    case .greater: return Greater.scalars(a, b)
    case .lessOrEqual: return LessOrEqual.scalars(a, b)
    case .greaterOrEqual: return GreaterOrEqual.scalars(a, b)
    case .equal: return Equal.scalars(a, b)
    case .notEqual: return NotEqual.scalars(a, b)
    case .negate: return Arithmetic.negate(a)
    case .not:
      guard case .bool(let flag) = a else { return nil }
      return .bool(!flag)
    case .checkBool:
      guard case .bool = a else { return nil }
      return a
    case .push, .skip, .skipIfTrue, .skipIfFalse: return nil
    }
  }
}

extension ScalarSteps {
  /// A member, or whether it is the text that it is compared with.
  @inline(__always)
  private func member(
    _ step: UnsafePointer<Step>,
    of input: Incoming,
    _ work: Work?
  ) -> Scalar? {
    if unsafe step.pointee.text < Step.noText { return unsafe compared(step.pointee, input, work) }
    return unsafe heldPaths[Int(step.pointee.number)]._withUnsafeGuaranteedRef {
      $0.scalar(in: input, work)
    }
  }

  @inline(never)
  private func compared(_ step: Step, _ input: Incoming, _ work: Work?) -> Scalar? {
    let text = texts[Int(step.text)]
    return unsafe paths[Int(step.number)].withPlace(in: input, work) { place in
      guard let place = unsafe place, let string = unsafe JSONString(at: place) else {
        return .bool(false)
      }
      return .bool(string.isSame(as: text))
    }
  }
}

extension MemberPath {
  /// What the path leads to, if that is a scalar.
  @inline(never)
  fileprivate func scalar(in input: Incoming, _ work: Work?) -> Scalar? {
    if case .payload(let payload) = input,
      let scalar = work?.withKnownMembers({ unsafe $0.scalar(self, in: payload) })
    {
      return scalar
    }
    return unsafe withPlace(in: input, work) { unsafe $0.map(Scalar.init(at:)) ?? .null }
  }

  /// What was found, if that is a scalar or missing.
  func scalar(at found: MemberScan.Found) -> Scalar? {
    unsafe of(found) { unsafe $0.map(Scalar.init(at:)) ?? .null }
  }
}

extension Scalar {
  /// What comes into a stage, if it is one.
  @inline(__always)
  fileprivate init?(_ input: Incoming, _ work: Work?) {
    switch input {
    case .value(.raw(let raw)):
      guard let scalar = raw.bytes.withText(Scalar.init(whole:)) else { return nil }
      self = scalar
    case .value(let value):
      guard let scalar = Scalar(value) else { return nil }
      self = scalar
    case .payload(let payload):
      let known = work?.withKnownMembers { unsafe $0.scalar(of: payload) }
      guard let scalar = known ?? nil else { return nil }
      self = scalar
    }
  }
}

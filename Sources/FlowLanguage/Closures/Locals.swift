/// The values of a closure's parameters and `let` names, by number; the first two stand in place.
///
/// There is one for each value that comes, so it is never copied.
@safe  // memory 8
struct Locals: ~Copyable {
  private(set) var first = Value.null
  private var second = Value.null
  /// The values from number 2 on; most closures have none.
  private var others: [Value]?
  /// What the first or the second is to be made of, as long as nobody has needed it.
  private var payload: UnsafeRawBufferPointer?
  private var payloadNumber = 0
  private(set) var count = 0
  /// How many steps are left.
  private var steps = Price.most
  /// The work of the pipeline, which closures inside of this one charge that are run later.
  @safe unowned(unsafe) let work: Work?  // memory 3

  init() { work = nil }

  /// A locals for what is done when `work` begins.
  init(_ work: Work) { self.work = work }

  /// A locals for what is computed when a pipeline is defined.
  static var whenDefined: Locals {
    var locals = Locals()
    locals.steps = Price.mostWhenDefined
    return locals
  }

  /// A locals of a closure with one argument and nothing around it.
  @inline(__always)
  init(_ argument: Value, _ work: Work? = nil) {
    first = argument
    count = 1
    self.work = work
  }

  /// A locals of a closure with an argument behind what was there around it.
  @inline(__always)
  init(_ outer: Captured, _ argument: Value, _ work: Work? = nil) {
    self.init(outer.values.first ?? argument, work ?? outer.work)
    guard !outer.values.isEmpty else { return }
    for value in outer.values.dropFirst() { append(value) }
    append(argument)
  }

  /// A locals of a closure that is given what comes into a stage; a payload has to outlive it.
  @inline(__always)
  init(_ outer: Captured, _ input: Incoming, _ work: Work?) {
    guard outer.values.isEmpty, case .payload(let bytes) = input else {
      self.init(outer, input.value, work)
      return
    }
    self.init(.null, work)
    unsafe payload = unsafe bytes
  }

  /// A locals of a closure without arguments.
  init(_ outer: Captured) {
    work = outer.work
    for value in outer.values { append(value) }
  }

  /// The values that a closure has around it.
  struct Captured {
    fileprivate let values: [Value]
    let work: Work?

    /// The outermost value; null if there is none.
    var first: Value { values.first ?? .null }

    /// Charges what has been done in `locals`, which was made with this.
    @inline(__always)
    func charge(_ locals: borrowing Locals) { work?.charge(locals.spent) }
  }

  var captured: Captured {
    var values: [Value] = []
    for index in 0..<count { values.append(self[index]) }
    return Captured(values: values, work: work)
  }

  mutating func append(_ value: Value) {
    switch count {
    case 0: first = value
    case 1: second = value
    default:
      if others == nil { others = [] }
      others?.append(value)
    }
    count += 1
  }

  /// Appends what comes into a stage; a payload has to outlive the locals.
  @inline(__always)
  mutating func append(_ input: Incoming) {
    guard count == 1, unsafe payload == nil, case .payload(let bytes) = input else {
      return append(input.value)
    }
    unsafe payload = unsafe bytes
    payloadNumber = 1
    count = 2
  }

  /// Forgets all from number `length` on.
  mutating func truncate(to length: Int) {
    if count > 2, count > length { others?.removeLast(min(count - 2, count - length)) }
    if payloadNumber >= length { unsafe payload = nil }
    count = length
  }

  subscript(index: Int) -> Value {
    if let payload = unsafe payload(index) { return unsafe Value(bytes: payload) }
    return switch index {
    case 0: first
    case 1: second
    default: others?[index - 2] ?? .null
    }
  }

  /// The payload of the value with this number, as long as none has been made of it.
  @inline(__always)
  func payload(_ index: Int) -> UnsafeRawBufferPointer? {
    unsafe index == payloadNumber ? payload : nil
  }

  /// What comes of `steps` with the first two values.
  func result(of steps: ScalarSteps) -> Scalar? {
    let first: Incoming =
      if let payload = unsafe payload(0) { unsafe .payload(payload) } else { .value(first) }
    let second: Incoming =
      if let payload = unsafe payload(1) { unsafe .payload(payload) } else { .value(second) }
    return steps.result(first, and: second, work)
  }

  /// The value with this number, decoded once however often it is looked into.
  mutating func decoded(_ index: Int) -> Value {
    if let payload = unsafe payload(index) {
      unsafe self.payload = nil
      steps -= Price.decoding(payload.count)
      let value = unsafe Undecoded.value(of: payload)
      if index == 0 { first = value } else { second = value }
      return value.decoded
    }
    switch self[index] {
    case .raw(let raw):
      steps -= Price.decoding(raw.bytes.count)
      let value = raw.value
      switch index {
      case 0: first = value
      case 1: second = value
      default: others?[index - 2] = value
      }
      return value.decoded
    case .number(let number):
      steps -= Price.bytes(number.text.utf8.count)
      return number.value
    case let value: return value
    }
  }

  /// Takes steps; `Price` says how many.
  @inline(__always)
  mutating func spend(_ steps: Int) throws(EvaluationError) {
    self.steps -= steps
    guard self.steps >= 0 else {
      throw .limit("took more than \(Price.most) steps")
    }
  }

  /// The steps that were taken.
  var spent: Int { Price.most - steps }

  /// Decodes `value`, leaves its numbers as they are spelled, and charges for the work.
  mutating func spell(_ value: Value) throws(EvaluationError) -> Value {
    try spend(Price.decoding(value))
    return value.spelled
  }

  /// `value` decoded, for what that costs.
  @inline(__always)
  mutating func decode(_ value: Value) throws(EvaluationError) -> Value {
    try spend(Price.decoding(value))
    return value.decoded
  }
}

/// What can go wrong while a closure runs.
enum EvaluationError: Error {
  /// The closure cannot be computed with these values.
  case fault(String)
  /// The closure said `fail("text")`.
  case failed(String)
  /// It would take too long.
  case limit(String)

  var text: String {
    switch self {
    case .fault(let text), .failed(let text), .limit(let text): text
    }
  }
}

/// A compiled expression.
typealias Evaluation = (inout Locals) throws(EvaluationError) -> Value

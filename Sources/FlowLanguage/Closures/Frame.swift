/// The values of a closure's parameters and `let` names, by number; the first two stand in place.
///
/// There is one for each value that comes, so it is never copied.
struct Frame: ~Copyable {
  private(set) var first = Value.null
  private var second = Value.null
  /// The values from number 2 on; most closures have none.
  private var others: [Value]?
  /// What the first is to be made of, as long as nobody has needed it.
  private var payload: UnsafeRawBufferPointer?
  private(set) var count = 0
  /// How many steps are left.
  private var steps = mostSteps

  /// The most steps that may be taken for one value.
  static let mostSteps = 1_000_000

  init() {}

  /// A frame of a closure with one argument and nothing around it.
  @inline(__always)
  init(_ argument: Value) {
    first = argument
    count = 1
  }

  /// A frame of a closure with an argument behind what was there around it.
  @inline(__always)
  init(_ outer: Captured, _ argument: Value) {
    self.init(outer.values.first ?? argument)
    guard !outer.values.isEmpty else { return }
    for value in outer.values.dropFirst() { append(value) }
    append(argument)
  }

  /// A frame of a closure that is given what comes into a stage; a payload has to outlive it.
  @inline(__always)
  init(_ outer: Captured, _ input: Incoming) {
    guard outer.values.isEmpty, case .payload(let octets) = input else {
      self.init(outer, input.value)
      return
    }
    self.init()
    payload = octets
    count = 1
  }

  /// A frame of a closure without arguments.
  init(_ outer: Captured) {
    for value in outer.values { append(value) }
  }

  /// The values that a closure has around it.
  struct Captured {
    fileprivate let values: [Value]
  }

  var captured: Captured {
    var values: [Value] = []
    for index in 0..<count { values.append(self[index]) }
    return Captured(values: values)
  }

  mutating func append(_ value: Value) {
    switch count {
    case 0:
      first = value
      payload = nil
    case 1: second = value
    default:
      if others == nil { others = [] }
      others?.append(value)
    }
    count += 1
  }

  /// Forgets all from number `length` on.
  mutating func truncate(to length: Int) {
    if count > 2, count > length { others?.removeLast(min(count - 2, count - length)) }
    count = length
  }

  subscript(index: Int) -> Value {
    switch index {
    case 0: payload.map { Value(octets: $0) } ?? first
    case 1: second
    default: others?[index - 2] ?? .null
    }
  }

  /// The payload of the value with this number, as long as none has been made of it.
  func payload(_ index: Int) -> UnsafeRawBufferPointer? { index == 0 ? payload : nil }

  /// The value with this number, decoded once however often it is looked into.
  mutating func decoded(_ index: Int) -> Value {
    if index == 0, let payload {
      self.payload = nil
      first = Undecoded.value(of: payload)
      return first.decoded
    }
    switch self[index] {
    case .raw(let raw):
      let value = raw.value
      switch index {
      case 0: first = value
      case 1: second = value
      default: others?[index - 2] = value
      }
      return value.decoded
    case .number(let number): return number.value
    case let value: return value
    }
  }

  /// Takes steps: one for each part of a closure that runs for each element, one for 64 octets.
  mutating func spend(_ steps: Int) throws(Trouble) {
    self.steps -= steps
    guard self.steps >= 0 else {
      throw .fault("it took more than \(Self.mostSteps) steps")
    }
  }

  /// Takes the steps that looking at all of `value` costs.
  mutating func spend(on value: Value) throws(Trouble) {
    try spend(1 + Int(value.extent.octets) / 64)
  }
}

/// What can go wrong while a closure runs.
enum Trouble: Error {
  /// The closure can not be computed with these values.
  case fault(String)
  /// The closure said `fail("text")`.
  case failed(String)

  var text: String {
    switch self {
    case .fault(let text), .failed(let text): text
    }
  }
}

/// A compiled expression.
typealias Evaluation = (inout Frame) throws(Trouble) -> Value

/// The values of a closure's parameters and `let` names, by number; the first two stand in place.
struct Frame {
  private var first = Value.null
  private var second = Value.null
  private var others: [Value] = []
  private(set) var count = 0

  init() {}

  /// A frame of a closure with the arguments appended to what was there around it.
  init(_ outer: Frame, _ argument: Value) {
    self = outer
    append(argument)
  }

  mutating func append(_ value: Value) {
    switch count {
    case 0: first = value
    case 1: second = value
    default: others.append(value)
    }
    count += 1
  }

  /// Forgets all from number `length` on.
  mutating func truncate(to length: Int) {
    if count > 2, count > length { others.removeLast(min(others.count, count - length)) }
    count = length
  }

  subscript(index: Int) -> Value {
    switch index {
    case 0: first
    case 1: second
    default: others[index - 2]
    }
  }

  /// The value with this number, decoded once however often it is looked into.
  mutating func decoded(_ index: Int) -> Value {
    guard case .raw = self[index] else { return self[index] }
    let value = self[index].decoded
    switch index {
    case 0: first = value
    case 1: second = value
    default: others[index - 2] = value
    }
    return value
  }
}

/// What can go wrong while a closure runs.
enum Trouble: Error {
  /// The closure can not be computed with these values.
  case fault(String)
  /// The closure said `fail("text")`.
  case failed(String)
}

/// A compiled expression.
typealias Evaluation = (inout Frame) throws(Trouble) -> Value

/// Names that can be used where an expression stands, innermost last.
struct Scope {
  /// The name of each number of the frame; parameters without a name are `$0`, `$1`, ….
  private(set) var names: [String] = []

  func number(of name: String) -> Int? { names.lastIndex(of: name) }

  func adding(_ new: [String]) -> Scope {
    var scope = self
    scope.names += new
    return scope
  }
}

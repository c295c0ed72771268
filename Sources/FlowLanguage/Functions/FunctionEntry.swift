/// What there is to know about one function or property of values.
///
/// A class, since every member that a closure asks for knows its property.
public final class FunctionEntry: Sendable {
  /// The name, as in the text of a closure.
  public let name: String
  /// How it is written, with its labels.
  public let signature: String
  /// What it gives, in one line.
  public let summary: String
  /// An expression that uses it.
  public let example: String
  /// What the example gives, as JSON.
  public let result: String
  /// Where it stands.
  public let role: Role

  /// How something is asked of a value.
  public enum Role: Sendable {
    /// Behind a dot.
    case property
    /// Behind a dot, with parentheses or a closure.
    case method
    /// By itself, with arguments.
    case function
    /// By itself, without arguments.
    case value
  }

  /// What may stand before the dot.
  let receiver: Kinds
  let parameters: [Parameter]
  /// What the result may be.
  let gives: Kinds
  let body: Body
  /// What it does with what it is given, but for the closure.
  let work: Price.Work
  /// What the elements are, if it gives an array.
  let elements: Elements

  init(
    name: String,
    signature: String,
    summary: String,
    example: String,
    result: String,
    role: Role,
    receiver: Kinds,
    parameters: [Parameter],
    gives: Kinds,
    body: Body,
    work: Price.Work,
    elements: Elements = .any
  ) {
    self.name = name
    self.signature = signature
    self.summary = summary
    self.example = example
    self.result = result
    self.role = role
    self.receiver = receiver
    self.parameters = parameters
    self.gives = gives
    self.body = body
    self.work = work
    self.elements = elements
  }

  /// An argument.
  struct Parameter: Sendable {
    let label: String?
    let form: Form
    /// What a value has to be besides being of its kinds; as said of it in an error.
    var bounds: (@Sendable (Value) -> String?)?
    /// Whether numbers are passed as they are spelled, because the function hands on or writes them.
    var keepsSpelling = false

    enum Form: Equatable {
      case value(Kinds)
      /// A closure that has to make something of these kinds.
      case closure(arity: Int, makes: Kinds)
      /// `/…/`
      case pattern
    }
  }

  /// What the elements of an array are.
  enum Elements {
    case any
    /// Those of the array before the dot.
    case same
    /// Arrays of two.
    case pairs
    /// Objects of `offset` and `element`.
    case numbered
  }

  /// What is done: with the value before the dot, if any, then the arguments.
  enum Body: Sendable {
    case unary(@Sendable (Value) throws(EvaluationError) -> Value)
    case binary(@Sendable (Value, Value) throws(EvaluationError) -> Value)
    case ternary(@Sendable (Value, Value, Value) throws(EvaluationError) -> Value)
    /// Any number of arguments from one on.
    case several(@Sendable ([Value]) throws(EvaluationError) -> Value)
    case closure(@Sendable (Value, InnerClosure, inout Locals) throws(EvaluationError) -> Value)
    case folding(
      @Sendable (Value, Value, InnerClosure, inout Locals) throws(EvaluationError) -> Value
    )
    /// Needs no value.
    case alone(@Sendable (inout Locals) throws(EvaluationError) -> Value)
    case pattern(
      @Sendable (Value, RegularExpression, inout Locals) throws(EvaluationError) -> Value
    )
    case replacement(
      @Sendable (Value, RegularExpression, Value, inout Locals) throws(EvaluationError) -> Value
    )
    case rewriting(
      @Sendable (Value, RegularExpression, InnerClosure, inout Locals) throws(EvaluationError)
        -> Value
    )
  }

  /// The value of a property.
  func call(_ value: Value, _ locals: inout Locals) throws(EvaluationError) -> Value {
    guard case .unary(let body) = body else {
      preconditionFailure("the property \(name) needs more than one value")
    }
    try locals.spend(Price.steps(work, on: value))
    return try body(value)
  }
}

/// A closure that a function calls for each element.
struct InnerClosure {
  let body: Evaluation
  /// How many steps one call takes.
  let cost: Int

  func callAsFunction(_ value: Value, _ locals: inout Locals) throws(EvaluationError) -> Value {
    try locals.spend(cost)
    let length = locals.count
    locals.append(value)
    defer { locals.truncate(to: length) }
    return try body(&locals)
  }

  func callAsFunction(
    _ first: Value,
    _ second: Value,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Value {
    try locals.spend(cost)
    let length = locals.count
    locals.append(first)
    locals.append(second)
    defer { locals.truncate(to: length) }
    return try body(&locals)
  }

  /// Whether the closure gives true.
  func isTrue(_ value: Value, _ name: String, _ locals: inout Locals) throws(EvaluationError)
    -> Bool
  {
    let result = try self(value, &locals)
    return try Arithmetic.truth(locals.decode(result), name)
  }

  /// Whether the closure gives true for two values.
  func isTrue(
    _ first: Value,
    _ second: Value,
    _ name: String,
    _ locals: inout Locals
  ) throws(EvaluationError) -> Bool {
    let result = try self(first, second, &locals)
    return try Arithmetic.truth(locals.decode(result), name)
  }
}

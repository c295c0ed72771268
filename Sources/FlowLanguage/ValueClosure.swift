/// A closure of one value by itself, checked and compiled.
public struct ValueClosure {
  private let text: String
  private let body: ClosureBody
  /// Its time stands still at the beginning of 1970.
  private let work = Work(TimeSlice(limit: .max, spent: { 0 }, askForTurn: {}))
  private let outer: Locals.Captured

  /// Parses, checks and compiles `text`, which is a closure or key path.
  ///
  /// - Throws: what is wrong with the text, and where.
  public init(_ text: String) throws(Diagnostic) {
    let syntax = try Parser.parse(text, isName: { _ in false })
    let compiler = Compiler(characters: Array(text), lookup: { _ in nil }, names: { [] })
    body = try compiler.function(syntax, of: [.any], in: Scope())
    self.text = text
    outer = Locals(work).captured
  }

  /// What the closure makes of `value`.
  ///
  /// - Throws: why it cannot be computed.
  public func callAsFunction(_ value: Value) throws(PipelineFailure) -> Value {
    do throws(EvaluationError) {
      return try body.value(outer, .value(value), nil)
    } catch {
      throw PipelineFailure(error, stage: text, value: value)
    }
  }
}

package import FlowCore

/// What stands in for the workers of a service in a test: it makes a publisher of each call.
public struct ServiceClosure {
  private let text: String
  private let body: PublisherFactory

  /// Parses, checks and compiles `text`, a closure that ends in a publisher.
  ///
  /// - Parameters:
  ///   - text: the closure.
  ///   - lookup: what a name stands for, if anything.
  ///   - names: all names there are, for suggestions.
  /// - Throws: what is wrong with the text, and where.
  public init(
    _ text: String,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String]
  ) throws(Diagnostic) {
    let syntax = try Parser.parse(text, isName: { lookup($0) != nil })
    let compiler = Compiler(characters: Array(text), lookup: lookup, names: names)
    body = try compiler.whole { () throws(Diagnostic) in
      try compiler.publisherFunction(syntax, of: [.any], in: Scope())
    }.source
    self.text = text
  }

  /// The answer to a call with `argument`.
  package func answer(
    to argument: Value,
    in context: any PipelineContext
  ) -> AnyPublisher<Value, PipelineFailure> {
    var locals = Locals(argument, context.work)
    defer { context.work.charge(locals.spent) }
    do throws(EvaluationError) {
      return try body(&locals, context)
    } catch {
      return .failing(PipelineFailure(error, stage: text, value: argument))
    }
  }
}

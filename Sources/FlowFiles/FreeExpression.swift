public import FlowLanguage

/// A pipeline by itself: every name that it begins with is taken for a subject.
public struct FreeExpression {
  /// The stages, with the ending if it has one.
  public let explanation: Explanation
  public let stages: [StageDescription]

  /// Compiles `text`, a pipeline or what a RUN has behind its `=`.
  public init(_ text: String) throws(Diagnostic) {
    do throws(Diagnostic) {
      try self.init(text, typesBeginUppercase: false)
    } catch {
      // A name as of a type may be none of a subject, as in `MyError.closed`.
      guard let other = try? FreeExpression(text, typesBeginUppercase: true) else { throw error }
      self = other
    }
  }

  private init(_ text: String, typesBeginUppercase: Bool) throws(Diagnostic) {
    let lookup = { (name: String) -> NamedSource? in
      let isType = typesBeginUppercase && name.first?.isUppercase ?? false
      let isNoName = OperatorTable.entry(name) != nil || OperatorTable.isForeign(name)
      return isNoName || name.contains("-") || isType ? nil : .subject
    }
    let pipeline: Pipeline
    do throws(Diagnostic) {
      pipeline = try Pipeline(text, lookup: lookup, names: { [] })
    } catch {
      guard let standing = try? StandingPipeline(text, lookup: lookup, names: { [] }) else {
        throw error
      }
      explanation = standing.explanation
      stages = standing.pipeline.stages + [standing.lastStage]
      return
    }
    explanation = pipeline.explanation
    stages = pipeline.stages
  }
}

extension Definition {
  /// What each stage does with demand; a subject has none.
  public var explanation: Explanation? {
    switch content {
    case .pipeline(let pipeline): pipeline.explanation
    case .run(let standing): standing.explanation
    case .subject, .broken: nil
    }
  }
}

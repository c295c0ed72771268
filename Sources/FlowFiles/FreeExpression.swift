public import FlowLanguage

/// A pipeline by itself: every name that it begins with is taken for a subject.
public struct FreeExpression {
  /// The stages, with the ending if it has one.
  public let explanation: Explanation
  public let stages: [StageDescription]

  /// Compiles `text`, a pipeline or what a RUN has behind its `=`.
  public init(_ text: String) throws(Diagnostic) {
    let lookup = { (name: String) in
      OperatorTable.entry(name) == nil && !name.contains("-") ? NamedSource.subject : nil
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

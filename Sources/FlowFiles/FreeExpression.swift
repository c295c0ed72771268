public import FlowLanguage

/// A pipeline by itself: every name that it begins with is taken for a subject.
public struct FreeExpression {
  /// The stages, with the ending if it has one.
  public let explanation: Explanation
  public let stages: [StageDescription]
  /// The names that it reads.
  public let names: [String]

  /// Compiles `text`, a pipeline or what a RUN has behind its `=`.
  public init(_ text: String) throws(Diagnostic) {
    do throws(Diagnostic) {
      try self.init(text, typesBeginUppercase: false)
    } catch {
      // A name as of a type may be none of a subject, as in `MyError.closed`.
      if let other = try? FreeExpression(text, typesBeginUppercase: true) {
        self = other
        return
      }
      throw Self.withoutSubject(error, text)
    }
  }

  /// What is wrong where a value is needed if the name there is that of no subject.
  private static func withoutSubject(_ error: Diagnostic, _ text: String) -> Diagnostic {
    if error.kind == .combinesPublishers { return error }
    let name = text.dropFirst(error.offset).prefix {
      $0.isLetter || $0.isNumber || "_$".contains($0)
    }
    do throws(Diagnostic) {
      _ = try FreeExpression(text, typesBeginUppercase: false, but: String(name))
    } catch let other where other.offset == error.offset && other.all.count <= error.all.count {
      // With more mistakes, the name is read as a subject elsewhere.
      return other
    } catch {}
    return error
  }

  private init(
    _ text: String,
    typesBeginUppercase: Bool,
    but missing: String? = nil
  ) throws(Diagnostic) {
    let lookup = { (name: String) -> NamedSource? in
      guard name != missing else { return nil }
      if let pattern = NamedSource.pattern(name) { return pattern }
      let isType = typesBeginUppercase && name.first?.isUppercase ?? false
      let isNoName = OperatorTable.entry(name) != nil || OperatorTable.isForeign(name)
      return isNoName || name.contains("-") || isType ? nil : .subject
    }
    let pipeline: Pipeline
    do throws(Diagnostic) {
      pipeline = try Pipeline(text, lookup: lookup, names: { [] })
    } catch {
      let standing: RunDefinition
      do throws(Diagnostic) {
        standing = try RunDefinition(text, lookup: lookup, names: { [] })
      } catch let other {
        let isRun = error.endsRun && !other.endsRun
        throw isRun ? other : error
      }
      explanation = standing.explanation
      stages = standing.pipeline.stages + [standing.lastStage]
      names = standing.pipeline.subjects
      return
    }
    explanation = pipeline.explanation
    stages = pipeline.stages
    names = pipeline.subjects
  }
}

extension Diagnostic {
  /// Whether the text has the end of a run where a stage of a pipeline should be.
  fileprivate var endsRun: Bool { all.contains { $0.kind == .endsRun } }
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

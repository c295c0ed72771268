import Spelling

/// What `$name` stands for in the closures of a stage.
enum NameOfSource {
  /// The one subject that is read.
  case subject(String)
  /// Of the subjects that fit a pattern the one that the value comes from.
  case pattern(Use)
  /// Values have lost their names in a stage, written so, which hands them on later or as others.
  case lost(in: String)
  /// The author of the text may not read all that the pipeline of this name reads; the second value
  /// is what the others know.
  indirect case hidden(in: String, NameOfSource)
  /// The source is no subject.
  case none
  /// The source is written wrong.
  case unknown

  /// Whether somebody asks for the names of what a pattern reads; otherwise they are not noted.
  final class Use {
    var isUsed = false
  }

  /// What is known behind a stage.
  func behind(_ entry: OperatorEntry, _ text: String) -> NameOfSource {
    if case .hidden(let name, let source) = self {
      return .hidden(in: name, source.behind(entry, text))
    }
    if entry.traits.contains(.keepsName) { return self }
    return isKnown ? .lost(in: text) : self
  }

  /// What the closures of a stage know.
  func inside(_ entry: OperatorEntry, _ text: String) -> NameOfSource {
    if !entry.traits.isDisjoint(with: [.keepsName, .seesName]) { return self }
    return isKnown ? .lost(in: text) : self
  }

  private var isKnown: Bool {
    switch self {
    case .subject, .pattern: true
    case .lost, .hidden, .none, .unknown: false
    }
  }

  /// The source without `hidden`: for someone who may know what every pipeline reads.
  var known: NameOfSource { if case .hidden(_, let source) = self { source } else { self } }

  /// Whether each value may have another name.
  var varies: Bool { if case .pattern = self { true } else { false } }
}

extension ValueCompiler {
  /// `$name`: the name of the subject that the value comes from.
  func nameOfSource(at range: Range<Int>, in scope: Scope) throws(Diagnostic) -> Operand {
    switch scope.nameOfSource {
    case .subject(let name): return .constant(.string(name))
    case .unknown: return .constant(.string(""))
    case .pattern(let use):
      use.isUsed = true
      return Operand(
        kinds: .string,
        form: .computed(
          { (locals) throws(EvaluationError) in locals.work?.nameOfSource ?? .null },
          isDecoded: true
        )
      )
    case .lost(let stage):
      let text = stage.excerpt(40)
      throw Diagnostic(
        "$name is lost in \(text), which does not hand on each value at once;"
          + " put map { [\"name\": $name, \"value\": $0] } before it",
        at: range
      )
    case .hidden(let pipeline, _):
      let text = "$name cannot be used here: this token may not read all that \(pipeline) reads"
      throw Diagnostic(text, at: range)
    case .none:
      throw Diagnostic(
        "$name is the name of the subject that a value comes from, and the source here is none",
        at: range
      )
    }
  }
}

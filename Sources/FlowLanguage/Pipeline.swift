public import FlowCore
import Spelling

/// A pipeline's text, checked and compiled.
public final class Pipeline {
  /// The text as written.
  public let text: String
  let compiled: Compiled
  /// All that it names.
  public let names: MentionedNames
  /// The subject's name if the text is nothing else.
  public let isPlainSubject: String?
  /// How many stages there are, those of inlined pipelines included.
  let depth: Int
  /// The pipeline that its text is a name of, if it is nothing else.
  private let named: Pipeline?
  /// Its stages as they are shown where its name stands in other texts: one array for all of them.
  private var elsewhere: (name: String, stages: [StageDescription])?
  /// How many sources there are, those of inlined pipelines included.
  let sources: Int
  /// The steps of the regular expressions of its own text.
  private let patternSteps: Int
  /// What whoever has it keeps with it.
  package var companion: AnyObject?
  /// Who looks on at what its stages send, in each of its runs.
  package var viewers: [Int: any StageViewer] = [:]
  /// What its runs have left out lately.
  public let leftOut = LeftOutValues()
  /// What is left of runs that have ended.
  public internal(set) var history = RunHistory()

  /// Parses, checks and compiles `text`.
  ///
  /// - Parameters:
  ///   - text: the expression.
  ///   - name: what it is to be called, which it cannot read.
  ///   - lookup: what a name stands for, if anything.
  ///   - names: all names there are, for suggestions.
  /// - Throws: what is wrong with the text, and where: the first mistake, with the others.
  public convenience init(
    _ text: String,
    named name: String? = nil,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String]
  ) throws(Diagnostic) {
    let syntax = try Parser.stages(text, isName: { $0 == name || lookup($0) != nil })
    try self.init(syntax, of: Array(text), text: text, named: name, lookup: lookup, names: names)
  }

  /// The same, of which a context may record each stage.
  package convenience init(
    recording text: String,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String]
  ) throws(Diagnostic) {
    let syntax = try Parser.stages(text, isName: { lookup($0) != nil })
    try self.init(
      syntax,
      of: Array(text),
      text: text,
      named: nil,
      lookup: lookup,
      names: names,
      isRecorded: true
    )
  }

  /// Checks and compiles what stands for `syntax` in a text of `characters`.
  init(
    _ syntax: Syntax,
    of characters: [Character],
    text: String,
    named name: String?,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String],
    isRecorded: Bool = false
  ) throws(Diagnostic) {
    let compiler = Compiler(
      characters: characters,
      name: name,
      lookup: lookup,
      names: names,
      isRecorded: isRecorded
    )
    var compiled = try compiler.whole { () throws(Diagnostic) in
      try compiler.compile(syntax, in: Scope())
    }
    self.text = text
    self.names = MentionedNames(compiled.mentions)
    depth = compiler.size.stages
    sources = compiler.size.sources
    patternSteps = compiler.size.patternSteps
    let meant: NamedSource? = if case .name(let name) = syntax.kind { lookup(name) } else { nil }
    isPlainSubject = if case .subject? = meant { compiled.mentions.subjects.first } else { nil }
    let other: Pipeline? =
      switch meant {
      case .pipeline(let pipeline)?, .opaque(let pipeline)?: pipeline.root
      default: nil
      }
    named = other
    // A copy has room for no more stages, as those may; those of another pipeline are not copied.
    if other == nil { compiled.stages = compiled.stages.map(\.self) }
    compiled.mentions.endCompiling()
    compiled.chain = nil
    self.compiled = compiled
  }

  /// The stages, of which the first is the source; those of inlined pipelines included.
  public var stages: [StageDescription] { compiled.stages }
  /// The subjects it reads, those of inlined pipelines included.
  public var subjects: [String] { compiled.mentions.subjects }
  /// The patterns of names that it reads, those of inlined pipelines included.
  public var patterns: [SubjectSet] { compiled.mentions.patterns }
  /// The services that its own text asks.
  public var services: [String] { compiled.mentions.services }
  /// Whether its own text writes into the log.
  public var prints: Bool { compiled.mentions.prints }
  /// Whether it may read a subject in more than one way.
  var repeats: Bool { compiled.mentions.repeats }
  var sharings: [Shared] { compiled.mentions.sharings }
  var shares: [SharedStages] { compiled.shares }

  /// The pipeline that runs: another one if the text is nothing but its name.
  var root: Pipeline { named ?? self }

  /// All that it names: what it reads and whom it asks, over any number of pipelines.
  public var mentions: [String] { names.all }

  /// Its stages where `name`, which stands for it, is written in another text.
  func stagesElsewhere(called name: String) -> [StageDescription] {
    if let elsewhere, elsewhere.name == name { return elsewhere.stages }
    let areOthers = stages.allSatisfy { $0.pipeline != nil }
    let shown = areOthers ? stages : stages.map { $0.inlined(from: name) }
    elsewhere = (name, shown)
    return shown
  }

  /// About what it takes in memory, compiled: some 80 bytes for each one of its text, as measured with
  /// long closures, and 6 for each one of a literal text; 64 for a step of a regular expression.
  public var bytes: Int {
    // The rows of the stages of others are copied, where there are some of its own behind them.
    let copies = named == nil ? stages.count * MemoryLayout<StageDescription>.stride : 0
    let rest = 64 * patternSteps + copies
    var (code, literal) = (0, 0)
    var isInside = false
    var isEscaped = false
    for unit in text.utf8 {
      if unit == UInt8(ascii: "\""), !isEscaped { isInside.toggle() }
      // What is interpolated is code, whatever stands around it.
      if isEscaped, unit == UInt8(ascii: "(") {
        return 1024 + 80 * text.utf8.count + rest
      }
      isEscaped = unit == UInt8(ascii: "\\") && !isEscaped
      if isInside { literal += 1 } else { code += 1 }
    }
    return 1024 + 80 * code + 6 * literal + rest
  }

  /// About what a subscription takes in memory before it holds a value, but for what runs once for all.
  public func price(isCounted: Bool) -> Int {
    compiled.price + (isCounted ? compiled.priceOfCounting : 0)
  }

  /// How many steps of a `TimeSlice` it takes to open a subscription, if they are many.
  public var stepsToOpen: Int { Price.opening(compiled.price) }

  /// Makes a fresh chain of stages, except that a `share` is one for all calls.
  public func publisher(in context: any PipelineContext) -> AnyPublisher<Value, PipelineFailure> {
    var locals = Locals(context.work)
    defer { context.work.charge(locals.spent) }
    do {
      return try compiled.source(&locals, context)
    } catch {
      return Fail(error: PipelineFailure(error)).eraseToAnyPublisher()
    }
  }
}

extension PipelineFailure {
  /// The failure of a stage, which leaves out a value that its closure has no answer for if it
  /// `leavesOut` such values.
  init(
    _ trouble: EvaluationError,
    stage: String? = nil,
    value: Value? = nil,
    leavesOut: Bool = false
  ) {
    switch trouble {
    case .failed(let text): self = .stage(text)
    case .fault(let text), .limit(let text):
      let stage = stage?.excerpt(200)
      var message = stage.map { "\($0): \(text)" } ?? text
      if let value { message += "; the value is \(value.excerpt())" }
      self = if case .limit = trouble { .limit(message) } else { .stage(message) }
      guard let stage, leavesOut || value != nil else { return }
      cause = NoAnswer(stage: stage, reason: text, value: value, isLeftOut: leavesOut)
    }
  }
}

import FlowCore
import Spelling

typealias Stream = AnyPublisher<Value, PipelineFailure>

/// Makes the publisher an expression stands for, in a locals of the closures around it.
typealias PublisherFactory = (inout Locals, any PipelineContext) throws(EvaluationError) -> Stream

/// Makes publishers of a pipeline's tree.
struct Compiler {
  let characters: [Character]
  /// What the pipeline is to be called.
  let name: String?
  let lookup: (String) -> NamedSource?
  let names: () -> [String]
  /// Whether what it makes can be recorded, stage by stage; that takes a little more.
  let isRecorded: Bool
  let size = PipelineSize()
  /// The mistakes found so far in what it has continued after.
  private let mistakes = Mistakes()

  init(
    characters: [Character],
    name: String? = nil,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String],
    isRecorded: Bool = false
  ) {
    self.characters = characters
    self.name = name
    self.lookup = lookup
    self.names = names
    self.isRecorded = isRecorded
  }

  /// Compiles a whole text by `body`.
  ///
  /// - Throws: the first mistake, with the others.
  func whole<Result>(_ body: () throws(Diagnostic) -> Result) throws(Diagnostic) -> Result {
    let result: Result
    do throws(Diagnostic) {
      result = try body()
    } catch {
      try mistakes.check(error)
      throw error
    }
    try mistakes.check()
    return result
  }

  /// Compiles a publisher that others stand behind or beside.
  ///
  /// After a mistake it returns a publisher of unknown values, so that the mistakes in those others
  /// are found, too.
  func recovering(
    from syntax: Syntax,
    _ body: () throws(Diagnostic) -> Compiled
  ) throws(Diagnostic) -> Compiled {
    do throws(Diagnostic) {
      return try body()
    } catch {
      guard mistakes.add(error) else { throw error }
      return .unknown(text(syntax.range), at: syntax.range)
    }
  }

  func values(in scope: Scope) -> ValueCompiler {
    ValueCompiler(size: size) { [lookup, publishers = scope.publishers] name in
      publishers[name] != nil || lookup(name) != nil
    }
  }

  /// Makes a source of an expression that stands for a publisher.
  func compile(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Compiled {
    switch syntax.kind {
    case .name(let name): return try named(name, at: syntax.range, in: scope)
    case .parameter(let index) where isPublisher("$\(index)", in: scope):
      return try named("$\(index)", at: syntax.range, in: scope)
    case .call(let callee, let arguments):
      return try call(callee, arguments, at: syntax.range, in: scope)
    case .member(let base, let name): return try member(base, name, in: scope)
    case .choice(let condition, let yes, let no):
      let stage = try choice(condition, yes, no, in: scope)
      return compiled(stage, of: nil, [], at: syntax.range, in: scope)
    case .selection(let selection):
      let stage = try self.selection(selection, in: scope)
      return compiled(stage, of: nil, [], at: syntax.range, in: scope)
    default: throw noPublisher(syntax, in: scope)
    }
  }

  func text(_ range: Range<Int>) -> String { String(characters[range]) }

  /// Whether this is a value of the closure, or a part of one.
  func isMember(_ syntax: Syntax, in scope: Scope) -> Bool {
    switch syntax.kind {
    case .name(let name): scope.number(of: name) != nil
    case .parameter(let index): scope.number(of: "$\(index)") != nil
    case .member(let base, _), .element(let base, _): isMember(base, in: scope)
    default: false
    }
  }

  func noPublisher(_ syntax: Syntax, in scope: Scope) -> Diagnostic {
    let message = "expected a publisher, found a value"
    let text = text(syntax.range)
    var suggestion: String? = "Just(\(text))"
    switch syntax.kind {
    case .array(let elements):
      let hasPublishers = elements.contains { isPublisher($0, in: scope) }
      suggestion = hasPublishers ? String(text.dropFirst().dropLast()) : "\(text).publisher"
    case .infix(let sign, let low, let high) where sign.hasPrefix(".."):
      let end = if case .member(let base, _) = high.kind { base.range } else { high.range }
      suggestion = "(\(self.text(low.range.lowerBound..<end.upperBound))).publisher"
    case .infix(let sign, let left, let right)
    where isPublisher(left, in: scope) || isPublisher(right, in: scope):
      return .combiningPublishers(with: sign, at: syntax.range)
    case .prefix, .element:
      if syntax.children.contains(where: { isPublisher($0, in: scope) }) { suggestion = nil }
    case .closure, .keyPath, .implicitMember: suggestion = nil
    default: break
    }
    return Diagnostic(
      message,
      at: syntax.range,
      suggestion: suggestion.flatMap { $0.count > 60 ? nil : $0 }
    )
  }

  private func named(
    _ name: String,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    var compiled = try unrecorded(name, at: range, in: scope)
    guard isRecorded else { return compiled }
    let chain = StageChain()
    compiled.source =
      compiled.chain == nil
      ? Self.recorded(compiled.source, in: chain, at: 0, isPlainSource: true)
      : Self.inlined(compiled.source, in: chain)
    compiled.chain = chain
    return compiled
  }

  /// What a name stands for.
  private func unrecorded(
    _ name: String,
    at range: Range<Int>,
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    if scope.number(of: name) != nil {
      throw Diagnostic(
        "expected a publisher, found the value \"\(name.excerpt())\"",
        at: range,
        suggestion: "Just(\(name))"
      )
    }
    if let local = scope.publishers[name] { return local }
    guard name != self.name else {
      let message = "\(name) would read itself; a pipeline can read only what is defined before it"
      throw Diagnostic(message, at: range)
    }
    let source = lookup(name)
    switch source {
    case .subject:
      try size.add(sources: 1, at: range)
      return Compiled(
        source: { (_, context) throws(EvaluationError) in
          context.subject(name, counters: context.counters)
        },
        kinds: .any,
        stages: [
          StageDescription(
            text: name,
            demand: .source(ends: "with the subject"),
            range: range,
            delay: nil
          )
        ],
        mentions: Mentions(subjects: [name]),
        nameOfSource: .subject(name),
        price: StagePrice.subject,
        priceOfCounting: StagePrice.counter
      )
    case .subjects(let set):
      try size.add(sources: PipelineSize.sourcesOfPattern, at: range)
      return pattern(set, at: range)
    case .newSubjects(let set):
      try size.add(sources: PipelineSize.sourcesOfPattern, at: range)
      return newNames(set, at: range)
    case .pipeline(let pipeline), .opaque(let pipeline):
      var compiled = pipeline.compiled
      let known = compiled.nameOfSource.known
      let isOpaque = if case .opaque = source { true } else { false }
      try size.add(stages: pipeline.depth, at: range)
      try size.add(sources: pipeline.sources, at: range)
      // Of a row of names that stand for one another, the one that has a text is run.
      let root = pipeline.root
      compiled.source = { (_, context) throws(EvaluationError) in root.publisher(in: context) }
      compiled.stages = pipeline.stagesElsewhere(called: name)
      compiled.mentions = Mentions(pipeline, named: name)
      compiled.chain = isRecorded ? StageChain() : nil
      compiled.nameOfSource = isOpaque ? .hidden(in: name, known) : known
      return compiled
    case .run(let target):
      throw Diagnostic("\(name) is a run; read \(target), where its values go", at: range)
    case .hidden, nil:
      try checkForeign(Identifier(text: name, range: range))
      throw Diagnostic.unknown(
        "subject or pipeline",
        name,
        at: range,
        among: names() + OperatorTable.sourceNames
      ).because(.source(name))
    }
  }

  private func member(
    _ base: Syntax,
    _ name: Identifier,
    in scope: Scope
  ) throws(Diagnostic) -> Compiled {
    if let entry = OperatorTable.entry(name.text), case .property(let compile) = entry.form {
      let range = base.range.lowerBound..<name.range.upperBound
      return try compile(self)(
        Tail(entry: entry, base: base, name: name, list: [], range: range),
        scope
      )
    }
    try checkForeign(base)
    if case .call = base.kind, isPublisher(base, in: scope) {
      _ = try recovering(from: base) { () throws(Diagnostic) in try compile(base, in: scope) }
    }
    if isMember(base, in: scope), OperatorTable.entry(name.text) == nil {
      let range = base.range.lowerBound..<name.range.upperBound
      let whole = Syntax(kind: .member(base, name), range: range, height: base.height + 1)
      throw noPublisher(whole, in: scope)
    }
    if let entry = OperatorTable.entry(name.text), entry.role != .source {
      throw entry.withoutArguments(at: name.range)
    }
    throw OperatorTable.unknown(name)
  }

  private func choice(
    _ condition: Syntax,
    _ yes: Block,
    _ no: Block,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let condition = try values(in: scope).condition(condition, in: scope)
    let branches = [try block(yes, in: scope.below), try block(no, in: scope.below)]
    let (yes, no) = (branches[0].source, branches[1].source)
    let number = StageNumber.source(in: scope)
    let source: PublisherFactory = { (locals, context) throws(EvaluationError) in
      let isTrue = try Arithmetic.truth(condition(&locals), "a condition")
      let below = number.below(context)
      return isTrue ? try yes(&locals, below) : try no(&locals, below)
    }
    return CompiledStage(
      source: source,
      kinds: branches[0].kinds.union(branches[1].kinds),
      branches: branches
    )
  }

  private func selection(
    _ selection: Selection,
    in scope: Scope
  ) throws(Diagnostic) -> CompiledStage {
    let subject = try values(in: scope).subject(of: selection, in: scope)
    var branches: [Compiled] = []
    var kinds: Kinds = []
    for block in selection.cases.map(\.body) + [selection.otherwise] {
      let branch = try self.block(block, in: scope.below)
      branches.append(branch)
      kinds.formUnion(branch.kinds)
    }
    let source: PublisherFactory = {
      [bodies = branches.map(\.source), number = StageNumber.source(in: scope)]
      (locals, context) throws(EvaluationError) in
      try bodies[selection.match(subject(&locals))](&locals, number.below(context))
    }
    return CompiledStage(source: source, kinds: kinds, branches: branches)
  }

  /// Compiles a block that ends in a publisher.
  func block(_ block: Block, in scope: Scope) throws(Diagnostic) -> Compiled {
    var inner = scope
    var lets: [Evaluation] = []
    var mentions = Mentions()
    for (name, value) in block.lets {
      if isPublisher(value, in: inner) {
        let local = try publisher(value, in: inner) as Compiled
        mentions.add(local.mentions)
        inner = inner.adding(name, as: local.again)
      } else {
        let (evaluations, next) = try values(in: inner).lets(
          Block(lets: [(name, value)], result: block.result),
          in: inner
        )
        lets += evaluations
        inner = next
      }
    }
    var result = try compile(block.result, in: inner)
    mentions.add(result.mentions)
    result.mentions = mentions
    guard !lets.isEmpty else { return result }
    result.source = { [lets, source = result.source] (locals, context) throws(EvaluationError) in
      let length = locals.count
      defer { locals.truncate(to: length) }
      for value in lets { locals.append(try value(&locals)) }
      return try source(&locals, context)
    }
    return result
  }
}

/// The stages before a `share`, numbers 0 to `end` - 1, which are counted once for all subscribers.
struct SharedStages {
  let end: Int
  let counters: StageCounters
}

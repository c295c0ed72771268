import FlowCore

typealias Stream = AnyPublisher<Value, PipelineFailure>

/// Makes the publisher an expression stands for, in a frame of the closures around it.
typealias Source = (inout Frame, any PipelineContext) throws(Trouble) -> Stream

/// Makes publishers of a pipeline's tree.
final class Compiler {
  let characters: [Character]
  /// What the pipeline is to be called.
  let name: String?
  let lookup: (String) -> NamedSource?
  let names: () -> [String]
  /// The subjects read, in the order of their first mention.
  private(set) var subjects: [String] = []
  /// The services asked, but for those of inlined pipelines.
  private(set) var services: [String] = []
  /// The pipelines and services named, those of inlined pipelines included.
  private(set) var others: [String] = []
  /// Whether it has a print stage, but for those of inlined pipelines.
  var prints = false
  /// How many stages stand one behind another.
  private(set) var depth = 0
  /// How many sources there are, those of inlined pipelines included.
  private(set) var sources = 0
  /// The stages of the publisher at hand, from its source on.
  var chain: [StageDescription] = []
  /// Whether that is a publisher below a stage.
  var isBelow = false
  /// What runs once for all subscribers: the stages before a `share`.
  var shares: [SharedStages] = []
  /// The `share`s of its own text that are one for all subscriptions.
  var sharings: [Shared] = []
  /// What the publisher compiled last may publish, as far as is known: nothing at all if empty.
  var kinds = Kinds.any
  /// The publishers below the stage at hand.
  var branches: [[StageDescription]] = []

  /// The parameters and `let` names that stand for publishers.
  var publishers: [String: LocalPublisher] = [:]

  /// The most stages, those of inlined pipelines included.
  private static let deepest = 256
  /// The most sources, those of inlined pipelines included.
  private static let mostSources = 1024

  init(
    characters: [Character],
    name: String? = nil,
    lookup: @escaping (String) -> NamedSource?,
    names: @escaping () -> [String]
  ) {
    self.characters = characters
    self.name = name
    self.lookup = lookup
    self.names = names
  }

  var values: ValueCompiler {
    ValueCompiler { [lookup, publishers] name in publishers[name] != nil || lookup(name) != nil }
  }

  /// Makes a source of an expression that stands for a publisher.
  func compile(_ syntax: Syntax, in scope: Scope) throws(Diagnostic) -> Source {
    switch syntax.kind {
    case .name(let name): return try named(name, at: syntax.range, in: scope)
    case .parameter(let index) where isPublisher("$\(index)", in: scope):
      return try named("$\(index)", at: syntax.range, in: scope)
    case .call(let callee, let arguments):
      return try call(callee, arguments, at: syntax.range, in: scope)
    case .member(let base, let name): return try member(base, name, in: scope)
    case .choice(let condition, let yes, let no):
      return try stage(nil, [], at: syntax.range) { (compiler) throws(Diagnostic) in
        compiler.counted(try compiler.choice(condition, yes, no, in: scope))
      }
    case .selection(let selection):
      return try stage(nil, [], at: syntax.range) { (compiler) throws(Diagnostic) in
        compiler.counted(try compiler.selection(selection, in: scope))
      }
    default: throw noPublisher(syntax, in: scope)
    }
  }

  func text(_ range: Range<Int>) -> String { String(characters[range]) }

  func count(_ steps: Int, at range: Range<Int>) throws(Diagnostic) {
    depth += steps
    guard depth <= Self.deepest else {
      throw Diagnostic("the pipeline has more than 256 stages", at: range)
    }
  }

  func count(sources count: Int, at range: Range<Int>) throws(Diagnostic) {
    sources += count
    guard sources <= Self.mostSources else {
      throw Diagnostic("the pipeline has more than \(Self.mostSources) sources", at: range)
    }
  }

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
    let message = "a publisher is needed here, and this is a value"
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
      let instead = "publishers are joined by merge(with:), zip and combineLatest"
      return Diagnostic("\"\(sign)\" goes with values; \(instead)", at: syntax.range)
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
  ) throws(Diagnostic) -> Source {
    if scope.number(of: name) != nil {
      throw Diagnostic(
        "\"\(name)\" is a value, and a publisher is needed here",
        at: range,
        suggestion: "Just(\(name))"
      )
    }
    if let local = publishers[name] {
      chain += local.stages
      kinds = local.kinds
      return local.source
    }
    guard name != self.name else {
      let message = "\(name) would read itself; a pipeline reads what is defined before it"
      throw Diagnostic(message, at: range)
    }
    switch lookup(name) {
    case .subject:
      kinds = .any
      note([name])
      let source: Source = { (_, context) throws(Trouble) in
        context.subject(name, counters: context.counters)
      }
      try count(sources: 1, at: range)
      noteSubject(name, at: range)
      return source
    case .pipeline(let pipeline):
      note(pipeline.subjects)
      note(others: [name] + pipeline.others)
      try count(pipeline.depth, at: range)
      try count(sources: pipeline.sources, at: range)
      kinds = pipeline.kinds
      chain += pipeline.stages.map { $0.inlined(from: name) }
      if !isBelow { shares += pipeline.shares }
      return { (_, context) throws(Trouble) in pipeline.publisher(in: context) }
    case .run(let target):
      throw Diagnostic("\(name) is a run; its values go to \(target)", at: range)
    case .hidden, nil:
      try checkForeign(Name(text: name, range: range))
      throw Diagnostic.unknown(
        "subject or pipeline",
        name,
        at: range,
        among: names() + OperatorTable.sourceNames
      ).because(.source(name))
    }
  }

  func noteService(_ name: String) {
    if !services.contains(name) { services.append(name) }
    note(others: [name])
  }

  private func note(others names: [String]) {
    for name in names where !others.contains(name) { others.append(name) }
  }

  private func note(_ names: [String]) {
    for name in names where !subjects.contains(name) { subjects.append(name) }
  }

  private func member(
    _ base: Syntax,
    _ name: Name,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    if let entry = OperatorTable.entry(name.text), case .property(let compile) = entry.form {
      let range = base.range.lowerBound..<name.range.upperBound
      return try compile(self)(
        Tail(entry: entry, base: base, name: name, list: [], range: range),
        scope
      )
    }
    try checkForeign(base)
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
  ) throws(Diagnostic) -> Source {
    let condition = try values.condition(condition, in: scope)
    let yes = try branch { (compiler) throws(Diagnostic) in try compiler.block(yes, in: scope) }
    let kinds = self.kinds
    let no = try branch { (compiler) throws(Diagnostic) in try compiler.block(no, in: scope) }
    self.kinds.formUnion(kinds)
    return { (frame, context) throws(Trouble) in
      if try Arithmetic.truth(condition(&frame), "a condition") {
        return try yes(&frame, context.below)
      }
      return try no(&frame, context.below)
    }
  }

  private func selection(
    _ selection: Selection,
    in scope: Scope
  ) throws(Diagnostic) -> Source {
    let subject = try values.subject(of: selection, in: scope)
    var bodies: [Source] = []
    var kinds: Kinds = []
    for block in selection.cases.map(\.body) + [selection.otherwise] {
      bodies.append(
        try branch { (compiler) throws(Diagnostic) in try compiler.block(block, in: scope) }
      )
      kinds.formUnion(self.kinds)
    }
    self.kinds = kinds
    return { [bodies] (frame, context) throws(Trouble) in
      try bodies[selection.match(subject(&frame))](&frame, context.below)
    }
  }

  /// Makes a source of a block that ends in a publisher.
  func block(_ block: Block, in scope: Scope) throws(Diagnostic) -> Source {
    let outer = publishers
    defer { publishers = outer }
    var inner = scope
    var lets: [Evaluation] = []
    for (name, value) in block.lets {
      if isPublisher(value, in: inner) {
        let local = try localPublisher(value, in: inner)
        publishers[name] = local
        inner = inner.hiding(name)
      } else {
        let (evaluations, next) = try values.lets(
          Block(lets: [(name, value)], result: block.result),
          in: inner
        )
        lets += evaluations
        inner = next
      }
    }
    let result = try compile(block.result, in: inner)
    guard !lets.isEmpty else { return result }
    return { [lets] (frame, context) throws(Trouble) in
      let length = frame.count
      defer { frame.truncate(to: length) }
      for value in lets { frame.append(try value(&frame)) }
      return try result(&frame, context)
    }
  }
}

/// The stages before a `share`, numbers 0 to `end` - 1, which are counted once for all subscribers.
struct SharedStages {
  let end: Int
  let counters: StageCounters
}

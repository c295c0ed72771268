import FlowCore

/// A publisher that is compiled: what makes it, and what there is to know about it.
struct Compiled {
  var source: PublisherFactory
  /// What it may publish, as far as is known: nothing at all if empty.
  var kinds: Kinds
  /// Its stages, from its source on.
  var stages: [StageDescription] = []
  var mentions = Mentions()
  /// What runs once for all subscribers: the stages before a `share`.
  var shares: [SharedStages] = []
  /// Whether it may come to read a subject when it has begun already.
  var readsAnew = false
  /// Where its stages stand, if they are recorded.
  var chain: StageChain?
  /// What `$name` stands for behind it.
  var nameOfSource = NameOfSource.none
  /// What it takes in memory when it runs, but for what runs once for all subscribers.
  var price = 0
  /// What it takes besides to count its stages.
  var priceOfCounting = 0

  /// Takes the place of a publisher that is written wrong: nothing is known of its values.
  static func unknown(_ text: String, at range: Range<Int>) -> Compiled {
    let demand = StageDemand.source(ends: StageDemand.nothing)
    return Compiled(
      source: { (_, _) throws(EvaluationError) in Empty().eraseToAnyPublisher() },
      kinds: .any,
      stages: [StageDescription(text: text, demand: demand, range: range, delay: nil)],
      nameOfSource: .unknown
    )
  }

  /// What it is where it is mentioned again by its name.
  var again: Compiled {
    Compiled(
      source: source,
      kinds: kinds,
      stages: stages,
      readsAnew: readsAnew || mentions.readsAny,
      chain: chain,
      nameOfSource: nameOfSource,
      price: price,
      priceOfCounting: priceOfCounting
    )
  }
}

/// What the text of a publisher names, and what its host has to know of.
struct Mentions {
  /// The subjects read, in the order of their first mention.
  private(set) var subjects: [String] = []
  /// Whether one of these may be read in more than one way.
  private(set) var repeats = false
  /// The patterns read.
  private(set) var patterns: [SubjectSet] = []
  /// The services asked, but for those of inlined pipelines.
  private(set) var services: [String] = []
  /// The pipelines, services and patterns named, but for those of inlined pipelines.
  private(set) var others: [Mention] = []
  /// Whether it has a print stage, but for those of inlined pipelines.
  private(set) var prints = false
  /// The `share`s of its own text that are one for all subscriptions.
  private(set) var sharings: [Shared] = []

  init() {}

  init(subjects: [String]) { self.subjects = subjects }

  /// What the name of a pipeline stands for.
  init(_ pipeline: Pipeline, named name: String) {
    subjects = pipeline.subjects
    patterns = pipeline.patterns
    others = [Mention(name: name, below: pipeline.names)]
  }

  init(_ set: SubjectSet) {
    patterns = [set]
    others = [Mention(name: set.text)]
  }

  /// The names of new subjects, which reads none of them.
  init(namesIn set: SubjectSet) { others = [Mention(name: set.text)] }

  init(service: String) {
    services = [service]
    others = [Mention(name: service)]
  }

  init(sharing: Shared) { sharings = [sharing] }

  /// Whether it names anything that values come from.
  var readsAny: Bool { !subjects.isEmpty || !others.isEmpty }

  static var printing: Mentions {
    var mentions = Mentions()
    mentions.prints = true
    return mentions
  }

  /// Adds what comes later in the text.
  mutating func add(_ more: Mentions) {
    repeats = repeats || more.repeats
    if subjects.isEmpty { subjects = more.subjects } else { add(subjects: more.subjects) }
    patterns += more.patterns
    for name in more.services where !services.contains(name) { services.append(name) }
    others += more.others
    if more.prints { prints = true }
    sharings += more.sharings
  }

  private mutating func add(subjects more: [String]) {
    guard !more.isEmpty else { return }
    // There may be a thousand, of which each adds one.
    if known.count != subjects.count { known = Set(subjects) }
    for name in more {
      if known.insert(name).inserted { subjects.append(name) } else { repeats = true }
    }
  }

  /// The subjects again, once there are several.
  private var known: Set<String> = []

  /// Forgets what only the compiler needs; `MentionedNames` has the others.
  mutating func endCompiling() {
    known = []
    others = []
  }
}

/// What a row of the operator table makes of a call.
struct CompiledStage {
  let source: PublisherFactory
  /// What it may publish, as far as is known: nothing at all if empty.
  let kinds: Kinds
  /// The publishers that it subscribes to besides its upstream.
  var branches: [Compiled] = []
  /// Its own, without those of its upstream and branches.
  var mentions = Mentions()
  /// What runs once for all subscribers of it, and is charged to them together.
  var shares: SharedStages?
  /// Whether it counts what it sends itself.
  var countsItself = false
  /// Whether it subscribes to its branches with its upstream, and to each once.
  var subscribesAtOnce = false
  /// Whether it cancels many publishers in several turns itself.
  var cancelsItself = false
  /// Whether it may subscribe to its upstream later, or once more.
  var subscribesLater = false

  /// The same, which counts what it sends itself.
  var countingItself: CompiledStage {
    var stage = self
    stage.countsItself = true
    return stage
  }

  /// The same, which subscribes to its branches with its upstream, and to each once.
  var subscribingAtOnce: CompiledStage {
    var stage = self
    stage.subscribesAtOnce = true
    return stage
  }

  /// The same, which cancels many publishers in several turns itself.
  var cancellingItself: CompiledStage {
    var stage = self
    stage.cancelsItself = true
    return stage
  }

  /// Whether it may come to read a subject when it has begun already.
  var readsAnew: Bool {
    subscribesLater
      || branches.contains { $0.readsAnew || (!subscribesAtOnce && $0.mentions.readsAny) }
  }
}

/// How large a pipeline is, those inlined included.
final class PipelineSize {
  /// How many stages stand one behind another.
  private(set) var stages = 0
  private(set) var sources = 0
  /// The steps of all regular expressions of its own text.
  private(set) var patternSteps = 0

  /// The most stages, those of inlined pipelines included.
  private static let mostStages = 256
  /// The most sources, those of inlined pipelines included.
  private static let mostSources = 1024
  /// How many sources a pattern counts as: it is compared with all names there are, and each that is made.
  static let sourcesOfPattern = 16
  private static let mostPatternSteps = 20_000

  func add(stages count: Int, at range: Range<Int>) throws(Diagnostic) {
    stages += count
    guard stages <= Self.mostStages else {
      throw Diagnostic("the pipeline has more than \(Self.mostStages) stages", at: range)
        .marked(.tooMuch)
    }
  }

  func add(sources count: Int, at range: Range<Int>) throws(Diagnostic) {
    sources += count
    guard sources <= Self.mostSources else {
      let message =
        "the pipeline has more than \(Self.mostSources) sources;"
        + " a pattern counts as \(Self.sourcesOfPattern)"
      throw Diagnostic(message, at: range).marked(.tooMuch)
    }
  }

  func add(patternSteps count: Int, at range: Range<Int>) throws(Diagnostic) {
    patternSteps += count
    guard patternSteps <= Self.mostPatternSteps else {
      let message = "the regular expressions come to more than \(Self.mostPatternSteps) steps"
      throw Diagnostic(message, at: range).marked(.tooMuch)
    }
  }
}

public import FlowLanguage
internal import FlowWire

/// What files define, checked as a server checks it: it starts with what has no findings here.
public struct Definitions {
  public let script: Script
  /// In the order of definition.
  public private(set) var all: [Definition] = []
  public private(set) var settings: [Setting] = []
  /// Where each of them is made, as `FILE:LINE`.
  public private(set) var settingPlaces: [SettingKey: String] = [:]
  /// The errors, in the order of their places.
  public private(set) var errors: [Finding]
  public var tests: [Script.Step] {
    script.steps.filter { if case .test = $0.statement.kind { true } else { false } }
  }

  private var places: [String: Int] = [:]
  /// The first two statements that define a name, one of which may be the one that uses it.
  private var definers: [String: [Script.Step]] = [:]
  /// The statements that are still to be checked: first those that define, then the tests.
  private var rest: ArraySlice<Script.Step> = []
  private var counts: [String: Int] = [:]
  /// The subjects to which the runs that read a subject send.
  private var targets: [String: [String]] = [:]
  /// The subjects to which the runs that read a pattern send.
  private var patternTargets: [(set: SubjectSet, target: String)] = []
  public private(set) var limits: NameLimits
  private let reuse: (String, Pipeline) -> Pipeline

  /// Checks statements.
  ///
  /// - Parameters:
  ///   - script: the statements.
  ///   - limits: what holds where the files set nothing else.
  ///   - reuse: gives a pipeline of the same text and stages to use instead of a new one.
  public init(
    _ script: Script,
    limits: NameLimits = NameLimits(),
    reuse: @escaping (String, Pipeline) -> Pipeline = { $1 }
  ) {
    self.init(unchecked: script, limits: limits, reuse: reuse)
    _ = checkMore { true }
  }

  /// Takes statements of which `checkMore` checks as many at a time as there is time for.
  package init(
    unchecked script: Script,
    limits: NameLimits,
    reuse: @escaping (String, Pipeline) -> Pipeline
  ) {
    self.script = script
    self.limits = limits
    self.reuse = reuse
    errors = script.findings
    // A setting holds for the whole of the files, wherever it stands.
    for step in script.steps { readSetting(step) }
    var commands: [Script.Step] = []
    for step in script.steps {
      guard case .command = step.statement.kind else { continue }
      commands.append(step)
      if let name = step.definedName, definers[name]?.count ?? 0 < 2 {
        definers[name, default: []].append(step)
      }
    }
    rest = (commands + tests)[...]
  }

  /// Checks statements one after the other as long as `hasTime` is true; says whether all are checked.
  package mutating func checkMore(while hasTime: () -> Bool) -> Bool {
    while let step = rest.popFirst() {
      if errors.count > Self.mostErrors {
        rest = []
      } else if case .command = step.statement.kind {
        define(step)
      } else {
        errors += findings(inTestOf: step)
      }
      guard rest.isEmpty || hasTime() else { return false }
    }
    bound()
    return true
  }

  /// Puts the errors in order, and leaves out those that are too many.
  private mutating func bound() {
    errors = inOrder(errors)
    guard errors.count > Self.mostErrors else { return }
    var more = errors[Self.mostErrors]
    more.message = "there are more than \(Self.mostErrors) errors; the rest is not told"
    errors = errors.prefix(Self.mostErrors) + [more]
  }

  /// So many errors at most are told: a file with more is not meant to be one, and whoever reads them has
  /// enough to do.
  private static let mostErrors = 1000

  /// What `name` stands for.
  public subscript(name: String) -> Definition? { places[name].map { all[$0] } }

  private func refusal(
    _ message: String,
    _ step: Script.Step,
    code: String? = nil,
    at offset: Int = 0,
    length: Int? = nil
  ) -> Finding {
    let line = step.statement.line
    let length = length ?? line.text.count
    return step.file.finding(.error, code: code, message, in: line, at: offset, length: length)
  }

  /// The errors as a reader meets them: what is included comes before what relies on it.
  private func inOrder(_ errors: [Finding]) -> [Finding] {
    var ranks: [String: Int] = [:]
    for step in script.steps where ranks[step.file.name] == nil {
      ranks[step.file.name] = ranks.count
    }
    return errors.sorted { a, b in
      let (rank, other) = (ranks[a.place.file] ?? .max, ranks[b.place.file] ?? .max)
      return rank == other ? a < b : rank < other
    }
  }

  // MARK: Settings

  private mutating func readSetting(_ step: Script.Step) {
    guard case .set(let key, let text) = step.statement.kind else { return }
    do throws(Setting.Refusal) {
      let setting = try Setting(key, text)
      guard !settings.contains(where: { $0.key == setting.key }) else {
        errors.append(refusal("\(key) is set twice", step))
        return
      }
      settings.append(setting)
      settingPlaces[setting.key] = "\(step.file.name):\(step.statement.line.number)"
      switch setting.key {
      case .nameLimit: limits.names = Int(setting.value)
      case .replayLimit: limits.replayed = Int(setting.value)
      default: break
      }
    } catch {
      let text = step.statement.line.text
      let word = text.split { $0.isWhitespace }[error.isAboutKey ? 1 : 2]
      let offset = text.distance(from: text.startIndex, to: word.startIndex)
      errors.append(refusal(error.message, step, at: offset, length: word.count))
    }
  }

  // MARK: Names

  private mutating func define(_ step: Script.Step) {
    do throws(Findings) {
      let command = try Findings.each { () throws(Finding) in try FileCommand(step) }
      let mentions = Mentions()
      let content = try content(of: command, step, mentions)
      add(command.name, content, step, offset: command.offset, reads: mentions.names)
    } catch {
      errors += error.all
      // What refers to this name is not to be blamed.
      if let name = step.definedName, places[name] == nil {
        add(name, .broken, step, offset: 0, reads: [])
      }
    }
  }

  /// All that is wrong with a definition.
  private struct Findings: Error {
    let all: [Finding]

    /// Calls `body`, and throws its one finding as all findings.
    static func each<Result>(
      _ body: () throws(Finding) -> Result
    ) throws(Findings) -> Result {
      do throws(Finding) {
        return try body()
      } catch {
        throw Findings(all: [error])
      }
    }
  }

  private mutating func add(
    _ name: String,
    _ content: Definition.Content,
    _ step: Script.Step,
    offset: Int,
    reads: [String]
  ) {
    guard places[name] == nil else { return }
    places[name] = all.count
    counts[content.kind, default: 0] += 1
    if case .run(let run) = content {
      for subject in run.pipeline.subjects { targets[subject, default: []] += run.outputs }
      for output in run.outputs {
        patternTargets += run.pipeline.patterns.map { ($0, output) }
      }
    }
    let line = step.statement.line
    all.append(
      Definition(
        name: name,
        content: content,
        reads: reads,
        file: step.file,
        line: line,
        offset: offset
      )
    )
  }

  private func content(
    of command: FileCommand,
    _ step: Script.Step,
    _ mentions: Mentions
  ) throws(Findings) -> Definition.Content {
    let content: Definition.Content
    let lookup = { (name: String) in
      let source = self.source(name)
      if source != nil { mentions.add(name) }
      return source
    }
    switch command.kind {
    case .subject(let settings):
      content = .subject(settings)
    case .pipeline(let text):
      let pipeline = try compile(step, command.offset) { () throws(Diagnostic) in
        try Pipeline(
          text,
          named: command.name,
          lookup: lookup,
          names: { all.map(\.name) + Self.ownSubjects }
        )
      }
      content = .pipeline(reuse(command.name, pipeline))
    case .run(let text, let restart, let failed):
      let standing = try compile(step, command.offset) { () throws(Diagnostic) in
        try RunDefinition(
          text,
          named: command.name,
          restart: restart,
          failed: failed,
          lookup: lookup,
          names: { all.map(\.name) }
        )
      }
      if !standing.pipeline.subjects.contains(standing.target) { mentions.remove(standing.target) }
      content = .run(standing)
    }
    try Findings.each { () throws(Finding) in try check(command.name, content, step) }
    return content
  }

  /// The names that a text mentions.
  private final class Mentions {
    private(set) var names: [String] = []

    func add(_ name: String) {
      if !names.contains(name) { names.append(name) }
    }

    func remove(_ name: String) { names.removeAll { $0 == name } }
  }

  private func compile<Result>(
    _ step: Script.Step,
    _ offset: Int,
    _ body: () throws(Diagnostic) -> Result
  ) throws(Findings) -> Result {
    do throws(Diagnostic) {
      return try body()
    } catch {
      throw Findings(all: error.all.map { finding(about: $0, step, offset) })
    }
  }

  /// Returns the finding for a mistake in an expression that begins at `offset` of the line.
  private func finding(
    about mistake: Diagnostic,
    _ step: Script.Step,
    _ offset: Int
  ) -> Finding {
    var message = mistake.text
    let start = offset + mistake.offset
    let name = String(step.statement.line.text.dropFirst(start).prefix(mistake.length))
    if let later = definedLater(name, than: step) {
      message = "\(name) is defined later, at \(later); define it before it is used"
    }
    return refusal(message, step, at: start, length: mistake.length)
  }

  /// The place of the line that defines `name`, if nothing does so far.
  private func definedLater(_ name: String, than user: Script.Step) -> String? {
    guard !name.isEmpty, self[name] == nil else { return nil }
    let step = definers[name]?.first { $0.statement.line != user.statement.line }
    return step.map { "\($0.file.name):\($0.statement.line.number)" }
  }

  /// The subjects that every server has, for reading only.
  public static let ownSubjects = ["$events", "$stats"]

  func source(_ name: String) -> NamedSource? {
    if Self.ownSubjects.contains(name) { return .subject }
    if let pattern = NamedSource.pattern(name) { return pattern }
    return switch self[name]?.content {
    case .subject, .broken: .subject
    case .pipeline(let pipeline): .pipeline(pipeline)
    case .run(let standing): .run(target: standing.target)
    case nil: mayBeMissing(name) ? .subject : nil
    }
  }

  /// Whether a file that could not be read may define `name`, whose use is not to be blamed then.
  func mayBeMissing(_ name: String) -> Bool {
    script.isIncomplete && OperatorTable.entry(name) == nil && !name.contains("-")
  }

  /// Refuses what may not be defined, or is defined otherwise.
  private func check(
    _ name: String,
    _ content: Definition.Content,
    _ step: Script.Step
  ) throws(Finding) {
    do throws(NameRefusal) {
      _ = try admits(name, as: content)
    } catch {
      let old = self[name]
      switch error {
      case .exists where old?.kind == "broken": return
      case .exists:
        let place = old.map { "\($0.file.name):\($0.line.number)" } ?? ""
        throw refusal("\(name) has a different definition at \(place)", step)
      case .cycle: throw refusal(error.text(for: name), step, code: LintRule.cycle.rawValue)
      default: throw refusal(error.text(for: name), step)
      }
    }
  }
}

extension Script.Step {
  /// The name that a command seems to define.
  fileprivate var definedName: String? {
    let words = statement.line.text.split(maxSplits: 2) { $0.isWhitespace || $0 == "=" }
    return words.count > 1 ? String(words[1]) : nil
  }
}

extension Definitions: NameSpace {
  public func content(of name: String) -> Definition.Content? { self[name]?.content }

  public func count(of kind: String) -> Int { counts[kind, default: 0] }

  public func targets(ofRunsReading subject: String) -> [String] {
    (targets[subject] ?? []) + patternTargets.filter { $0.set.contains(subject) }.map(\.target)
  }
}

internal import FlowLanguage
internal import FlowWire
internal import Spelling

/// Why something can not be defined, found or subscribed to.
struct DefinitionError: Error {
  var code: String
  var message: String
  var place: Place?

  init(_ code: String, _ message: String, place: Place? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }

  static let draining = DefinitionError(
    "draining",
    "the server is going away; nothing new is opened"
  )

  /// Says what `diagnostic` says of an expression that begins at `column` of the line.
  init(_ diagnostic: Diagnostic, column: Int) {
    let place = Place(column: column + diagnostic.offset, length: diagnostic.length)
    self.init("syntax", "\(place.column): \(diagnostic.text)", place: place)
  }
}

/// A part of a command line, in characters from 1.
struct Place {
  var column: Int
  var length: Int

  /// The line, or the part of it around the place, and carets below the place.
  func drawing(in line: String) -> [String] {
    let characters = Array(line)
    let start = max(0, min(column - 1 - 60, characters.count))
    let shown = String(characters[start..<min(characters.count, start + 100)])
    let carets = String(repeating: "^", count: max(1, min(length, 40)))
    return [
      "  \(FrameWriter.oneLine(shown))",
      "  " + String(repeating: " ", count: max(0, column - 1 - start)) + carets,
    ]
  }
}

extension Engine {
  func define(_ name: String, _ settings: SubjectSettings) throws(DefinitionError) {
    if let old = registry[name] {
      if case .subject(let subject) = old, subject.completion == nil, subject.settings == settings {
        return
      }
      throw exists(name)
    }
    if case .replay(let count) = settings.kind, count > configuration.replayLimit {
      let limit = configuration.replayLimit
      throw DefinitionError("limit", "replay is \(count), at most \(limit) values are kept")
    }
    let subject = ServerSubject(name: name, settings: settings, engine: self)
    try add(.subject(subject), named: name)
  }

  func define(_ name: String, _ expression: Expression) throws(DefinitionError) -> Pipeline {
    let old = registry[name]
    if case .pipeline(let pipeline) = old, pipeline.text == expression.text { return pipeline }
    let pipeline = try compile(expression, named: name)
    if old != nil { throw exists(name) }
    try add(.pipeline(pipeline), named: name)
    return pipeline
  }

  /// Makes a run, which is to be started; nil if it runs already.
  func define(run name: String, _ expression: Expression) throws(DefinitionError) -> Run? {
    let old = registry[name]
    if case .run(let run) = old, run.isRunning, run.standing.text == expression.text { return nil }
    let standing: StandingPipeline
    do throws(Diagnostic) {
      standing = try registry.compileStanding(expression, named: name)
    } catch {
      throw DefinitionError(error, column: expression.column)
    }
    if case .run(let run) = old, run.standing.text == expression.text {
      throw DefinitionError("exists", "run \(name) has ended; DELETE \(name) first")
    }
    if old != nil { throw exists(name) }
    _ = try subjectToPublish(standing.target)
    let sources = standing.pipeline.subjects
    if let way = registry.way(from: standing.target, to: Set(sources)) {
      let circle = ([way.last ?? standing.target] + way).joined(separator: " → ")
      throw DefinitionError("cycle", "\(name) would feed itself: \(circle)")
    }
    let run = Run(name: name, standing: standing, engine: self)
    try add(.run(run), named: name)
    return run
  }

  private func add(_ entry: Registry.Entry, named name: String) throws(DefinitionError) {
    guard !registry.isFull(for: entry) else {
      let limit = configuration.nameLimit
      throw DefinitionError("limit", "\(limit) of these are defined, no more may be")
    }
    registry.add(entry, named: name)
    note(.defined(kind: entry.kind, name: name))
  }

  private func exists(_ name: String) -> DefinitionError {
    DefinitionError("exists", "\(name) is defined otherwise; DELETE \(name) first")
  }

  /// The pipeline of this name, or one compiled of the expression.
  func pipeline(_ expression: Expression) throws(DefinitionError) -> Pipeline {
    switch registry[expression.text] {
    case .pipeline(let pipeline): return pipeline
    case .subject(let subject):
      if let pipeline = subject.plainPipeline { return pipeline }
      let pipeline = try compile(expression)
      subject.plainPipeline = pipeline
      return pipeline
    case .run, nil: return try compile(expression)
    }
  }

  /// Compiles an expression; one that is just an unknown name is told apart from a mistake.
  private func compile(
    _ expression: Expression,
    named name: String? = nil
  ) throws(DefinitionError) -> Pipeline {
    if case .run(let run) = registry[expression.text] {
      let target = run.standing.target
      throw DefinitionError("usage", "\(run.name) is a run; its values go to \(target)")
    }
    do throws(Diagnostic) {
      return try registry.compile(expression, named: name)
    } catch {
      if expression.text != name, isName(expression.text) {
        throw DefinitionError("unknown-name", unknownName(expression.text))
      }
      throw DefinitionError(error, column: expression.column)
    }
  }

  /// Whether a word is a name, and no number or other value.
  private func isName(_ word: String) -> Bool {
    word.utf8.allSatisfy { $0.continuesName || $0 == UInt8(ascii: "$") }
      && !(word.first?.isNumber ?? true) && !["true", "false", "null", "nil"].contains(word)
      && OperatorTable.entry(word) == nil && !OperatorTable.isForeign(word)
  }

  /// Finds a subject that takes values.
  func subjectToPublish(_ name: String) throws(DefinitionError) -> ServerSubject {
    if name.utf8.first == UInt8(ascii: "$") {
      throw DefinitionError("denied", "\(name) belongs to the server; it can only be read")
    }
    switch registry[name] {
    case .subject(let subject):
      guard subject.completion == nil else {
        throw DefinitionError(
          "completed",
          "subject \(name) has completed; DELETE it and define it anew"
        )
      }
      return subject
    case .pipeline:
      throw DefinitionError("usage", "\(name) is a pipeline; values go to a subject")
    case .run:
      throw DefinitionError("usage", "\(name) is a run; values go to a subject")
    case nil: throw DefinitionError("unknown-name", unknownName(name))
    }
  }

  /// What is said of a value that a pipeline has made too long to be sent.
  func tooLong(_ count: Int) -> String {
    "a value has \(count) octets, at most \(configuration.valueLimit) are sent"
  }

  func unknownName(_ name: String) -> String {
    let meant = nearest(to: name, among: registry.sources)
    let advice = meant.map { "did you mean \($0)?" } ?? "LIST shows what there is"
    return "nothing is named \(FrameWriter.oneLine(name)); \(advice)"
  }
}

import FlowFiles
import FlowLanguage
import FlowRemote
import FlowWire

/// The definition of a name and of the names that it reads, from SHOW and LIST.
struct MarbleNames {
  let name: String
  /// The pipeline's text, without a run's ending; `nil` for a subject or a hidden text.
  private(set) var expression: String?
  private(set) var subjects: [String] = []
  /// The definitions of those subjects, and of the pipelines between.
  private(set) var known: [String: Trial.Known] = [:]
  private(set) var isSubject = false
  private var pipelines: [String: String] = [:]
  private var runs: Set<String> = []
  private var listed: Set<String> = []

  static func find(
    _ name: String,
    on remote: FlowRemote
  ) async throws(RemoteError) -> MarbleNames {
    var names = MarbleNames(name: name)
    guard let definition = try await definition(of: name, remote) else { return names }
    guard case .subject = definition else {
      names.read(try await remote.command(.list(nil)).rows)
      names.compile(definition)
      for subject in names.subjects {
        guard case .subject(_, let settings)? = try await self.definition(of: subject, remote)
        else { continue }
        names.known[subject] = .subject(settings)
      }
      return names
    }
    names.isSubject = true
    return names
  }

  private init(name: String) { self.name = name }

  /// Returns the command that defines a name.
  private static func definition(
    of name: String,
    _ remote: FlowRemote
  ) async throws(RemoteError) -> Command? {
    let rows = try await remote.command(.show(name)).rows.map { Row($0) }
    guard let row = rows.first(where: { $0.kind == .definition }) else { return nil }
    return (try? TaggedCommand(row.text))?.command
  }

  private mutating func read(_ rows: [String]) {
    for row in rows.lazy.map({ Row($0) }) {
      switch row.kind {
      case .subject: listed.insert(row.name)
      case .pipeline: pipelines[row.name] = row.text
      case .run: runs.insert(row.name)
      default: break
      }
    }
  }

  private mutating func compile(_ definition: Command) {
    let space = Space(self)
    switch definition {
    case .pipeline(_, let expression):
      guard let pipeline = try? Pipeline(expression.text, lookup: space.source, names: { [] })
      else { return }
      record(pipeline, expression.text)
    case .run(_, let expression, _, _):
      guard let run = try? RunDefinition(expression.text, lookup: space.source, names: { [] })
      else { return }
      let ending = expression.text.ranges(of: run.lastStage.text).last
      var text = ending.map { expression.text[..<$0.lowerBound] } ?? ""
      while let last = text.last, last == "." || last.isWhitespace { text.removeLast() }
      record(run.pipeline, String(text))
    default: return
    }
  }

  private mutating func record(_ pipeline: Pipeline, _ text: String) {
    if !text.isEmpty { expression = text }
    for subject in pipeline.subjects where !subjects.contains(subject) { subjects.append(subject) }
    for subject in listed.sorted() where pipeline.patterns.contains(where: { $0.contains(subject) })
    {
      if !subjects.contains(subject) { subjects.append(subject) }
    }
    for mention in pipeline.mentions {
      if let text = pipelines[mention] { known[mention] = .pipeline(text) }
    }
  }

  /// Compiles names on first use.
  private final class Space {
    private let names: MarbleNames
    private var compiled: [String: Pipeline] = [:]
    private var isBeingCompiled: Set<String> = []

    init(_ names: MarbleNames) { self.names = names }

    func source(_ name: String) -> NamedSource? {
      if let pattern = NamedSource.pattern(name) { return pattern }
      let isSubject = names.listed.contains(name) || Definitions.ownSubjects.contains(name)
      if isSubject { return .subject }
      if names.runs.contains(name) { return .run(target: "") }
      if let pipeline = compiled[name] { return .pipeline(pipeline) }
      guard let text = names.pipelines[name], isBeingCompiled.insert(name).inserted else {
        return nil
      }
      defer { isBeingCompiled.remove(name) }
      guard let pipeline = try? Pipeline(text, lookup: source, names: { [] }) else { return nil }
      compiled[name] = pipeline
      return .pipeline(pipeline)
    }
  }
}

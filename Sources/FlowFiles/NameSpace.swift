public import FlowLanguage
public import FlowWire

/// Names and what they stand for, in a file or in a server: the one judge of what may be added.
public protocol NameSpace {
  /// What `name` stands for.
  func content(of name: String) -> Definition.Content?
  /// How many names there are of a kind, `subject`, `pipeline` or `run`.
  func count(of kind: String) -> Int
  /// The subjects to which the runs that read `subject` send.
  func targets(ofRunsReading subject: String) -> [String]
  var limits: NameLimits { get }
}

/// How much may be defined.
public struct NameLimits: Sendable {
  /// Subjects, and as many pipelines and runs again.
  public var names: Int
  /// The most values a subject keeps.
  public var replayed: Int

  public init(names: Int = 10_000, replayed: Int = 65_536) {
    self.names = names
    self.replayed = replayed
  }
}

/// Why a name may not be defined.
public enum NameRefusal: Error {
  /// It stands for something else.
  case exists
  case limit(kind: String, Int)
  case replay(Int, most: Int)
  /// A run would send to a subject of the server's own.
  case reserved(String)
  /// A run would read what it sends, by way of these subjects, of which the first is also the last.
  case cycle([String])
  /// A run with `restart` would send to this subject in NATS.
  case restart(into: String)
  /// The subject of `failed` is one of a single server, and several share the run into `target`.
  case lettersOfOneServer(String, target: String)
  /// Values without an answer would be sent to what is no subject.
  case noSubject(String)

  public var code: ErrorCode {
    switch self {
    case .exists: .exists
    case .limit, .replay: .limit
    case .reserved: .denied
    case .cycle: .cycle
    case .restart, .lettersOfOneServer: .usage
    case .noSubject: .unknownName
    }
  }

  /// What is said of the definition of `name`.
  public func text(for name: String) -> String {
    switch self {
    case .exists: "\(name) has a different definition; DELETE \(name) first"
    case .limit(let kind, let limit): "the limit of \(limit) \(kind)s is reached"
    case .replay(let count, let most): "replay is \(count), expected at most \(most)"
    case .reserved(let target): "\(target) belongs to the server; it can only be read"
    case .restart(let target):
      "restart is for runs into subjects of one server, and \(target) is in NATS; use retry or catch"
    case .lettersOfOneServer(let subject, let target):
      "\(target) is in NATS, so servers share the run; failed=\(subject) needs a subject in NATS, too"
    case .noSubject(let target): "there is no subject named \(target) for failed="
    case .cycle(let names): "\(name) would feed itself: \(names.joined(separator: " → "))"
    }
  }
}

extension String {
  /// Whether it names something of the server's own.
  public var isServers: Bool { utf8.first == UInt8(ascii: "$") }
}

extension NameSpace {
  /// Judges whether `name` may stand for `content`.
  ///
  /// - Returns: false if it already does.
  public func admits(
    _ name: String,
    as content: Definition.Content
  ) throws(NameRefusal) -> Bool {
    if case .run(let run) = content, let own = run.outputs.first(where: \.isServers) {
      throw .reserved(own)
    }
    if let old = self.content(of: name) {
      guard content.isSame(as: old) else { throw .exists }
      return false
    }
    switch content {
    case .subject(let settings):
      if case .replay(let count) = settings.kind, count > limits.replayed {
        throw .replay(count, most: limits.replayed)
      }
    case .run(let run):
      if let circle = run.circle(over: targets) { throw .cycle(circle) }
      if run.restart != nil, isInNATS(run.target) { throw .restart(into: run.target) }
      if let failed = run.failed {
        guard case .subject = self.content(of: failed) else { throw .noSubject(failed) }
        if run.isShared(isInNATS: isInNATS), !isInNATS(failed) {
          throw .lettersOfOneServer(failed, target: run.target)
        }
      }
    case .pipeline, .broken: break
    }
    let kind = content.kind
    guard count(of: kind) < limits.names else { throw .limit(kind: kind, limits.names) }
    return true
  }

  private func isInNATS(_ name: String) -> Bool {
    if case .subject(let settings) = content(of: name) { settings.nats != nil } else { false }
  }
}

extension RunDefinition {
  /// Whether servers share it: its target is in NATS, and so is a source if it reads names.
  public func isShared(isInNATS: (String) -> Bool) -> Bool {
    guard isInNATS(target) else { return false }
    let sources = pipeline.subjects
    // Patterns match subjects of each server separately.
    return sources.isEmpty ? pipeline.patterns.isEmpty : sources.contains(where: isInNATS)
  }

  /// Whether it would read what it sends, by way of other runs.
  ///
  /// - Parameter targets: gives the subjects to which the runs that read a subject send.
  /// - Returns: the subjects on the way, from the last one it reads to that again; `nil` if there is none.
  public func circle(over targets: (String) -> [String]) -> [String]? {
    let goals = Set(pipeline.subjects)
    func isGoal(_ name: String) -> Bool {
      goals.contains(name) || pipeline.patterns.contains { $0.contains(name) }
    }
    var cameFrom: [String: String] = [:]
    var next = outputs
    var seen = Set(outputs)
    while let subject = next.popLast() {
      guard !isGoal(subject) else {
        return [subject] + sequence(first: subject) { cameFrom[$0] }.reversed()
      }
      for target in targets(subject) where seen.insert(target).inserted {
        cameFrom[target] = subject
        next.append(target)
      }
    }
    return nil
  }
}

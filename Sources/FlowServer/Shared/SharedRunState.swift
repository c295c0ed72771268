internal import FlowSubjects
internal import FlowWire

/// What a server knows of a run's name in NATS.
///
/// A transition calls nobody; it returns the steps that the run performs, in order.
struct SharedRunState {
  enum Phase: Equatable {
    /// The name is to be defined in NATS.
    case closed
    /// NATS has something else by this name.
    case refused
    /// All servers know it by the definition at this sequence of the names stream.
    case open(at: UInt64)
    /// It has ended, or was deleted, or this server has let go of it.
    case over
  }

  enum Step {
    /// Calls `namesAreRead` when they are.
    case readNames
    /// Defines the name by this text; calls `defined`.
    case define(String)
    case startLease
    case stopLease
    /// Reads if the lease is held, and then answers those that wait.
    case begin
    case notifyWaiting(DefinitionError?)
    case reportRefusal(String)
    /// Calls `linkIsUp` after a second.
    case retryLater
    /// Somebody else has deleted the run, or defined another one.
    case remove
    /// The run has ended, here or on another server.
    case end(Run.State)
  }

  private(set) var phase = Phase.closed
  /// The sequence of the definition in the names stream, once it is stored there.
  private(set) var definition: UInt64?
  /// Tells the run from others of this name: the first sequence of its definition, 0 before.
  private(set) var identity: UInt64 = 0
  /// The rights of the client that defined it, as stored in NATS.
  private(set) var rights: String?
  /// Whether this server deletes the run; news of its deletion then waits for NATS's answer.
  var isDeleting = false
  /// The line that defines it.
  let line: String

  init(line: String, rights: String?, definedAt definition: UInt64?) {
    self.line = line
    self.rights = rights
    self.definition = definition
  }

  var isOpen: Bool { if case .open = phase { true } else { false } }

  /// What stands in NATS when the run has ended so.
  func text(ofEnd end: Run.State) -> String {
    let was = identity == definition ? nil : identity
    return RunEntry(line: line, rights: rights, was: was, end: end).text
  }

  /// `entry` is what the name stands for.
  mutating func linkIsUp(_ entry: SharedNames.Entry?) -> [Step] {
    guard phase == .closed else { return [] }
    return definition == nil ? [.readNames] : opened(entry)
  }

  /// If the name stands for nothing, the server with the lease defines it, so that it is there to read before anybody
  /// is told.
  mutating func namesAreRead(_ entry: SharedNames.Entry?, isHeld: Bool) -> [Step] {
    guard phase == .closed, definition == nil else { return [] }
    if let entry, entry.line != nil { return resolve(entry) }
    guard isHeld else { return [.startLease] }
    let was = identity > 0 ? identity : nil
    return [.define(RunEntry(line: line, rights: rights, was: was).text)]
  }

  mutating func defined(_ result: Result<SharedNames.Entry, DefinitionError>) -> [Step] {
    guard phase == .closed else { return [] }
    switch result {
    case .success(let entry): return resolve(entry)
    case .failure(let error):
      return error.code == .limit ? [.notifyWaiting(error), .retryLater] : [.retryLater]
    }
  }

  private mutating func resolve(_ entry: SharedNames.Entry) -> [Step] {
    guard RunEntry(entry)?.line == line else {
      phase = .refused
      let there = FrameWriter.oneLine(entry.line ?? "")
      return [.stopLease, .reportRefusal("NATS has another definition of it: \(there)")]
    }
    definition = entry.sequence
    return opened(entry)
  }

  private mutating func opened(_ entry: SharedNames.Entry?) -> [Step] {
    guard let definition else { return [] }
    phase = .open(at: definition)
    let steps = entry.map { heard($0, isHeld: false) } ?? []
    return steps.isEmpty ? [.startLease, .begin] : steps + [Step.notifyWaiting(nil)]
  }

  /// The stream of names has lost the name.
  mutating func nameIsLost(isUp: Bool) -> [Step] {
    guard isOpen else { return [] }
    definition = nil
    phase = .closed
    return isUp ? [.readNames] : []
  }

  /// The name was defined, ended or deleted, here or elsewhere.
  mutating func heard(_ entry: SharedNames.Entry, isHeld: Bool) -> [Step] {
    switch phase {
    case .over: return RunEntry(entry)?.line == line ? [] : [.remove]
    case .closed: return entry.line == nil ? [] : namesAreRead(entry, isHeld: isHeld)
    case .refused:
      guard entry.line == nil else { return [] }
      phase = .closed
      return linkIsUp(nil)
    case .open(let definition):
      guard entry.sequence >= definition, !isDeleting else { return [] }
      guard let known = RunEntry(entry), known.line == line else { return [.remove] }
      rights = known.rights
      identity = known.was ?? (identity > 0 ? identity : definition)
      return known.end.map { [.end($0)] } ?? []
    }
  }

  mutating func close() { phase = .over }
}

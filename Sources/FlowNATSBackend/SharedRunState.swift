internal import FlowServer
internal import FlowSubjects
internal import FlowWire

/// What a server knows of a run's name in NATS.
///
/// Transitions have no side effects; they return the steps that the run performs in order.
struct SharedRunState {
  enum Phase: Equatable {
    /// The name is not defined in NATS yet.
    case closed
    /// NATS has something else by this name.
    case refused
    /// The definition is at this sequence of the names stream.
    case open(at: UInt64)
    /// It has ended, was deleted, or was released by this server.
    case over
  }

  enum Step {
    case readNames
    case define(String)
    case startLease
    case stopLease
    /// Starts reading if the lease is held, then answers waiting clients.
    case begin
    case notifyWaiting(DefinitionError?)
    case reportRefusal(String)
    case retryLater
    /// Another server has deleted or replaced the run.
    case remove
    /// The run has ended, here or on another server.
    case end(Run.State)
  }

  private(set) var phase = Phase.closed
  /// The definition's sequence in the names stream, once stored.
  private(set) var definition: UInt64?
  /// Distinguishes runs of the same name: the first sequence of its definition, 0 before.
  private(set) var identity: UInt64 = 0
  /// The rights of the client that defined it, as stored in NATS.
  private(set) var rights: String?
  /// Whether this server is deleting the run; news of the deletion waits for NATS's answer.
  var isDeleting = false
  let line: String

  init(line: String, rights: String?, definedAt definition: UInt64?) {
    self.line = line
    self.rights = rights
    self.definition = definition
  }

  var isOpen: Bool { if case .open = phase { true } else { false } }

  /// The text in NATS for a run that has ended.
  func text(ofEnd end: Run.State) -> String {
    let was = identity == definition ? nil : identity
    return RunEntry(line: line, rights: rights, was: was, end: end).text
  }

  /// Handles a new connection; `entry` is the name's present definition.
  mutating func linkIsUp(_ entry: SharedNames.Entry?) -> [Step] {
    guard phase == .closed else { return [] }
    return definition == nil ? [.readNames] : opened(entry)
  }

  /// Defines the name if it is undefined.
  ///
  /// Only the server with the lease does so, and reads before others learn of it.
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

  mutating func nameIsLost(isUp: Bool) -> [Step] {
    guard isOpen else { return [] }
    definition = nil
    phase = .closed
    return isUp ? [.readNames] : []
  }

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

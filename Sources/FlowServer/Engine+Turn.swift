internal import FlowCore
internal import FlowLanguage
package import FlowSubjects
internal import FlowTransport

/// The pending work of an engine, for this turn and later ones.
///
/// Access one field at a time, because the work itself adds to it.
struct EngineTurn {
  /// Clients with new output; their streams may have room after it is sent.
  fileprivate var written = TurnList<Client>()
  var ending = TurnList<Client>()
  /// Clients that there was no time for.
  var late = LateClients()
  /// The turn that writes to many clients, and its time limit.
  var sending: (turn: UInt64?, until: UInt64) = (nil, 0)
  /// Subjects that may send values or grants now.
  fileprivate var open = TurnList<ServerSubject>()
  fileprivate var resuming = TurnList<ServerSubject>()
  var hasEvents = false
  /// Whether a store has pending work.
  var hasStoreWork = false
  /// Running pipelines that exceed their memory limit.
  fileprivate var overdrawn: [(context: RunningContext, failure: PipelineFailure)] = []
  /// Work for a later turn, after everything else that is ready.
  fileprivate var upcoming: [() -> Void] = []
  /// Whether due timers have yet to run in this turn.
  fileprivate var mayRunDue = false
  /// Kept until the turn ends, because a caller may still use them unretained.
  fileprivate var deferredReleases: [AnyObject] = []
  /// Whether the loop's load is being measured.
  var measuresTime = false
  /// The start of the time in this turn that was not counted yet.
  fileprivate var uncountedSince: Int64 = 0
  /// How deeply runs are nested that pass values to each other.
  var runDepth = 0

  fileprivate mutating func beginSubjects() { swap(&open, &resuming) }

  fileprivate mutating func beginClients() { swap(&written, &ending) }
}

extension Engine {
  /// Sends the client's bytes when the turn ends, and resumes its streams.
  func scheduleEndOfTurn(_ client: Client) { turn.written.append(client) }

  /// Has the stores do pending work before the turn ends.
  package func scheduleStoreWork() { turn.hasStoreWork = true }

  /// Resumes `subject` before the turn ends.
  package func scheduleResume(_ subject: ServerSubject) { turn.open.append(subject) }

  package func releaseLater(_ object: AnyObject) { turn.deferredReleases.append(object) }

  /// Ends a pipeline that holds too much, at the end of this turn.
  func endSoon(_ context: RunningContext, _ failure: PipelineFailure) {
    turn.overdrawn.append((context, failure))
  }

  package func nextTurn(_ work: @escaping () -> Void) {
    counters.postponed += 1
    turn.upcoming.append(work)
    guard turn.upcoming.count == 1 else { return }
    loop.post { [self] in
      activity.record(.later)
      let works = turn.upcoming
      turn.upcoming.removeAll(keepingCapacity: true)
      for work in works { work() }
    }
  }

  func beginTurn(movesClock: Bool) {
    timeSlice.beginTurn()
    guard movesClock else { return }
    let nanoseconds = loop.now
    activity.beginTurn(at: nanoseconds)
    turn.mayRunDue = true
    turn.uncountedSince = Int64(clamping: nanoseconds)
    clock.show(.init(nanoseconds: Int64(clamping: nanoseconds)))
  }

  func endTurn() {
    counters.turns += 1
    ledger.turnEnds()
    settle()
    if turn.mayRunDue, let due = clock.nextDeadline, due <= clock.now { runDue() }
    if !turn.deferredReleases.isEmpty {
      if !turn.late.isEmpty { turn.late.keep(turn.deferredReleases) }
      turn.deferredReleases.removeAll(keepingCapacity: true)
    }
    if turn.measuresTime { watchTurn() }
  }

  /// Counts the time of the turn, and has values followed that came in it.
  private func watchTurn() {
    guard turn.uncountedSince > 0 else { return watch.turnEnds(from: now, to: now) }
    let (start, end) = (turn.uncountedSince, Int64(clamping: loop.now))
    turn.uncountedSince = end
    watch.worked(end - start)
    watch.turnEnds(from: start, to: end)
  }

  /// Runs due timers, once a turn.
  ///
  /// Pending input is read before timeouts are judged, because the process may have been stopped.
  private func runDue() {
    turn.mayRunDue = false
    loop.readWhatWaits()
    settle()
    activity.record(.timers)
    timeSlice.beginTurn()
    // The rest runs in the next turn if the time slice is used up.
    while timeSlice.step(), clock.runFirstDue() {}
    settle()
  }

  /// How often a turn resumes subjects and streams before other sockets are served.
  private static let rounds = 64

  /// Resumes what has work at the end of a turn.
  private func settle() {
    var rounds = Self.rounds
    while !turn.written.isEmpty || !turn.open.isEmpty || turn.hasEvents || turn.hasStoreWork
      || !turn.overdrawn.isEmpty
    {
      guard rounds > 0 else { return nextTurn {} }
      rounds -= 1
      if !turn.overdrawn.isEmpty { endOverdrawn() }
      if turn.hasEvents { ownSubjects.events.deliver() }
      activity.record(.subjects)
      turn.beginSubjects()
      turn.resuming.forEach { $0.resume() }
      turn.resuming.removeAll()
      if turn.hasStoreWork { stores.endTurn() }
      turn.beginClients()
      if turn.ending.count > Self.many {
        endMany()
      } else {
        if loop.threads > 1 { flushLarge(0..<turn.ending.count) }
        turn.ending.forEach { $0.endTurn() }
      }
      turn.ending.removeAll()
    }
  }

  private func endOverdrawn() {
    let ending = turn.overdrawn
    turn.overdrawn.removeAll()
    for (context, failure) in ending { context.fail(failure) }
  }
}

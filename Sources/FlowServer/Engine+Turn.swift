internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowTransport

/// What a turn of an engine has yet to do, and what it leaves to a later one.
///
/// It is read and changed one field at a time: whoever is let go on adds to it.
struct EngineTurn {
  /// Clients that were written values in this turn: their streams may have room again once sent.
  fileprivate var written = TurnList<Client>()
  var ending = TurnList<Client>()
  /// Those that there was no time for.
  var late = LateClients()
  /// The turn that sends to many, and until when it does.
  var sending: (turn: UInt64?, until: UInt64) = (nil, 0)
  /// Subjects that may hand out values or grants now.
  fileprivate var open = TurnList<ServerSubject>()
  fileprivate var resuming = TurnList<ServerSubject>()
  /// Whether something has happened that is still to be told.
  var hasEvents = false
  /// Whether a store has something to do.
  var hasStoreWork = false
  /// Running pipelines that hold more than they may.
  fileprivate var overdrawn: [(context: RunningContext, failure: PipelineFailure)] = []
  /// What is to be done in a turn of its own, so that what else is ready comes first.
  fileprivate var upcoming: [() -> Void] = []
  /// Whether what is due has yet to be run in this turn.
  fileprivate var mayRunDue = false
  /// Kept until the end of the turn, since a loop further up may still hold them unretained.
  fileprivate var deferredReleases: [AnyObject] = []
  /// Whether somebody wants to know for how much of its time the loop is at work.
  var measuresTime = false
  /// Since when the time of this turn has not been counted.
  fileprivate var uncountedSince: Int64 = 0
  /// How many runs are handing on what they make of what another of them does.
  var runDepth = 0

  fileprivate mutating func beginSubjects() { swap(&open, &resuming) }

  fileprivate mutating func beginClients() { swap(&written, &ending) }
}

extension Engine {
  /// Asks to send the client's bytes when the turn ends, and to look at what it can do then.
  func scheduleEndOfTurn(_ client: Client) { turn.written.append(client) }

  /// Asks to let `subject` go on before the turn ends.
  func scheduleResume(_ subject: ServerSubject) { turn.open.append(subject) }

  /// Keeps `object` until the end of the turn.
  func releaseLater(_ object: AnyObject) { turn.deferredReleases.append(object) }

  /// Ends a pipeline that holds too much, with this turn.
  func endSoon(_ context: RunningContext, _ failure: PipelineFailure) {
    turn.overdrawn.append((context, failure))
  }

  /// Does `work` in a turn after this one.
  func nextTurn(_ work: @escaping () -> Void) {
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

  // MARK: Its course

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
    if turn.measuresTime, turn.uncountedSince > 0 { countTime() }
  }

  private func countTime() {
    let now = Int64(clamping: loop.now)
    watch.worked(now - turn.uncountedSince)
    turn.uncountedSince = now
  }

  /// Runs what is due, once a turn, and what follows from it.
  ///
  /// Whoever is judged by the time, as one that says nothing or that holds others up, is so after
  /// all that waits at the sockets has been read: the process may have been stopped meanwhile.
  private func runDue() {
    turn.mayRunDue = false
    loop.readWhatWaits()
    settle()
    activity.record(.timers)
    timeSlice.beginTurn()
    // With more due than a turn has time for, the rest comes in the next one.
    while timeSlice.step(), clock.runFirstDue() {}
    settle()
  }

  /// How often a turn lets subjects and streams go on before other sockets have theirs.
  private static let rounds = 64

  /// Lets those go on who have something to do at the end of a turn.
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

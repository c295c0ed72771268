public import Dispatch
import Synchronization

/// Sockets served by one serial queue, in turns.
///
/// A turn reads the ready sockets, hands the input to the handlers, resumes connections, and at its
/// end sends the output of each connection at once. Only then are closed and failed connections
/// reported and freed.
///
/// A loop that is released closes its sockets without notice.
///
/// Unchecked: its variables are used on the queue only, except by the entries that say so.
public final class EventLoop: @unchecked Sendable {
  /// The queue of all events; post work with `post`.
  public let queue: DispatchQueue

  /// Called before the events of a turn.
  ///
  /// Set this closure and the next two before anything is registered.
  public var turnWillStart: (() -> Void)? {
    get { state.turnWillStart }
    set { state.turnWillStart = newValue }
  }

  /// Called after the events of a turn and before output is sent; again if it causes more events.
  public var turnWillEnd: (() -> Void)? {
    get { state.turnWillEnd }
    set { state.turnWillEnd = newValue }
  }

  /// The monotonic time in nanoseconds of the next turn, even if no socket is ready.
  ///
  /// It is read at the end of a turn. A time in the past causes another turn at once.
  public var nextDeadline: (() -> UInt64?)? {
    get { state.nextDeadline }
    set { state.nextDeadline = newValue }
  }

  /// The bytes read from all connections; read it on the queue.
  public var bytesRead: Int { turnState.bytesRead }
  /// The bytes written to all connections; read it on the queue.
  public var bytesWritten: Int { turnState.bytesWritten }

  /// Identifies the loop on its queue.
  private static let current = DispatchSpecificKey<ObjectIdentifier>()

  /// The number of the current turn, if there is one; on any thread.
  public var turnUnderWay: UInt64? {
    let number = turnNumber.load(ordering: .acquiring)
    return number % 2 == 1 ? number : nil
  }

  /// Odd during a turn.
  private let turnNumber = Atomic<UInt64>(0)

  package let platform: any Platform

  let turnState: TurnState
  let poller: any Poller
  private let nextConnection = Atomic<Int>(1)
  /// The open connections; each `place` is an index.
  private(set) var connections: ContiguousArray<Connection> = []
  private var listeners: [ObjectIdentifier: Listener] = [:]
  private var armed: UInt64?

  private struct State {
    var turnWillStart: (() -> Void)?
    var turnWillEnd: (() -> Void)?
    var nextDeadline: (() -> UInt64?)?
    var delayed = DelayedWork()
    var finished: [Connection] = []
  }

  @safe @exclusivity(unchecked) private var state = State()  // memory 6

  package init(label: String, platform: any Platform) {
    self.platform = platform
    queue = DispatchQueue(label: label)
    poller = platform.makePoller(on: queue)
    turnState = TurnState(platform)
    queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    poller.start(self)
  }

  deinit {
    for listener in listeners.values { listener.abandon() }
    for connection in connections { connection.abandon() }
  }

  package var now: UInt64 { platform.monotonicNanoseconds }

  /// Runs work on the queue as a turn of its own; on any thread.
  ///
  /// If the loop is gone by then, the work runs without a turn.
  public func post(_ work: @escaping @Sendable () -> Void) {
    poller.enqueue { @Sendable [weak self] in
      guard let self else { return work() }
      turn(work)
      armTimer()
    }
  }

  /// Whether the caller runs on the loop's queue.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self)
  }
}

// MARK: - A turn

extension EventLoop {
  /// Runs `events` and everything that follows from them.
  package func turn(_ events: () -> Void) {
    dispatchPrecondition(condition: .onQueue(queue))
    turnState.isUnderWay = true
    countTurn()
    state.turnWillStart?()
    if state.delayed.nextDue != nil {
      for work in state.delayed.takeDue(at: now) { work() }
    }
    events()
    repeat {
      turnState.resume()
      state.turnWillEnd?()
      if !turnState.hasRunnable { turnState.settle() }
    } while !turnState.isSettled
    if !state.finished.isEmpty { state.finished.removeAll(keepingCapacity: true) }
    turnState.isUnderWay = false
    countTurn()
  }

  /// Marks the begin or end of a turn; only the queue writes the number.
  private func countTurn() {
    turnNumber.store(turnNumber.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }
}

extension EventLoop {
  /// Reads the waiting input within a turn, before time-driven work.
  public func readWhatWaits() { poller.deliverWhatIsReady() }

  var openCount: Int { connections.count + listeners.count }
}

// MARK: - Deadlines

extension EventLoop {
  package var nextDue: UInt64? {
    guard let due = state.nextDeadline?() else { return state.delayed.nextDue }
    return min(due, state.delayed.nextDue ?? due)
  }

  package var isDue: Bool {
    guard let due = nextDue else { return false }
    return due <= now
  }

  /// Runs work in a turn at a given time; call it on the queue.
  func run(at due: UInt64, _ work: @escaping () -> Void) {
    state.delayed.add(due, work)
  }

  /// Arms the timer for the next deadline, if it changed.
  package func armTimer() {
    let due = nextDue
    if due == armed { return }
    armed = due
    poller.arm(due)
  }

  /// Handles the armed time.
  package func timerFired() {
    armed = nil
    turn {}
    armTimer()
  }
}

// MARK: - Sockets

extension EventLoop {
  func makeConnectionID() -> Int {
    nextConnection.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  func add(_ connection: Connection) {
    connection.place = Int32(connections.count)
    connections.append(connection)
  }

  /// Releases a connection at the end of the turn.
  func remove(_ connection: Connection) {
    state.finished.append(connection)
    guard connection.place >= 0, let last = connections.popLast() else { return }
    if last !== connection {
      connections[Int(connection.place)] = last
      last.place = connection.place
    }
    connection.place = -1
  }

  func add(_ listener: Listener) {
    listeners[ObjectIdentifier(listener)] = listener
  }

  func remove(_ listener: Listener) {
    listeners[ObjectIdentifier(listener)] = nil
  }
}

public import Dispatch
import Synchronization

/// Sockets served by one serial queue.
///
/// What happens on the queue happens in turns. A turn takes the sockets that are ready, hands their
/// input to their handlers, lets connections that were resumed go on, and at its end sends the
/// output of each connection at once. Connections that failed or were closed are told and freed
/// only then.
///
/// Whoever holds a loop keeps it alive. When it goes, what is open on it is closed without a word.
///
/// Unchecked: its variables are touched on the queue only, but for the few entries that say so.
public final class EventLoop: @unchecked Sendable {
  /// The queue that everything happens on; work for it goes through `post`.
  public let queue: DispatchQueue

  /// Called before the events of a turn.
  ///
  /// This closure and the next two are to be set before anything is registered.
  public var turnWillStart: (() -> Void)? {
    get { state.turnWillStart }
    set { state.turnWillStart = newValue }
  }

  /// Called after the events of a turn and before output is sent; again if that makes more work.
  public var turnWillEnd: (() -> Void)? {
    get { state.turnWillEnd }
    set { state.turnWillEnd = newValue }
  }

  /// The monotonic time in nanoseconds at which a turn shall start though no socket is ready.
  ///
  /// Asked at the end of a turn. With a time that has passed another turn comes at once.
  public var nextDeadline: (() -> UInt64?)? {
    get { state.nextDeadline }
    set { state.nextDeadline = newValue }
  }

  /// Bytes read from all its connections; to be asked for on the queue.
  public var bytesRead: Int { turnState.bytesRead }
  /// Bytes written to all its connections; to be asked for on the queue.
  public var bytesWritten: Int { turnState.bytesWritten }

  /// Its value on the queue is the loop.
  private static let current = DispatchSpecificKey<ObjectIdentifier>()

  /// The number of the turn that is under way, if one is; from any thread.
  public var turnUnderWay: UInt64? {
    let number = turnNumber.load(ordering: .acquiring)
    return number % 2 == 1 ? number : nil
  }

  /// Odd while a turn is under way.
  private let turnNumber = Atomic<UInt64>(0)

  /// The source of sockets and time.
  package let platform: any Platform

  let turnState: TurnState
  let poller: any Poller
  private let nextConnection = Atomic<Int>(1)
  /// The open connections, each at its `place`.
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

  /// Creates a loop; it serves what is registered from then on.
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

  /// Nanoseconds of the clock that deadlines are read from.
  package var now: UInt64 { platform.monotonicNanoseconds }

  /// Runs work on the queue, as a turn of its own; from any thread.
  ///
  /// If the loop is gone by then the work is run all the same, without a turn.
  public func post(_ work: @escaping @Sendable () -> Void) {
    poller.enqueue { @Sendable [weak self] in
      guard let self else { return work() }
      turn(work)
      armTimer()
    }
  }

  /// Whether the caller runs on the queue.
  var isCurrent: Bool {
    DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self)
  }
}

// MARK: - A turn

extension EventLoop {
  /// Runs `events` and all that follows from them.
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

  /// Counts the begin or the end of a turn; only the queue writes the number.
  private func countTurn() {
    turnNumber.store(turnNumber.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }
}

extension EventLoop {
  /// Within a turn: reads what waits at the sockets, before something is done because of the time.
  public func readWhatWaits() { poller.deliverWhatIsReady() }

  /// The number of sockets.
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

  /// Runs work in a turn at the given time; on the queue.
  func run(at due: UInt64, _ work: @escaping () -> Void) {
    state.delayed.add(due, work)
  }

  /// Sets the timer to the next deadline, if that changed.
  package func armTimer() {
    let due = nextDue
    if due == armed { return }
    armed = due
    poller.arm(due)
  }

  /// The time that the poller was armed with has come.
  package func timerFired() {
    armed = nil
    turn {}
    armTimer()
  }
}

// MARK: - What is open

extension EventLoop {
  func makeConnectionID() -> Int {
    nextConnection.wrappingAdd(1, ordering: .relaxed).oldValue
  }

  func add(_ connection: Connection) {
    connection.place = Int32(connections.count)
    connections.append(connection)
  }

  /// Lets go of a connection, at the end of the turn.
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

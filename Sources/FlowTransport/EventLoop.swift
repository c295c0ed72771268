internal import CLinux
public import Dispatch
internal import Glibc
internal import Synchronization

/// One serial queue that owns sockets: takes what is ready, hands it over, then sends once.
///
/// A turn is: `turnWillStart`, the input of every ready socket, `turnWillEnd`, and what there is to
/// send. Connections, listeners and all that their handlers touch belong to the queue.
public final class EventLoop: @unchecked Sendable {  // its state is touched only on `queue`
  /// Which kernel interface watches the sockets.
  public enum PollerKind: Sendable {
    /// An epoll set; Linux only.
    case epoll
    /// A Dispatch source for each socket.
    case dispatchSources
  }

  #if os(Linux) && !FLOW_DISPATCH_SOURCES
  /// The kind that is used when none is named.
  public static let defaultPoller = PollerKind.epoll
  #else
  /// The kind that is used when none is named.
  public static let defaultPoller = PollerKind.dispatchSources
  #endif

  /// The most that one read takes.
  static let readSize = 64 << 10

  /// The queue that everything is touched on.
  public let queue: DispatchQueue

  /// Called before the events of a turn; set it before anything is registered.
  public var turnWillStart: (() -> Void)?
  /// Called after the events of a turn, before what there is to send is sent; it may be called
  /// more than once a turn, when connections go on reading.
  public var turnWillEnd: (() -> Void)?
  /// The monotonic time, in nanoseconds, of the next timer: when it passes a turn starts.
  public var nextDeadline: (() -> UInt64?)?

  let readBuffer = UnsafeMutableRawPointer.allocate(byteCount: readSize, alignment: 64)
  var pool = ChunkPool()
  private(set) var poller: (any Poller)?
  private let timer: any DispatchSourceTimer
  private var connections: [Int: Connection] = [:]
  private var nextID = 1
  private var dirty: [Connection] = []
  private var runnable: [Connection] = []
  private var doomed: [Connection] = []
  private var graveyard: [Connection] = []
  private var depth = 0

  /// Makes a loop; `label` names its queue.
  public init(label: String, poller kind: PollerKind = EventLoop.defaultPoller) {
    queue = DispatchQueue(label: label)
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer.schedule(deadline: .distantFuture)
    let box = LoopBox(self)
    timer.setEventHandler { @Sendable in box.loop?.turn {} }
    timer.activate()
    switch kind {
    #if os(Linux)
    case .epoll:
      let poller = EpollPoller(loop: self)
      self.poller = poller
      poller.start()
    #else
    case .epoll: poller = SourcePoller(loop: self)
    #endif
    case .dispatchSources: poller = SourcePoller(loop: self)
    }
  }

  deinit {
    timer.cancel()
    for connection in connections.values { poller?.remove(connection) }
    pool.removeAll()
    readBuffer.deallocate()
  }

  /// Nanoseconds on the clock of `nextDeadline`.
  public static var monotonicNanoseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Raises the number of descriptors this process may have to what the system allows.
  public static func raiseDescriptorLimit() {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }

  /// Runs `work` as a turn of its own, soon; may be called from any thread.
  public func post(_ work: @escaping @Sendable () -> Void) {
    queue.async { self.turn(work) }
    poller?.wake()
  }

  // MARK: Sockets

  /// Takes connections at `address`, on the queue; each must be given a handler in `accept`.
  public func listen(
    on address: SocketAddress,
    accept: @escaping (Connection) -> Void
  ) throws(TransportError) -> Listener {
    dispatchPrecondition(condition: .onQueue(queue))
    return try Listener(address, loop: self, accept: accept)
  }

  /// Takes over a connected socket.
  func adopt(_ descriptor: Int32, peer: SocketAddress? = nil) -> Connection {
    var one: Int32 = 1
    // Fails harmlessly on a Unix socket.
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
    let peer = peer ?? SocketAddress(of: descriptor, getpeername) ?? SocketAddress(.unix(""))
    let connection = Connection(id: nextID, descriptor: descriptor, peer: peer, loop: self)
    nextID += 1
    connections[connection.id] = connection
    poller?.add(connection)
    return connection
  }

  /// Adopts a socket from `connect(to:)` with its handler, on the queue.
  public func register(_ socket: ConnectedSocket, handler: any ConnectionHandler) -> Connection {
    dispatchPrecondition(condition: .onQueue(queue))
    let connection = adopt(socket.descriptor, peer: socket.peer)
    connection.handler = handler
    return connection
  }

  func interestChanged(_ connection: Connection) {
    if connection.life != .closed { poller?.update(connection) }
  }

  // MARK: The turn

  func noteDirty(_ connection: Connection) { dirty.append(connection) }
  func noteDoomed(_ connection: Connection) { doomed.append(connection) }

  /// Gives the connection's kept input to its handler before this turn ends.
  func enqueue(_ connection: Connection) {
    guard !connection.isQueued else { return }
    connection.isQueued = true
    runnable.append(connection)
  }

  /// Goes on reading a connection in a turn of its own, after the others had theirs.
  func enqueueLater(_ connection: Connection) {
    let id = connection.id
    post { [weak self] in
      guard let self, let connection = connections[id] else { return }
      enqueue(connection)
    }
  }

  /// Runs `events` as a turn.
  func turn(_ events: () -> Void) {
    guard depth == 0 else { return events() }
    depth = 1
    turnWillStart?()
    events()
    endTurn()
    depth = 0
    armTimer()
  }

  private func endTurn() {
    repeat {
      turnWillEnd?()
      let written = dirty
      dirty.removeAll(keepingCapacity: true)
      for connection in written { connection.flush() }
      let dead = doomed
      doomed.removeAll()
      for connection in dead { close(connection) }
      let next = runnable
      runnable.removeAll(keepingCapacity: true)
      for connection in next {
        connection.isQueued = false
        if connection.offerAgain() { enqueueLater(connection) }
      }
      if next.isEmpty, dead.isEmpty, dirty.isEmpty, doomed.isEmpty, runnable.isEmpty { break }
    } while true
    graveyard.removeAll()
  }

  private func close(_ connection: Connection) {
    graveyard.append(connection)
    connections[connection.id] = nil
    connection.finish()
    poller?.remove(connection)
  }

  // MARK: Timers

  /// Nanoseconds until the next deadline.
  var untilDeadline: Int {
    guard let deadline = nextDeadline?() else { return .max }
    let now = Self.monotonicNanoseconds
    return deadline <= now ? 0 : Int(clamping: deadline - now)
  }

  func turnIfDue() {
    if untilDeadline == 0 { turn {} }
  }

  private var armed: UInt64 = .max

  /// Sets the timer to the next deadline, for when nothing else wakes the queue.
  func armTimer() {
    let deadline = nextDeadline?() ?? .max
    guard deadline != armed else { return }
    armed = deadline
    let time =
      deadline == .max
      ? DispatchTime.distantFuture : DispatchTime(uptimeNanoseconds: max(deadline, 1))
    timer.schedule(deadline: time, leeway: .nanoseconds(0))
  }
}

/// Lets a source's handler find its loop, if that still lives.
final class LoopBox: @unchecked Sendable {  // read only on the loop's queue
  weak var loop: EventLoop?
  init(_ loop: EventLoop) { self.loop = loop }
}

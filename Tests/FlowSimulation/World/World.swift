package import Dispatch
package import FlowTransport
import Glibc

/// A simulated machine, network and time, in which a seed decides everything random.
///
/// One thing happens at a time: loops and clients run on the thread that calls `run`; work that may
/// wait runs on strands, which take turns with it. So two worlds with the same seed and the same
/// programs are identical in every byte.
///
/// Unchecked, since only one thread runs at a time.
package final class World: Platform, @unchecked Sendable {
  var dice: Dice
  /// The time in nanoseconds; the world begins at one second.
  package private(set) var now: UInt64 = 1_000_000_000
  private var agenda = Agenda()
  private var pollers: [Weak<SimulatedPoller>] = []
  /// The number of loops made so far.
  package private(set) var loopsMade = 0
  private var pausing: [Strand] = []
  /// The strand that runs now.
  private var strand: Strand?
  /// The process whose work runs now on the world's own thread, if that can be killed.
  private var running: Strand.Owner?
  private var sockets: [Int32: SimulatedSocket] = [:]
  private var listeners: [Int32: SimulatedListener] = [:]
  private var nextDescriptor: Int32 = 3
  private var nextPort: UInt16 = 50_000
  private var signals: [SignalKey: Signal] = [:]
  private var processor: UInt64 = 0
  /// The connections that programs have made.
  private var dialed: [Weak<SimulatedSocket>] = []

  /// The files of the machine.
  package var files: [String: [UInt8]] = [:]
  /// Files that cannot be read or written now.
  package var brokenFiles: Set<String> = []
  /// Returns the memory of the process in bytes.
  package var memory: () -> Int = { 64 << 20 }
  /// Whether the process has no free descriptors now.
  package var isExhausted = false
  /// The percentage of transmissions that are split.
  package var splits = 20
  /// The longest usual delay of the network, in nanoseconds.
  package var slowness: UInt64 = 2_000_000
  /// Called with each line of the log.
  package var logged: (String) -> Void = { _ in }
  /// Called when the process wants to end itself.
  package var processEnded: () -> Void = {}
  /// How long the machine has slept in all, in nanoseconds.
  package private(set) var slept: UInt64 = 0

  private struct Weak<Object: AnyObject> {
    weak var object: Object?
  }

  package init(seed: UInt64) { dice = Dice(seed: seed) }

  // MARK: Events

  func at(_ time: UInt64, _ act: @escaping () -> Void) { agenda.add(at: max(time, now), act) }

  package func after(_ nanoseconds: UInt64, _ act: @escaping () -> Void) {
    agenda.add(at: now &+ nanoseconds, act)
  }

  /// Returns a random delay of the network, in nanoseconds.
  func delay() -> UInt64 {
    if dice.chance(2) { return UInt64(dice.size(upTo: Int(slowness) * 20)) }
    return UInt64(dice.pick(1_000...max(2_000, Int(slowness))))
  }

  /// Lets one thing happen before `limit`; returns false if nothing is due by then.
  private func step(before limit: UInt64) -> Bool {
    pollers.removeAll { $0.object == nil }
    var ready: [any Ready] = []
    var next = agenda.next
    var time = next
    func consider(_ one: any Ready) {
      guard let due = one.time(now: now) else { return }
      if due <= now { ready.append(one) }
      time = min(time ?? due, due)
    }
    for poller in pollers { poller.object.map(consider) }
    for strand in pausing { consider(strand) }
    // Sometimes other events come first, as if a loop woke slowly.
    if let event = next, !ready.isEmpty, event <= now || event < now + 300_000 && dice.chance(20) {
      if event <= now || dice.chance(50) { ready = [] } else { next = nil }
    }
    if !ready.isEmpty {
      goOn(dice.pick(ready))
      return true
    }
    guard let time, time <= limit else { return false }
    now = max(now, time)
    if agenda.next.map({ $0 <= now }) ?? false { agenda.takeFirst()?() }
    return true
  }

  private func goOn(_ ready: any Ready) {
    switch ready {
    case let strand as Strand:
      pausing.removeAll { $0 === strand }
      follow(strand)
    case let poller as SimulatedPoller where poller.owner?.waitsInTurns ?? false:
      poller.isBusy = true
      begin(poller.owner) {
        poller.serve()
        poller.isBusy = false
      }
    case let poller as SimulatedPoller: run(as: poller.owner) { poller.serve() }
    default: break
    }
  }

  /// Runs `work` on a strand until it pauses or ends.
  private func begin(_ owner: Strand.Owner?, _ work: @escaping () -> Void) {
    follow(Strand.take(owner, work))
  }

  private func follow(_ strand: Strand) {
    self.strand = strand
    strand.follow()
    self.strand = nil
    if strand.isPausing { pausing.append(strand) }
  }

  /// The process whose work runs now, if it can be killed.
  private var process: Strand.Owner? {
    if let strand { strand.owner } else { running }
  }

  /// Does work of a process on the world's own thread: what it begins is the process's.
  func run<R, E: Error>(as process: Strand.Owner?, _ work: () throws(E) -> R) throws(E) -> R {
    let before = running
    running = process
    defer { running = before }
    return try work()
  }

  /// Kills a process: closes its sockets at once, while its strands still unwind.
  func kill(_ owner: Strand.Owner) {
    owner.isDead = true
    for strand in pausing where strand.owner === owner { strand.hurry(to: now + 1_000_000_000) }
    for poller in pollers.compactMap(\.object) where poller.owner === owner { poller.closeAll() }
  }

  /// Runs `work` of a process after a time, on a strand, so that it may wait.
  func run(in owner: Strand.Owner?, after nanoseconds: UInt64, _ work: @escaping () -> Void) {
    after(nanoseconds) { [weak self] in self?.begin(owner, work) }
  }

  private func pause(
    _ strand: Strand,
    for semaphore: DispatchSemaphore?,
    until end: UInt64
  ) -> Bool {
    let isDead = strand.owner?.isDead ?? false
    return strand.pause(for: semaphore, until: isDead ? min(end, now + 1_000_000_000) : end)
  }

  /// Lets `nanoseconds` pass.
  package func run(for nanoseconds: UInt64) {
    let end = now + nanoseconds
    if let strand {
      _ = pause(strand, for: nil, until: end)
      return
    }
    while step(before: end) {}
    now = max(now, end)
  }

  /// Lets time pass until `isDone` returns true, at most `nanoseconds`; returns whether it does.
  package func run(atMost nanoseconds: UInt64, until isDone: () -> Bool) -> Bool {
    let end = now + nanoseconds
    while !isDone() {
      if !step(before: end) { return isDone() }
    }
    return true
  }

  /// Lets time pass without running anything, as when a laptop is closed.
  package func sleep(_ nanoseconds: UInt64) {
    now += nanoseconds
    slept += nanoseconds
  }

  /// The numbers of loops and sockets that still exist.
  package var remains: (loops: Int, sockets: Int) {
    (pollers.count { $0.object != nil }, sockets.count + listeners.count)
  }

  // MARK: Time and chance

  /// The time; each reading takes 50 ns, so that a loop that waits for time to pass ends.
  package var monotonicNanoseconds: UInt64 {
    now += 50
    return now
  }

  package var processNanoseconds: UInt64 { processor }

  package var descriptors: (open: Int, most: Int) { (sockets.count + listeners.count, 1024) }

  package var calendarNanoseconds: Int64 { 1_767_225_600_000_000_000 + Int64(now) }

  package var processorNanoseconds: UInt64 {
    let spent = UInt64(dice.size(upTo: 200_000))
    processor += spent
    now += spent
    return processor
  }

  package func random() -> UInt64 { dice.number() }

  package var hostName: String { "world" }

  // MARK: Threads

  package func makePoller(on queue: DispatchQueue) -> any Poller {
    let poller = SimulatedPoller(queue, self, owner: process)
    pollers.append(Weak(object: poller))
    loopsMade += 1
    return poller
  }

  package func run(after nanoseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
    run(in: process, after: nanoseconds &+ UInt64(dice.size(upTo: 100_000)), work)
  }

  package func wait(for semaphore: DispatchSemaphore, atMost nanoseconds: UInt64?) -> Bool {
    let end = nanoseconds.map { now &+ $0 } ?? .max
    if let strand { return pause(strand, for: semaphore, until: end) }
    while !semaphore.isSignalled {
      guard step(before: end) else {
        precondition(nanoseconds != nil, "waits for a semaphore that nothing will signal")
        now = max(now, end)
        return false
      }
    }
    return true
  }

  package func wait(for group: DispatchGroup, atMost nanoseconds: UInt64) -> Bool {
    let result = group.wait(timeout: .now() + .seconds(600))
    precondition(result == .success, "waited 600 s for the work of a group")
    return true
  }

  package func performAtOnce(_ count: Int, _ work: @Sendable (Int) -> Void) {
    for index in 0..<count { work(index) }
  }

  // MARK: Sockets

  package func listen(on address: SocketAddress) throws(TransportError) -> any ListeningSocket {
    var place = address
    if address.port == 0 {
      nextPort += 1
      place = try SocketAddress(parsing: "\(address.host):\(nextPort)")
    }
    guard !listeners.values.contains(where: { $0.address == place }) else {
      let message = "address already in use"
      throw TransportError(call: "bind \(place)", errno: EADDRINUSE, message: message)
    }
    let listener = SimulatedListener(place, takeDescriptor(), self)
    listeners[listener.descriptor] = listener
    return listener
  }

  private func takeDescriptor() -> Int32 {
    defer { nextDescriptor += 1 }
    return nextDescriptor
  }

  package func connect(
    to address: SocketAddress,
    within nanoseconds: UInt64
  ) throws(TransportError) -> ConnectedSocket {
    guard !(process?.isDead ?? false), let socket = dial(address) else {
      let message = "connection refused"
      throw TransportError(call: "connect \(address)", errno: ECONNREFUSED, message: message)
    }
    socket.isPrograms = true
    dialed.append(Weak(object: socket))
    return ConnectedSocket(descriptor: socket.descriptor, peer: address)
  }

  /// Resets one of the connections that programs have made.
  func cutSomeConnection() {
    dialed.removeAll { $0.object?.isClosed ?? true }
    guard !dialed.isEmpty, let socket = dice.pick(dialed).object else { return }
    socket.other?.hearReset()
    socket.hearReset()
  }

  /// Connects to whoever listens at `address`; nil if nobody does.
  func dial(_ address: SocketAddress, from host: String = "127.0.0.1") -> SimulatedSocket? {
    guard let listener = listeners.values.first(where: { $0.address == address }) else {
      return nil
    }
    let there = Pipe(capacity: bufferSize())
    let back = Pipe(capacity: bufferSize())
    nextPort = nextPort == .max ? 50_000 : nextPort + 1
    guard let place = try? SocketAddress(parsing: "\(host):\(nextPort)") else { return nil }
    let near = SimulatedSocket(
      takeDescriptor(),
      peer: address,
      world: self,
      input: back,
      output: there
    )
    let far = SimulatedSocket(
      takeDescriptor(),
      peer: place,
      world: self,
      input: there,
      output: back
    )
    far.isPrograms = true
    near.other = far
    far.other = near
    sockets[near.descriptor] = near
    sockets[far.descriptor] = far
    after(delay()) { [weak self] in
      guard !listener.isClosed else {
        self?.reset(far)
        return
      }
      listener.waiting.append(far)
      listener.wake?()
    }
    return near
  }

  /// What both kernels keep of one direction.
  private func bufferSize() -> Int {
    dice.chance(70) ? 256 << 10 : dice.size(upTo: 512 << 10)
  }

  func signGiver(_ descriptor: Int32) -> (any SignGiver)? {
    sockets[descriptor] ?? listeners[descriptor]
  }

  package func read(_ descriptor: Int32, into place: UnsafeMutableRawPointer, _ most: Int) -> Int {
    sockets[descriptor]?.read(into: place, most) ?? -Int(EBADF)
  }

  package func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    sockets[descriptor]?.send(UnsafeRawBufferPointer(start: bytes, count: count)) ?? -Int(EBADF)
  }

  package func shutDownOutput(_ descriptor: Int32) { sockets[descriptor]?.shutDownOutput() }

  /// Nothing that is on its way is lost because an end follows it.
  package func unacknowledged(_ descriptor: Int32) -> Int { 0 }

  package func resetOnClose(_ descriptor: Int32) { sockets[descriptor]?.resetsOnClose = true }

  package func limitOutput(_ descriptor: Int32, to bytes: Int32) {}

  package func set(_ descriptor: Int32, _ keepAlive: KeepAlive) {
    sockets[descriptor]?.keepAlive = keepAlive
  }

  package func isUnanswered(_ descriptor: Int32, forSeconds seconds: UInt32) -> Bool {
    guard let vanished = sockets[descriptor]?.vanished else { return false }
    return now - vanished >= UInt64(seconds) * 1_000_000_000
  }

  package func pendingError(_ descriptor: Int32) -> Int32 {
    guard let socket = sockets[descriptor] else { return EBADF }
    return socket.error == 0 || socket.error == EPIPE ? ECONNRESET : socket.error
  }

  package func close(_ descriptor: Int32) {
    sockets[descriptor]?.close()
    if let listener = listeners.removeValue(forKey: descriptor) {
      listener.isClosed = true
      for socket in listener.waiting { reset(socket) }
      listener.waiting = []
    }
  }

  func reset(_ socket: SimulatedSocket) {
    socket.resetsOnClose = true
    socket.close()
  }

  /// A socket was closed by its owner; nobody knows its descriptor any more.
  func closed(_ socket: SimulatedSocket) { sockets[socket.descriptor] = nil }

  /// The kernel finds out that the peer of `socket` is gone, by the questions it asks.
  func watchVanished(_ socket: SimulatedSocket) {
    guard let vanished = socket.vanished else { return }
    let keepAlive = socket.keepAlive
    let seconds = UInt64(keepAlive.idle + keepAlive.interval * keepAlive.probes)
    let isWaiting = socket.output.underWay > 0
    let patience = (isWaiting ? 924 : seconds) * 1_000_000_000
    at(vanished + patience) { [weak socket] in
      guard let socket, !socket.isClosed, socket.error == 0 else { return }
      socket.error = ETIMEDOUT
      socket.wake?()
    }
    guard isWaiting == false else { return }
    // A shorter time may be asked for later.
    after(1_000_000_000) { [weak self, weak socket] in
      guard let self, let socket, !socket.isClosed, socket.error == 0 else { return }
      watchVanished(socket)
    }
  }

  // MARK: Memory

  package var residentMemory: Int { memory() }
  package func trimMemory() {}
  package func joinFreeMemory(_ joins: Bool) {}

  // MARK: Files

  /// How long the disk takes this time.
  private func slownessOfDisk() -> UInt64 {
    UInt64(dice.size(upTo: dice.chance(5) ? 10_000_000_000 : 50_000_000))
  }

  package func contents(ofFile path: String, mayWait: Bool) throws(TransportError) -> [UInt8] {
    run(for: slownessOfDisk())
    if brokenFiles.contains(path) {
      throw TransportError(call: "read \(path)", errno: EIO, message: "input/output error")
    }
    guard let bytes = files[path] else {
      throw TransportError(
        call: "read \(path)",
        errno: ENOENT,
        message: "no such file or directory"
      )
    }
    return bytes
  }

  package func replaceFile(_ path: String, with bytes: [UInt8]) throws(TransportError) {
    run(for: slownessOfDisk())
    if brokenFiles.contains(path) {
      throw TransportError(call: "write \(path)", errno: ENOSPC, message: "no space left on device")
    }
    files[path] = bytes
  }

  package func isReadableByOthers(_ path: String) -> Bool { false }

  // MARK: The process

  package func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) {
    signals[SignalKey(number, to: process)] = Signal(act: act)
  }

  private struct SignalKey: Hashable {
    let number: Int32
    let process: ObjectIdentifier?

    init(_ number: Int32, to process: Strand.Owner?) {
      self.number = number
      self.process = process.map { ObjectIdentifier($0) }
    }
  }

  /// What is done at a signal: once more if the signal has come meanwhile, as with the kernel's.
  private struct Signal {
    let act: @Sendable () -> Void
    var isActing = false
    var hasCome = false
  }

  /// A process gets a signal; nil is the one that cannot be killed.
  func raise(_ number: Int32, to process: Strand.Owner?) {
    let key = SignalKey(number, to: process)
    signals[key]?.hasCome = true
    guard let signal = signals[key], !signal.isActing else { return }
    signals[key]?.isActing = true
    run(as: process) {
      while signals[key]?.hasCome ?? false {
        signals[key]?.hasCome = false
        signal.act()
      }
    }
    signals[key]?.isActing = false
  }

  /// A process is gone, and nobody hears its signals any more.
  func forgetSignals(to process: Strand.Owner?) {
    let gone = process.map { ObjectIdentifier($0) }
    signals = signals.filter { $0.key.process != gone }
  }

  package func log(_ bytes: ArraySlice<UInt8>) -> Bool {
    if !(process?.isDead ?? false) { logged(String(decoding: bytes, as: UTF8.self)) }
    return true
  }

  package func endProcess(_ code: Int32) {
    if let process { process.ended() } else { processEnded() }
  }
}

/// What could go on.
protocol Ready {
  /// When it could: now, later, or when something happens.
  func time(now: UInt64) -> UInt64?
}

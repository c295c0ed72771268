package import Dispatch
internal import CLinux
import Glibc
import Synchronization

/// The machine that the process runs on.
///
/// Its tests make others of it, which know another time or another memory.
open class SystemPlatform: Platform, @unchecked Sendable {  // a class with `let`s only
  /// The default platform.
  public static let shared = SystemPlatform()

  private let memory = ProcessMemory()
  private let watched = Mutex<[SignalSource]>([])

  /// Makes the machine as it is.
  public init() {}

  // MARK: Time and chance

  open var monotonicNanoseconds: UInt64 { Self.nanoseconds(CLOCK_MONOTONIC) }

  open var calendarNanoseconds: Int64 { Int64(clamping: Self.nanoseconds(CLOCK_REALTIME)) }

  package var processorNanoseconds: UInt64 { Self.nanoseconds(CLOCK_THREAD_CPUTIME_ID) }

  package var processNanoseconds: UInt64 { Self.nanoseconds(CLOCK_PROCESS_CPUTIME_ID) }

  private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  package var descriptors: (open: Int, most: Int) {
    var limit = rlimit()
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    let most = unsafe getrlimit(kind, &limit) == 0 ? Int(clamping: limit.rlim_cur) : 0
    guard let folder = unsafe opendir("/proc/self/fd") else { return (0, most) }
    defer { unsafe closedir(folder) }
    // The folder itself, `.` and `..` are not counted.
    var count = -3
    while unsafe readdir(folder) != nil { count += 1 }
    return (max(0, count), most)
  }

  package func random() -> UInt64 { .random(in: 0...(.max)) }

  package var hostName: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 257) { name in
      unsafe name.initialize(repeating: 0)
      // One character less, so that it ends in any case.
      guard let start = name.baseAddress, unsafe gethostname(start, 256) == 0 else { return "" }
      return unsafe String(cString: start)
    }
  }

  // MARK: Threads

  package func makePoller(on queue: DispatchQueue) -> any Poller {
    EpollPoller(queue: queue)
  }

  package func run(after nanoseconds: UInt64, _ work: @escaping @Sendable () -> Void) {
    // A queue of its own, since each may wait.
    let queue = DispatchQueue(label: "flow.work")
    guard nanoseconds > 0 else { return queue.async(execute: work) }
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(clamping: nanoseconds)), execute: work)
  }

  package func wait(for semaphore: DispatchSemaphore, atMost nanoseconds: UInt64?) -> Bool {
    let deadline = nanoseconds.map { DispatchTime.now() + .nanoseconds(Int(clamping: $0)) }
    return semaphore.wait(timeout: deadline ?? .distantFuture) == .success
  }

  package func wait(for group: DispatchGroup, atMost nanoseconds: UInt64) -> Bool {
    group.wait(timeout: .now() + .nanoseconds(Int(clamping: nanoseconds))) == .success
  }

  package func performAtOnce(_ count: Int, _ work: @Sendable (Int) -> Void) {
    DispatchQueue.concurrentPerform(iterations: count, execute: work)
  }

  // MARK: Sockets

  package func listen(on address: SocketAddress) throws(TransportError) -> any ListeningSocket {
    try KernelListener(address)
  }

  package func connect(
    to address: SocketAddress,
    within nanoseconds: UInt64
  ) throws(TransportError) -> ConnectedSocket {
    try ConnectedSocket(connectingTo: address, within: nanoseconds)
  }

  package func limitOutput(_ descriptor: Int32, to bytes: Int32) {
    Socket.set(descriptor, SOL_SOCKET, SO_SNDBUF, bytes)
  }

  package func read(_ descriptor: Int32, into place: UnsafeMutableRawPointer, _ most: Int) -> Int {
    let count = unsafe Glibc.read(descriptor, place, most)
    return count < 0 ? -Int(errno) : count
  }

  package func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    let count = unsafe Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    return count < 0 ? -Int(errno) : count
  }

  package func shutDownOutput(_ descriptor: Int32) { Socket.shutDownOutput(descriptor) }

  package func unacknowledged(_ descriptor: Int32) -> Int { Socket.unacknowledged(descriptor) }

  package func resetOnClose(_ descriptor: Int32) { Socket.resetOnClose(descriptor) }

  package func set(_ descriptor: Int32, _ keepAlive: KeepAlive) {
    Socket.set(descriptor, keepAlive)
  }

  package func isUnanswered(_ descriptor: Int32, forSeconds seconds: UInt32) -> Bool {
    Socket.information(descriptor).map { KeepAlive.isUnanswered($0, forSeconds: seconds) } ?? false
  }

  package func pendingError(_ descriptor: Int32) -> Int32 { Socket.pendingError(descriptor) }

  package func close(_ descriptor: Int32) { Socket.close(descriptor) }

  // MARK: Memory

  open var residentMemory: Int { memory.resident }

  open func trimMemory() { memory.trim() }

  package func joinFreeMemory(_ joins: Bool) { memory.joinFree(joins) }

  // MARK: The process

  package func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void) {
    let kept = SignalSource(source: Self.signalSource(number, act))
    watched.withLock { $0.append(kept) }
  }

  /// Calls `act` at each such signal from now on, as long as what is returned is kept.
  package static func signalSource(
    _ number: Int32,
    _ act: @escaping @Sendable () -> Void
  ) -> any DispatchSourceSignal {
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(
      signal: number,
      queue: DispatchQueue(label: "flow.signals")
    )
    source.setEventHandler(handler: act)
    // Activation comes later, on another thread; a signal before it would be lost.
    let isActive = DispatchSemaphore(value: 0)
    source.setRegistrationHandler { @Sendable in isActive.signal() }
    source.activate()
    isActive.wait()
    return source
  }

  open func log(_ bytes: ArraySlice<UInt8>) -> Bool { Self.write(bytes, to: STDERR_FILENO) }

  package func endProcess(_ code: Int32) { _exit(code) }
}

/// Keeps a signal source as long as the platform.
private struct SignalSource: @unchecked Sendable {  // touched by nobody once it is active
  let source: any DispatchSourceSignal
}

package import Dispatch

/// All that a program takes from outside: time, chance, threads, sockets, memory, files, signals.
///
/// `SystemPlatform` is the machine. Whatever stands in its place decides when something comes and
/// what fails, so that a server and its clients can be led through every misfortune, and again
/// through the same one.
///
/// Its methods may be called on any thread, unless they say otherwise. Sockets are known by their
/// descriptors, do not wait, and fail with the kernel's error numbers.
package protocol Platform: AnyObject, Sendable {
  // MARK: Time and chance

  /// Nanoseconds of a clock that never goes back.
  var monotonicNanoseconds: UInt64 { get }

  /// Nanoseconds since 1970 began, by the calendar; they may go back.
  var calendarNanoseconds: Int64 { get }

  /// Nanoseconds that the calling thread has spent on a processor.
  var processorNanoseconds: UInt64 { get }

  /// Nanoseconds that the process has spent on processors.
  var processNanoseconds: UInt64 { get }

  /// Any number, each as likely.
  func random() -> UInt64

  /// The name of the machine.
  var hostName: String { get }

  // MARK: Threads

  /// Makes what wakes the loop that runs on `queue`.
  func makePoller(on queue: DispatchQueue) -> any Poller

  /// Runs `work` after that many nanoseconds, on a thread that it may block.
  func run(after nanoseconds: UInt64, _ work: @escaping @Sendable () -> Void)

  /// Waits until `semaphore` is signalled, at most that many nanoseconds, or without limit with
  /// nil.
  ///
  /// - Returns: whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, atMost nanoseconds: UInt64?) -> Bool

  /// Waits as long until all work of `group` is done, of which nothing outside can tell.
  func wait(for group: DispatchGroup, atMost nanoseconds: UInt64) -> Bool

  /// Calls `work` with all numbers below `count`, on as many threads at a time, and waits for all.
  func performAtOnce(_ count: Int, _ work: @Sendable (Int) -> Void)

  // MARK: Sockets

  /// Makes a socket that takes connections.
  func listen(on address: SocketAddress) throws(TransportError) -> any ListeningSocket

  /// Connects, waiting on the calling thread for at most the given nanoseconds.
  ///
  /// A name is looked up, which may take longer, and each address found is tried in turn.
  func connect(
    to address: SocketAddress,
    within nanoseconds: UInt64
  ) throws(TransportError) -> ConnectedSocket

  /// Limits the bytes that the kernel holds for a peer that does not read, to about `bytes`.
  func limitOutput(_ descriptor: Int32, to bytes: Int32)

  /// Reads up to `most` bytes; returns how many, 0 at the peer's end, or a negative error number.
  func read(_ descriptor: Int32, into place: UnsafeMutableRawPointer, _ most: Int) -> Int

  /// Sends what the kernel takes; returns how many bytes that are, or a negative error number.
  func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int

  /// Ends the output, as the peer will see.
  func shutDownOutput(_ descriptor: Int32)

  /// The number of sent bytes that the peer's kernel has not acknowledged yet.
  func unacknowledged(_ descriptor: Int32) -> Int

  /// Makes the close discard unsent output, and reset the connection.
  func resetOnClose(_ descriptor: Int32)

  /// Enables keep-alive probes; over TCP only.
  func set(_ descriptor: Int32, _ keepAlive: KeepAlive)

  /// Whether the peer has not answered for that many seconds, though the kernel keeps asking.
  func isUnanswered(_ descriptor: Int32, forSeconds seconds: UInt32) -> Bool

  /// The error that a hang-up has left behind.
  func pendingError(_ descriptor: Int32) -> Int32

  /// Closes a socket that no poller watches.
  func close(_ descriptor: Int32)

  // MARK: Memory

  /// The resident memory of the process in bytes; 0 if unknown.
  var residentMemory: Int { get }

  /// The number of open descriptors of the process, and the most allowed.
  var descriptors: (open: Int, most: Int) { get }

  /// Returns free memory to the system.
  func trimMemory()

  /// Makes the allocator join freed memory at once: returning memory and finding large blocks is
  /// then quick, and each allocation slower.
  func joinFreeMemory(_ joins: Bool)

  // MARK: Files

  /// The whole of a file; of a pipe only if it `mayWait` for the writer.
  func contents(ofFile path: String, mayWait: Bool) throws(TransportError) -> [UInt8]

  /// Puts `bytes` in the place of a file in one step: a reader finds the old or all of the new.
  ///
  /// Into what is there and no regular file they are written.
  func replaceFile(_ path: String, with bytes: [UInt8]) throws(TransportError)

  /// Whether users other than its owner can read a file.
  func isReadableByOthers(_ path: String) -> Bool

  // MARK: The process

  /// Calls `act` at each of these signals from now on, on a thread that it may keep waiting.
  func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void)

  /// Writes to standard error, waiting for its reader; returns whether all was written.
  func log(_ bytes: ArraySlice<UInt8>) -> Bool

  /// Ends the process at once, with nothing taken apart.
  func endProcess(_ code: Int32)
}

extension Platform {
  /// The whole of a file, waiting for the writer of a pipe.
  package func contents(ofFile path: String) throws(TransportError) -> [UInt8] {
    try contents(ofFile: path, mayWait: true)
  }
}

/// A socket that takes connections.
package protocol ListeningSocket: AnyObject, Sendable {
  /// The address, with the port that was chosen for 0.
  var address: SocketAddress { get }

  var descriptor: Int32 { get }

  /// Accepts a waiting connection.
  func accept() -> Acceptance

  /// Accepts a waiting connection with the spare descriptor; `exhausted` if that is in use.
  /// `renewSpare` opens it again.
  func acceptBySpare() -> Acceptance

  /// Opens the spare descriptor for `acceptBySpare` and `turnAway`, if it is not open and one is free.
  func renewSpare()

  /// Sends `farewell` to a waiting peer and closes the connection, although the process has no free
  /// descriptors.
  func turnAway(saying farewell: [UInt8]) -> TurningAway

  /// Accepts no more connections, even if other processes have the same socket.
  ///
  /// The descriptor is closed by `watch`, or here if there is none.
  func close(_ watch: (any Watch)?)
}

/// The result of an attempt to accept a connection.
package enum Acceptance {
  case connected(ConnectedSocket)
  /// No connection is pending.
  case none
  /// The peer is gone, or a signal came between: others may be pending.
  case again
  /// The process may have no more descriptors, or no memory for one.
  case exhausted
}

/// The result of turning a peer away.
package enum TurningAway {
  /// Others may be pending.
  case done
  case nobodyWaits
  /// No descriptor is free even for this.
  case impossible
}

package import Dispatch

/// Everything that a program takes from outside: time, chance, threads, sockets, memory, files,
/// signals.
///
/// `SystemPlatform` is the real machine. A substitute decides when events happen and which calls
/// fail, so that tests can repeat every failure. Methods may be called on any thread unless they
/// say otherwise. Sockets are nonblocking descriptors, and errors are errno values.
package protocol Platform: AnyObject, Sendable {
  // MARK: Time and chance

  var monotonicNanoseconds: UInt64 { get }

  /// Nanoseconds since 1970; they may go back.
  var calendarNanoseconds: Int64 { get }

  /// The processor time of the calling thread, in nanoseconds.
  var processorNanoseconds: UInt64 { get }

  /// The processor time of the process, in nanoseconds.
  var processNanoseconds: UInt64 { get }

  /// Returns a uniformly distributed number.
  func random() -> UInt64

  var hostName: String { get }

  // MARK: Threads

  /// Makes the poller of the loop that runs on `queue`.
  func makePoller(on queue: DispatchQueue) -> any Poller

  /// Runs `work` after that many nanoseconds, on a thread that it may block.
  func run(after nanoseconds: UInt64, _ work: @escaping @Sendable () -> Void)

  /// Waits for `semaphore`, at most that many nanoseconds, or without limit if nil.
  ///
  /// - Returns: whether it was signalled.
  func wait(for semaphore: DispatchSemaphore, atMost nanoseconds: UInt64?) -> Bool

  /// Waits until `group` is done; returns whether it was in time.
  func wait(for group: DispatchGroup, atMost nanoseconds: UInt64) -> Bool

  /// Calls `work` with all numbers below `count` on as many threads at a time; waits for all.
  func performAtOnce(_ count: Int, _ work: @Sendable (Int) -> Void)

  // MARK: Sockets

  func listen(on address: SocketAddress) throws(TransportError) -> any ListeningSocket

  /// Connects, blocking the calling thread for at most the given nanoseconds.
  ///
  /// Looking up a name may take longer; each address found is tried in turn.
  func connect(
    to address: SocketAddress,
    within nanoseconds: UInt64
  ) throws(TransportError) -> ConnectedSocket

  /// Limits the bytes that the kernel buffers for a slow peer to about `bytes`.
  func limitOutput(_ descriptor: Int32, to bytes: Int32)

  /// Reads up to `most` bytes; returns their number, 0 at the peer's end, or a negative errno.
  func read(_ descriptor: Int32, into place: UnsafeMutableRawPointer, _ most: Int) -> Int

  /// Sends what the kernel takes; returns the number of bytes, or a negative errno.
  func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int

  /// Ends the output; the peer sees the end.
  func shutDownOutput(_ descriptor: Int32)

  /// The number of sent bytes that the peer's kernel has not acknowledged.
  func unacknowledged(_ descriptor: Int32) -> Int

  /// Makes `close` discard unsent output and reset the connection.
  func resetOnClose(_ descriptor: Int32)

  /// Enables keep-alive probes; over TCP only.
  func set(_ descriptor: Int32, _ keepAlive: KeepAlive)

  /// Whether the peer has not answered for that many seconds, though the kernel keeps asking.
  func isUnanswered(_ descriptor: Int32, forSeconds seconds: UInt32) -> Bool

  /// Returns the error that a hang-up left.
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

  /// Makes the allocator coalesce freed memory at once: slower allocations, but quick returns and
  /// large blocks.
  func joinFreeMemory(_ joins: Bool)

  // MARK: Files

  /// Reads a whole file; a pipe only if it `mayWait` for the writer.
  func contents(ofFile path: String, mayWait: Bool) throws(TransportError) -> [UInt8]

  /// Replaces a file in one step: a reader finds the old or all of the new.
  ///
  /// If the path is not a regular file, the bytes are written into it.
  func replaceFile(_ path: String, with bytes: [UInt8]) throws(TransportError)

  func isReadableByOthers(_ path: String) -> Bool

  // MARK: The process

  /// Calls `act` at each of these signals from now on, on a thread that it may block.
  func watchSignal(_ number: Int32, _ act: @escaping @Sendable () -> Void)

  /// Writes to standard error, waiting for its reader; returns whether all was written.
  func log(_ bytes: ArraySlice<UInt8>) -> Bool

  /// Ends the process at once, without cleanup.
  func endProcess(_ code: Int32)
}

extension Platform {
  /// Reads a whole file, waiting for the writer of a pipe.
  package func contents(ofFile path: String) throws(TransportError) -> [UInt8] {
    try contents(ofFile: path, mayWait: true)
  }
}

package protocol ListeningSocket: AnyObject, Sendable {
  /// The address, with the chosen port for 0.
  var address: SocketAddress { get }

  var descriptor: Int32 { get }

  func accept() -> Acceptance

  /// Accepts a connection with the spare descriptor; `exhausted` if that is in use.
  func acceptBySpare() -> Acceptance

  /// Opens the spare descriptor if it is not open and one is free.
  func renewSpare()

  /// Sends `farewell` to a waiting peer and closes the connection, by the spare descriptor.
  func turnAway(saying farewell: [UInt8]) -> TurningAway

  /// Stops accepting, even if other processes share the socket.
  ///
  /// `watch` closes the descriptor, or this method if it is nil.
  func close(_ watch: (any Watch)?)
}

/// The result of accepting a connection.
package enum Acceptance {
  case connected(ConnectedSocket)
  /// No connection is pending.
  case none
  /// The peer is gone, or a signal interrupted the call: others may be pending.
  case again
  /// The process is out of descriptors or memory.
  case exhausted
}

/// The result of turning a peer away.
package enum TurningAway {
  /// Others may be pending.
  case done
  case nobodyWaits
  /// Even the spare descriptor is missing.
  case impossible
}

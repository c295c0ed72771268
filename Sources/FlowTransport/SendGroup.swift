import Synchronization

/// Sends the output of several connections at one time, on several threads.
///
/// Only the system calls leave the loop's queue, which waits for them: threads share a descriptor,
/// an address and a length, and each sends for one connection.
///
/// Unchecked: all but `work` happens on the loop's queue, and there each element of `sends` is
/// touched only by the thread that has claimed its index.
@safe  // memory 8
final class SendGroup: @unchecked Sendable {
  @safe
  struct Send {
    let descriptor: Int32
    let start: UnsafeRawPointer
    let count: Int
    /// The number of bytes that the kernel took, or a negative errno.
    var result = 0
  }

  var threads = 1
  private let platform: any Platform
  /// Whether large output is collected: more than one connection had some last time.
  private(set) var isCollecting = false
  /// The number of connections with large output since the last flush.
  private var senders = 0
  private var lastSender = 0

  private var sends = unsafe UnsafeMutableBufferPointer<Send>(start: nil, count: 0)
  private let next = Atomic(0)
  private let done = Atomic(0)

  init(_ platform: any Platform) {
    self.platform = platform
  }

  /// Records that the connection `id` has large output.
  func noteLarge(from id: Int) {
    guard lastSender != id else { return }
    lastSender = id
    senders += 1
  }

  /// Sends large output, if several of `connections` have some.
  func flush(_ connections: [Connection]) {
    var pending: [Send] = []
    var owners: [Connection] = []
    for connection in connections {
      guard let send = connection.largeSend else { continue }
      noteLarge(from: connection.id)
      pending.append(send)
      owners.append(connection)
    }
    isCollecting = threads > 1 && senders > 1
    senders = 0
    guard isCollecting, pending.count > 1 else { return }
    unsafe pending.withUnsafeMutableBufferPointer { unsafe perform($0) }
    for (connection, send) in zip(owners, pending) { connection.sent(send) }
  }

  /// Performs all sends, on the calling thread and up to `threads` - 1 others.
  private func perform(_ sends: UnsafeMutableBufferPointer<Send>) {
    unsafe self.sends = unsafe sends
    done.store(0, ordering: .relaxed)
    next.store(0, ordering: .releasing)
    platform.performAtOnce(min(threads, sends.count)) { _ in work() }
    // All calls have returned, but the thread sanitizer needs to see the synchronization.
    while done.load(ordering: .acquiring) < sends.count {}
    unsafe self.sends = unsafe UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Claims and performs sends until none is left.
  private func work() {
    while true {
      let index = next.wrappingAdd(1, ordering: .acquiringAndReleasing).oldValue
      guard unsafe index < sends.count else { return }
      let send = unsafe sends[index]
      unsafe sends[index].result = unsafe platform.send(send.descriptor, send.start, send.count)
      done.add(1, ordering: .releasing)
    }
  }
}

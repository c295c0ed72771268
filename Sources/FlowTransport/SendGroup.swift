import Synchronization

/// Sends of several connections that are made at one time, on several threads.
///
/// Only the calls of the kernel leave the loop's queue, which waits for them: no more than a
/// descriptor, an address and a length is shared, and one thread has one connection's send.
///
/// Unchecked: all but `work` happens on the loop's queue, and there each element of `sends` is
/// touched by the one thread that has claimed its index.
@safe  // memory 8
final class SendGroup: @unchecked Sendable {
  @safe
  struct Send {
    let descriptor: Int32
    let start: UnsafeRawPointer
    let count: Int
    /// The number of bytes that the kernel took, or a negative error number.
    var result = 0
  }

  var threads = 1
  private let platform: any Platform
  /// Whether large output is collected, since more than one connection had some last time.
  private(set) var isCollecting = false
  /// The number of connections that had large output since the last flush.
  private var senders = 0
  private var lastSender = 0

  private var sends = unsafe UnsafeMutableBufferPointer<Send>(start: nil, count: 0)
  private let next = Atomic(0)
  private let done = Atomic(0)

  init(_ platform: any Platform) {
    self.platform = platform
  }

  /// The connection called `id` has large output.
  func noteLarge(from id: Int) {
    guard lastSender != id else { return }
    lastSender = id
    senders += 1
  }

  /// Sends what is large, if several of `connections` have that.
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

  /// Makes all of `sends`, by the caller and up to `threads` - 1 others.
  private func perform(_ sends: UnsafeMutableBufferPointer<Send>) {
    unsafe self.sends = unsafe sends
    done.store(0, ordering: .relaxed)
    next.store(0, ordering: .releasing)
    platform.performAtOnce(min(threads, sends.count)) { _ in work() }
    // The calls have returned, but only this says so to the thread sanitizer as well.
    while done.load(ordering: .acquiring) < sends.count {}
    unsafe self.sends = unsafe UnsafeMutableBufferPointer(start: nil, count: 0)
  }

  /// Makes sends until no other is left to take.
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

/// The wait for the peer's end after all output was sent.
struct Lingering {
  /// Between two looks, in nanoseconds.
  static let pause: UInt64 = 2_000_000_000

  /// The most checks without progress of the peer, and in all: 10 s and a minute.
  private static let idleLooks = 5
  private static let looks = 30

  private var rest = Int.max
  private var idle = 0
  private var count = 0

  /// Whether to continue waiting, with `unacknowledged` bytes on their way to the peer.
  mutating func shouldWait(_ unacknowledged: Int) -> Bool {
    count += 1
    idle = unacknowledged < rest ? 0 : idle + 1
    rest = unacknowledged
    return unacknowledged > 0 && idle < Self.idleLooks && count < Self.looks
  }
}

extension EventLoop {
  /// Whether output of connections that are closing is on its way to their peers; on the queue.
  package var hasOutputOnItsWay: Bool {
    connections.contains { $0.isLingering && platform.unacknowledged($0.descriptor) > 0 }
  }
}

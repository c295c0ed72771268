internal import FlowCore
internal import FlowSubjects

/// The values of an outbox that wait for a batch, and the senders of all values that are not stored.
struct OutboxQueue {
  /// Consecutive values of one sender.
  struct Share {
    /// `nil` if no sender waits for the outcome.
    let sender: (any ValueSender)?
    var count: Int
  }

  private var values = Fifo<OutboxValue>()
  /// The size of the queued values.
  private(set) var bytes = 0
  /// The senders of the batch under way and of the queued values, in order.
  private var shares: [Share] = []
  /// The number of values at the end of the queue that no sender has claimed.
  private var unclaimed = 0
  /// The number of rejected values that no sender has claimed.
  private var rejected = 0
  /// The number of values at the front that go out one by one, as some of them may be stored already.
  private var singles = 0
  /// The size of the longest value so far, at least 1024 bytes.
  private(set) var largest = 1024

  /// The most values and bytes of a batch; a longer value is a batch of its own.
  private static let batchValues = 256
  private static let batchBytes = 512 << 10

  var count: Int { values.count }
  var isEmpty: Bool { values.isEmpty }

  /// Adds a value that its sender claims later.
  mutating func append(_ bytes: [UInt8]) {
    unclaimed += 1
    add(OutboxValue(bytes: bytes, id: nil))
  }

  /// Adds a value with an id of its own, of a known sender.
  mutating func append(_ bytes: [UInt8], id: String, by sender: any ValueSender) {
    closeClaims()
    add(OutboxValue(bytes: bytes, id: id))
    share(1, sender)
  }

  private mutating func add(_ value: OutboxValue) {
    largest = max(largest, value.bytes.count)
    bytes += value.bytes.count
    values.append(value)
  }

  /// Counts a value that is too long; its sender learns so when it claims the value.
  mutating func reject() { rejected += 1 }

  /// Makes `sender` the sender of the last `count` values; returns how many of them were rejected.
  mutating func claim(_ count: Int, by sender: any ValueSender) -> Int {
    let refused = min(count, rejected)
    rejected -= refused
    let taken = min(count - refused, unclaimed)
    unclaimed -= taken
    if taken > 0 { share(taken, sender) }
    return refused
  }

  /// Leaves the unclaimed values without a sender.
  mutating func closeClaims() {
    guard unclaimed > 0 else { return }
    share(unclaimed, nil)
    unclaimed = 0
  }

  private mutating func share(_ count: Int, _ sender: (any ValueSender)?) {
    if let last = shares.last, last.sender === sender {
      shares[shares.count - 1].count += count
    } else {
      shares.append(Share(sender: sender, count: count))
    }
  }

  /// Takes out the values of the next batch, at most `room`; the queue must have one.
  ///
  /// Values with ids of their own are not mixed with others: only for those NATS can say which are stored.
  mutating func takeBatch(room: Int) -> [OutboxValue] {
    let most = min(singles > 0 ? 1 : Self.batchValues, room)
    singles -= min(singles, 1)
    var batch: [OutboxValue] = []
    var size = 0
    while batch.count < most, let next = values.first,
      batch.isEmpty || size + next.bytes.count <= Self.batchBytes,
      batch.isEmpty || (next.id == nil) == (batch[0].id == nil)
    {
      size += next.bytes.count
      batch.append(next)
      _ = values.popFirst()
    }
    bytes -= size
    return batch
  }

  /// Puts the values of a batch back at the front, to go out one by one.
  mutating func putBack(_ batch: [OutboxValue]) {
    singles = batch.count
    var old = values.takeAll()
    for value in batch {
      values.append(value)
      bytes += value.bytes.count
    }
    while let next = old.popFirst() { values.append(next) }
  }

  /// Takes out the senders of the oldest `count` values; `behind` is the number of these values after a sender's.
  mutating func takeShares(
    of count: Int
  ) -> [(sender: any ValueSender, count: Int, behind: Int)] {
    var taken: [(sender: any ValueSender, count: Int, behind: Int)] = []
    var rest = count
    while rest > 0, !shares.isEmpty {
      let part = min(rest, shares[0].count)
      let sender = shares[0].sender
      if part == shares[0].count { shares.removeFirst() } else { shares[0].count -= part }
      rest -= part
      if let sender { taken.append((sender, part, rest)) }
    }
    return taken
  }

  /// Removes all values; returns the senders of these and of the batch under way.
  mutating func removeAll() -> [Share] {
    let lost = shares
    (values, bytes, singles, unclaimed, shares) = (Fifo(), 0, 0, 0, [])
    return lost
  }
}

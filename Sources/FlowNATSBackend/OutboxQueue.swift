internal import FlowCore
internal import FlowSubjects

/// The queued values of an outbox, and the senders of all values that are not stored.
struct OutboxQueue {
  struct Share {
    /// `nil` if no sender waits for the outcome.
    let sender: (any ValueSender)?
    var count: Int
  }

  private var values = Fifo<OutboxValue>()
  /// The bytes of the queued values.
  private(set) var bytes = 0
  /// The senders of the current batch and of the queued values, in order.
  private var shares: [Share] = []
  /// How many values at the front go out singly, because some may be stored already.
  private var singles = 0
  /// The length of the longest value so far, at least 1024 bytes.
  private(set) var largest = 1024

  /// The limits of a batch; a longer value goes alone.
  private static let batchValues = 256
  private static let batchBytes = 512 << 10

  var count: Int { values.count }
  var isEmpty: Bool { values.isEmpty }

  /// Adds a value; `id` is its own id, if it has one.
  mutating func append(_ value: [UInt8], id: String? = nil, by sender: (any ValueSender)?) {
    largest = max(largest, value.count)
    bytes += value.count
    values.append(OutboxValue(bytes: value, id: id))
    if let last = shares.last, last.sender === sender {
      shares[shares.count - 1].count += 1
    } else {
      shares.append(Share(sender: sender, count: 1))
    }
  }

  /// Takes the values of the next batch, at most `room`; the queue must not be empty.
  ///
  /// Values with their own ids are not mixed with others, because NATS can only tell for these
  /// which are stored.
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

  /// Puts a batch back at the front, to go out singly.
  mutating func putBack(_ batch: [OutboxValue]) {
    singles = batch.count
    var old = values.takeAll()
    for value in batch {
      values.append(value)
      bytes += value.bytes.count
    }
    while let next = old.popFirst() { values.append(next) }
  }

  /// Takes the senders of the oldest `count` values; `behind` counts these values after a sender's.
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

  /// Removes all values; returns their senders and those of the current batch.
  mutating func removeAll() -> [Share] {
    let lost = shares
    (values, bytes, singles, shares) = (Fifo(), 0, 0, [])
    return lost
  }
}

internal import FlowCore
internal import FlowSubjects

/// A run or durable subscription that an inlet reads for, on any server.
protocol InletReader: AnyObject {
  /// The prefix of its consumers' names.
  var consumers: String { get }
  /// Whether it holds the lease, so that it may read.
  var isHeld: Bool { get }
  /// The last value that it received here, 0 before the first.
  var last: UInt64 { get }
  /// The last value that it acknowledged here, 0 before the first.
  var acknowledged: UInt64 { get }
  /// Whether it may hold up publishers without a limit.
  var holdsUp: Bool { get }
  /// How many values may be on their way to it, besides the grant.
  var room: Int { get }
  /// Whether it acknowledges values itself.
  var acknowledges: Bool { get }
  /// Whether outputs must come during the delivery of their value.
  ///
  /// If so, values that exceed a turn wait before delivery, and nowhere later.
  var takesAtOnce: Bool { get }
  /// Announces a value of `count` bytes that will be delivered next.
  func comes(_ sequence: UInt64, _ count: Int)
  /// Reports that a value was delivered.
  func handed(_ sequence: UInt64)
}

/// The values of one consumer that are read and not acknowledged.
struct UnacknowledgedValues {
  private struct Place {
    let sequence: UInt64
    let ack: [UInt8]
    /// Whether it was not delivered.
    let isLeftOut: Bool
  }

  private var places = Fifo<Place>()
  /// The last value that need not be read again.
  private(set) var floor: UInt64

  init(from floor: UInt64) { self.floor = floor }

  /// Records a value; returns its address if it can be acknowledged at once.
  mutating func come(_ sequence: UInt64, _ ack: [UInt8], isLeftOut: Bool = false) -> [UInt8]? {
    places.append(Place(sequence: sequence, ack: ack, isLeftOut: isLeftOut))
    return acknowledge(upTo: floor)
  }

  /// Acknowledges up to `sequence`; returns the address to acknowledge at, if anything is new.
  mutating func acknowledge(upTo sequence: UInt64) -> [UInt8]? {
    floor = max(floor, sequence)
    var last: [UInt8]?
    while let first = places.first, first.sequence <= floor || first.isLeftOut {
      floor = max(floor, first.sequence)
      last = first.ack
      _ = places.popFirst()
    }
    return last
  }

  /// Forgets all values, because another consumer reads them again.
  mutating func readAgain() { places = Fifo() }
}

/// Values that wait for room.
struct InletBacklog {
  /// Values that found the publication full, or wait for a later turn.
  var overflow = Fifo<[UInt8]>()
  /// The sequences and acknowledgement addresses of all waiting values.
  var waiting = Fifo<(sequence: UInt64, ack: [UInt8])>()
  /// The end of the stream, if it came while values wait.
  var end: ServerSubject.Completion?
}

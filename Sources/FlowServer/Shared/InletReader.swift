internal import FlowCore
internal import FlowSubjects

/// Whom an inlet reads for, other than the subscriptions of this server: something that goes on where
/// it was, on this server or another one.
protocol InletReader: AnyObject {
  /// What the names of the consumers begin with that it has had.
  var consumers: String { get }
  /// Whether it may read: nobody else does.
  var isHeld: Bool { get }
  /// The last value that it has had here, 0 before the first.
  var last: UInt64 { get }
  /// The last value that it has acknowledged here, 0 before the first.
  var acknowledged: UInt64 { get }
  /// Whether it may hold up publishers for as long as it likes.
  var holdsUp: Bool { get }
  /// How many values may be under way to it, beside what is granted.
  var room: Int { get }
  /// Whether it says which values are acknowledged; else they are as it gets them.
  var acknowledges: Bool { get }
  /// Whether what comes of a value has to come while that is handed on: when the turn has lasted long
  /// enough, values wait before they are handed on, and nowhere else.
  var takesAtOnce: Bool { get }
  /// A value of `count` bytes has come, which is handed on next, or when those before it are.
  func comes(_ sequence: UInt64, _ count: Int)
  /// The value at this place has been handed on.
  func handed(_ sequence: UInt64)
}

/// What was read and is not acknowledged, by one consumer.
struct UnacknowledgedValues {
  private struct Place {
    let sequence: UInt64
    let ack: [UInt8]
    /// Whether it went to nobody.
    let isLeftOut: Bool
  }

  private var places = Fifo<Place>()
  /// The last value that needs not be read again.
  private(set) var floor: UInt64

  init(from floor: UInt64) { self.floor = floor }

  /// A value has come; returns whether it need not wait to be acknowledged.
  mutating func come(_ sequence: UInt64, _ ack: [UInt8], isLeftOut: Bool = false) -> [UInt8]? {
    places.append(Place(sequence: sequence, ack: ack, isLeftOut: isLeftOut))
    return acknowledge(upTo: floor)
  }

  /// Nobody needs the values up to this place any more; returns where that is told, if it is news.
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

  /// Another consumer reads them from the floor on.
  mutating func readAgain() { places = Fifo() }
}

/// The values that wait for room with a subscription.
struct InletBacklog {
  /// Values that found the publication full, or are for a later turn.
  var overflow = Fifo<[UInt8]>()
  /// The places of all values that wait, and where they are acknowledged.
  var waiting = Fifo<(sequence: UInt64, ack: [UInt8])>()
  /// How the stream has ended, while values wait that came before.
  var end: ServerSubject.Completion?
}

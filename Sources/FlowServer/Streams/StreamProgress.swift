internal import FlowCore
internal import FlowWire

/// The demand of a stream, the values sent, and the room of its window.
struct StreamProgress {
  /// Demand not yet requested from the pipeline; `Int.max` is no limit.
  private(set) var reserve = 0
  /// Requested and not yet received.
  var requested = 0
  private(set) var values = 0
  /// For TAKE: values left until the stream ends; otherwise negative.
  private(set) var left: Int
  private var largest: UInt32 = 0
  private let window: UInt32

  init(window: Int, take: Int?) {
    self.window = UInt32(clamping: window)
    left = take ?? -1
  }

  var isMet: Bool { requested == 0 && reserve == 0 }

  /// The unmet demand, with `waiting` parked values.
  func demand(_ waiting: Int) -> Demand {
    reserve == .max ? .unlimited : .max(UInt64(reserve + requested + waiting))
  }

  /// Whether more may be written beside `unsent` bytes, of which `limit` are always allowed.
  func hasRoom(beside unsent: Int, limit: Int) -> Bool { unsent < min(Int(window), limit) }

  /// How many values fit into the window, including requested ones.
  func room(beside unsent: Int, limit: Int) -> Int {
    let free = Int(window) - unsent
    guard free > 0, unsent < limit else { return 0 }
    return min(Self.mostRoom, max(1, free / size))
  }

  private static let mostRoom = 16_384

  /// The expected size of a value.
  private var size: Int { values == 0 ? 1024 : max(Int(largest), 1) }

  /// Whether at most half of the room is requested and outstanding.
  ///
  /// Called for each value, so it avoids a division.
  @inline(__always)
  func isHalfMet(beside unsent: Int, limit: Int) -> Bool {
    let free = Int(window) - unsent
    let twice = requested &* 2
    guard twice > 0, free > 0, unsent < limit else { return requested <= 0 }
    return twice <= Self.mostRoom && twice &* size <= free
  }

  /// Adds to the demand, without a request to the pipeline yet.
  mutating func raise(_ demand: Demand) {
    let sum = addDemand(reserve, Int(clamping: demand.max ?? .max))
    // The sum with `requested` must not overflow either.
    reserve = sum > Int.max - requested - 1 ? .max : sum
  }

  /// Returns how many values to request with this room, and counts them as requested.
  mutating func request(_ room: Int) -> Int {
    // A TAKE never requests more than it takes.
    let more = min(reserve, (left < 0 ? room : min(room, left)) - requested)
    guard more > 0 else { return 0 }
    if reserve != .max { reserve -= more }
    requested += more
    return more
  }

  /// Lowers the requested values to `most`; returns by how many.
  mutating func lower(to most: Int) -> Int {
    let excess = max(0, requested - most)
    requested -= excess
    if reserve != .max { reserve += excess }
    return excess
  }

  /// Records values of up to `size` bytes as sent; returns whether they were larger than expected.
  @inline(__always)
  mutating func sent(_ count: Int, upTo size: Int) -> Bool {
    values &+= count
    requested &-= count
    if left > 0 { left -= count }
    guard size > Int(largest) else { return false }
    largest = UInt32(clamping: size)
    return true
  }
}

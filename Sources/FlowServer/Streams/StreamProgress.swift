internal import FlowCore
internal import FlowWire

/// What has been asked for on a stream, what of that has been sent, and how much its window holds.
struct StreamProgress {
  /// Asked for by the client, not yet asked of the pipeline; `Int.max` is no limit.
  private(set) var reserve = 0
  /// Asked of the pipeline and not received.
  var requested = 0
  private(set) var values = 0
  /// For TAKE: values left until the stream is done; otherwise negative.
  private(set) var left: Int
  private var largest: UInt32 = 0
  private let window: UInt32

  init(window: Int, take: Int?) {
    self.window = UInt32(clamping: window)
    left = take ?? -1
  }

  /// Whether all that was asked for has come.
  var isMet: Bool { requested == 0 && reserve == 0 }

  /// The demand not yet met by values, of which some are `waiting`.
  func demand(_ waiting: Int) -> Demand {
    reserve == .max ? .unlimited : .max(UInt64(reserve + requested + waiting))
  }

  /// Whether more may be written beside what is `unsent`, of which there may be `limit` in any case.
  func hasRoom(beside unsent: Int, limit: Int) -> Bool { unsent < min(Int(window), limit) }

  /// Values that there is room for, those asked for included.
  func room(beside unsent: Int, limit: Int) -> Int {
    let free = Int(window) - unsent
    guard free > 0, unsent < limit else { return 0 }
    return min(Self.mostRoom, max(1, free / size))
  }

  private static let mostRoom = 16_384

  /// How large a value is taken to be.
  private var size: Int { values == 0 ? 1024 : max(Int(largest), 1) }

  /// Whether what was asked for and has not come is no more than half of the room: as for each
  /// value, without a division.
  @inline(__always)
  func isHalfMet(beside unsent: Int, limit: Int) -> Bool {
    let free = Int(window) - unsent
    let twice = requested &* 2
    guard twice > 0, free > 0, unsent < limit else { return requested <= 0 }
    return twice <= Self.mostRoom && twice &* size <= free
  }

  /// Adds to the demand without asking the pipeline yet.
  mutating func raise(_ demand: Demand) {
    let sum = addDemand(reserve, Int(clamping: demand.max ?? .max))
    // What is outstanding in all must be a number, too.
    reserve = sum > Int.max - requested - 1 ? .max : sum
  }

  /// What may be asked for now that there is so much room, counted as asked for.
  mutating func request(_ room: Int) -> Int {
    // A TAKE may be asked for more than it takes, and asks for no more than that.
    let more = min(reserve, (left < 0 ? room : min(room, left)) - requested)
    guard more > 0 else { return 0 }
    if reserve != .max { reserve -= more }
    requested += more
    return more
  }

  /// Asks for no more than `most`; returns how many fewer that is.
  mutating func lower(to most: Int) -> Int {
    let excess = max(0, requested - most)
    requested -= excess
    if reserve != .max { reserve += excess }
    return excess
  }

  /// Values of up to `size` bytes have gone out; returns whether that is more than was thought.
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

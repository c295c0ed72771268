/// One direction of a simulated connection: bytes that the sender's side has taken, on their way,
/// and those that wait at the receiver.
final class Pipe {
  /// How many bytes both sides' buffers hold together.
  let capacity: Int
  private(set) var arrived: [UInt8] = []
  private var read = 0
  private(set) var underWay = 0
  /// The arrival of the last bytes that were sent, which none that follow overtake.
  var lastArrival: UInt64 = 0
  /// Until when nothing arrives.
  var stalledUntil: UInt64 = 0
  /// The sender has said that nothing more comes.
  var isEnding = false
  /// That has arrived.
  var hasEnded = false
  /// Pieces on their way, in order; nil is the end.
  var pieces: [[UInt8]?] = []

  init(capacity: Int) { self.capacity = capacity }

  var waiting: Int { arrived.count - read }
  var room: Int { max(0, capacity - underWay - waiting) }

  func sent(_ count: Int) { underWay += count }

  func arrive(_ bytes: [UInt8]) {
    underWay -= bytes.count
    if read == arrived.count {
      arrived = bytes
      read = 0
    } else {
      arrived += bytes
    }
  }

  func take(_ most: Int) -> ArraySlice<UInt8> {
    let count = min(most, waiting)
    defer {
      read += count
      if read == arrived.count {
        arrived = []
        read = 0
      }
    }
    return arrived[read..<read + count]
  }

  /// What has not arrived never will.
  private(set) var isCut = false

  func cut() { isCut = true }
}

internal import FlowLanguage

/// Limits how long the input of one connection is handled in a turn of the loop.
///
/// The time slice counts expensive work; for the rest the clock is read now and then. One line or
/// value is always taken.
struct InputTurn {
  private let timeSlice: TimeSlice
  private let mark: Int
  /// How many more values until the clock is read.
  private var left = stride
  private var start: UInt64 = 0

  private static let stride = 64

  init(_ timeSlice: TimeSlice) {
    self.timeSlice = timeSlice
    mark = timeSlice.mark
  }

  var hasTimeLeft: Bool {
    @inline(__always) mutating get {
      if timeSlice.isMarked(since: mark) { return !timeSlice.isOver }
      return left > 0 || isInTime()
    }
  }

  @inline(__always)
  mutating func count(_ count: Int) { left &-= count }

  /// Reads the clock next, because a line may cost as much as many values.
  mutating func checkTimeNext() { left = 0 }

  private mutating func isInTime() -> Bool {
    left = Self.stride
    let now = timeSlice.now
    if start == 0 { start = now }
    guard now - start > timeSlice.limit else { return true }
    timeSlice.endTurn()
    return false
  }
}

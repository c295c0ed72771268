internal import FlowLanguage

/// How long the input of a connection may go on in one turn of the loop.
///
/// A line or a value may set off much, in pipelines or in the answer to it. What has cost much is
/// known from the time slice; of the rest the time is looked at now and then. One is always taken.
struct InputTurn {
  private let timeSlice: TimeSlice
  private let mark: Int
  /// How many values more until the time is looked at.
  private var left = stride
  private var start: UInt64 = 0

  private static let stride = 64

  init(_ timeSlice: TimeSlice) {
    self.timeSlice = timeSlice
    mark = timeSlice.mark
  }

  /// Whether the next may be taken.
  var hasTimeLeft: Bool {
    @inline(__always) mutating get {
      if timeSlice.isMarked(since: mark) { return !timeSlice.isOver }
      return left > 0 || isInTime()
    }
  }

  /// So many values were taken.
  @inline(__always)
  mutating func count(_ count: Int) { left &-= count }

  /// A line was taken that may have cost as much as many values: the time is looked at next.
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

internal import FlowWire

/// The lines of a FEED that was refused: they are no commands, and go nowhere.
final class SkippedFeed {
  private var decoder: FeedDecoder
  private(set) var count = 0

  /// Makes one for lines that are values of at most `limit` bytes.
  init(limit: Int) { decoder = FeedDecoder(limit: limit) }

  /// Passes over what there is; false while there may be more.
  func skip(_ buffer: UnsafeRawBufferPointer, _ offset: inout Int) -> Bool {
    while true {
      switch unsafe decoder.next(buffer, &offset) {
      case .incomplete: return false
      case .value, .tooLong: count += 1
      case .end: return true
      }
    }
  }
}

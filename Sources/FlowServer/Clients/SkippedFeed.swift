internal import FlowWire

/// Skips the lines of a refused FEED, which must not run as commands.
final class SkippedFeed {
  private var decoder: FeedDecoder
  private(set) var count = 0

  init(limit: Int) { decoder = FeedDecoder(limit: limit) }

  /// Skips the input; returns false while more may come.
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

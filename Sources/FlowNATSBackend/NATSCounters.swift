internal import FlowNATS

/// Counters of the use of NATS since the server started.
struct NATSCounters {
  var connections = 0
  /// Batches by outcome; each attempt counts.
  var stored = 0
  var repeated = 0
  var full = 0
  var unknown = 0
  /// Values read, and values known to be stored.
  var valuesIn = 0
  var valuesOut = 0
  /// Values that were deleted before they were read.
  var gaps = 0
  /// The longest time from first sending values until they were stored, in nanoseconds.
  var longestStore: Int64 = 0

  /// Counts one attempt.
  mutating func count(_ answer: PublishAnswer) {
    switch answer {
    case .stored: stored += 1
    case .repeated: repeated += 1
    case .full, .noStorage: full += 1
    case .preceded, .unknown: unknown += 1
    }
  }
}

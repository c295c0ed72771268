internal import FlowNATS

/// What has been done with NATS since the server started.
struct NATSCounters {
  /// How often there was a connection.
  var connections = 0
  /// Batches by what came of them; each try counts.
  var stored = 0
  var repeated = 0
  var full = 0
  var unknown = 0
  /// Values that were read, and that are known to be stored.
  var valuesIn = 0
  var valuesOut = 0
  /// Values that were gone before they were read.
  var gaps = 0
  /// The longest time from when values were first sent until they were stored, in nanoseconds.
  var longestStore: Int64 = 0

  /// Counts one try of a batch by its answer.
  mutating func count(_ answer: PublishAnswer) {
    switch answer {
    case .stored: stored += 1
    case .repeated: repeated += 1
    case .full, .noStorage: full += 1
    case .preceded, .unknown: unknown += 1
    }
  }
}

/// The settings of a bench.
struct BenchRequest: Equatable {
  enum Form: String, CaseIterable {
    /// Publishers only.
    case pub
    /// Subscribers only.
    case sub
    /// Publishers and subscribers in one process.
    case e2e
    /// One publisher and many subscribers.
    case fanout

    var publishes: Bool { self != .sub }
    var subscribes: Bool { self != .pub }
  }

  enum Flow: String, CaseIterable {
    case free, slowest
  }

  enum Output: String, CaseIterable {
    case text, json, csv
  }

  /// The length of a bench: a number of values for each publisher (or subscriber), or a time.
  enum Length: Equatable {
    case values(UInt64)
    case time(Duration)
  }

  var form: Form
  var publishers = 1
  var subscribers = 1
  /// Bytes of a value.
  var size = 128
  var length = Length.time(.seconds(5))
  /// Values a second, of all publishers together; `nil` is as many as possible.
  var rate: Double?
  var window = DemandPlan.Window.upTo(16_384)
  /// The number of slow subscribers, and the time that each takes for a value.
  var slow = 0
  var delay = Duration.milliseconds(1)
  var slowWindow = DemandPlan.Window.upTo(1)
  /// A subject that is there; `nil` is one of its own.
  var subject: String?
  var flow = Flow.slowest
  var timeout: Duration?
  var thresholds = BenchThresholds()
  var output = Output.text
}

/// The server, subject and token of a bench's clients.
struct BenchTarget {
  let server: String
  let subject: String
  let token: String?
}

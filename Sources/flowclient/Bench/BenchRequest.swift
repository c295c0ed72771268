import FlowWire

struct BenchRequest: Equatable {
  enum Form: String, CaseIterable {
    case pub
    case sub
    case e2e
    case fanout

    var publishes: Bool { self != .sub }
    var subscribes: Bool { self != .pub }
  }

  enum Output: String, CaseIterable {
    case text, json, csv
  }

  /// The length of a bench: values of each publisher or subscriber, or a time.
  enum Length: Equatable {
    case values(UInt64)
    case time(Duration)
  }

  var form: Form
  var publishers = 1
  var subscribers = 1
  /// In bytes.
  var size = 128
  var length = Length.time(.seconds(5))
  /// Values per second of all publishers together; `nil` is unlimited.
  var rate: Double?
  var window = DemandPlan.Window.upTo(16_384)
  /// The number of slow subscribers; `delay` is the time that each takes for a value.
  var slow = 0
  var delay = Duration.milliseconds(1)
  var slowWindow = DemandPlan.Window.upTo(1)
  /// An existing subject; `nil` creates one.
  var subject: String?
  var flow = SubjectSettings.Flow.slowest
  var timeout: Duration?
  var thresholds = BenchThresholds()
  var output = Output.text
}

struct BenchTarget {
  let server: String
  let subject: String
  let token: String?
}

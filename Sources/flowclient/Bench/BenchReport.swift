/// The results of a bench, as numbers.
struct BenchReport: Equatable {
  /// Values that went one way, in all and by client.
  struct Traffic: Equatable {
    var values: UInt64
    var seconds: Double
    /// Values of each client.
    var clients: [UInt64]

    var rate: Double { seconds > 0 ? Double(values) / seconds : 0 }

    /// Values a second of the slowest, the average and the fastest client.
    var rates: (least: Double, average: Double, most: Double) {
      guard seconds > 0, let least = clients.min(), let most = clients.max() else {
        return (0, 0, 0)
      }
      return (Double(least) / seconds, rate / Double(clients.count), Double(most) / seconds)
    }
  }

  /// Times in nanoseconds.
  struct Latency: Equatable {
    static let quantiles: [(name: String, share: Double)] = [
      ("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999),
      ("p99.99", 0.9999),
    ]

    var least: UInt64
    var mean: Double
    /// The times at `quantiles`, in their order.
    var quantiles: [UInt64]
    var most: UInt64

    /// With its name, from the least to the most.
    var rows: [(name: String, time: UInt64)] {
      [("min", least), ("mean", UInt64(mean))]
        + zip(Self.quantiles, quantiles).map { ($0.name, $1) } + [("max", most)]
    }

    var p99: UInt64 { quantiles[4] }
  }

  /// The number of values that took less than `limit` and no less than the previous bar.
  struct Bar: Equatable {
    var limit: UInt64
    var count: UInt64
  }

  var request: BenchRequest
  var sent: Traffic?
  var received: Traffic?
  /// From when a value was due.
  var latency: Latency?
  /// From when it was sent, where that is another moment.
  var actual: Latency?
  var bars: [Bar] = []
  var lost: UInt64 = 0
  var duplicated: UInt64 = 0
  var reordered: UInt64 = 0
  /// The lost values that the server has reported.
  var missed: UInt64 = 0
  var foreign: UInt64 = 0
  /// Values that came before they were due.
  var early: UInt64 = 0
  /// Seconds of processor time, and how long that took.
  var processorTime = 0.0
  var elapsed = 0.0
  /// The number of clients that failed, by reason.
  var failures: [String: Int] = [:]

  /// Everything that makes the answer a no, in words.
  var complaints: [String] {
    var complaints: [String] = []
    let numbers = [(lost, "lost"), (duplicated, "duplicated"), (reordered, "reordered")]
    for (number, what) in numbers where number > 0 {
      complaints.append(
        "\(Figure.count(number)) \(number == 1 ? "value was" : "values were") \(what)"
      )
    }
    for (reason, count) in failures.sorted(by: { $0.key < $1.key }) {
      complaints.append("\(Figure.number(count, of: "client")) failed: \(reason)")
    }
    if sent?.values == 0 { complaints.append("nothing was sent: nobody requested values") }
    if sent == nil, received?.values == 0 { complaints.append("nothing was received") }
    return complaints
      + request.thresholds.misses(p99: latency?.p99, rate: (received ?? sent)?.rate ?? 0)
  }
}

extension BenchReport {
  /// Adds up what the clients have counted.
  init(
    _ request: BenchRequest,
    _ tally: BenchTally,
    _ publishers: [BenchPublisher],
    _ subscribers: [BenchSubscriber]
  ) {
    self.init(request: request)
    let start = tally.start ?? 0
    let seconds = { (end: UInt64?) in Double(max(end ?? start, start) - start) / 1e9 }
    let (lastSent, lastReceived) = (seconds(tally.lastSent), seconds(tally.lastReceived))
    if request.form.publishes {
      sent = Traffic(values: tally.sent, seconds: lastSent, clients: publishers.map(\.sent))
    }
    if request.form.subscribes {
      let counts = subscribers.map(\.received)
      received = Traffic(values: tally.received, seconds: lastReceived, clients: counts)
      for subscriber in subscribers { add(subscriber, sent: sent?.values) }
    }
    if tally.latency.count > 0 {
      latency = Latency(tally.latency)
      if request.rate != nil { actual = Latency(tally.actual) }
      bars = Self.bars(tally.latency)
    }
    early = tally.early
    failures = tally.failures
    processorTime = tally.processorTime
    elapsed = max(lastSent, lastReceived)
  }

  private mutating func add(_ subscriber: BenchSubscriber, sent: UInt64?) {
    let checks = subscriber.checks
    lost += sent.map { $0 - min($0, checks.received) } ?? checks.missing
    duplicated += checks.duplicated
    reordered += checks.reordered
    missed += subscriber.missed
    foreign += subscriber.foreign
  }

  /// The powers of two, in microseconds, between which there are values.
  private static func bars(_ histogram: LatencyHistogram) -> [Bar] {
    let limits = (10...41).map { UInt64(1) << UInt64($0) }
    let bars = zip(limits, histogram.counts(below: limits)).map { Bar(limit: $0, count: $1) }
    guard let first = bars.firstIndex(where: { $0.count > 0 }),
      let last = bars.lastIndex(where: { $0.count > 0 })
    else { return [] }
    return Array(bars[first...last])
  }
}

extension BenchReport.Latency {
  init(_ histogram: LatencyHistogram) {
    least = histogram.smallest
    mean = histogram.mean
    quantiles = Self.quantiles.map { histogram.time(at: $0.share) }
    most = histogram.largest
  }
}

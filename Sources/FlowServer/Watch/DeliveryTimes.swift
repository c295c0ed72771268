internal import FlowLanguage

/// A histogram of how long values take through a pipeline or a subject, found by following some.
///
/// Now and then the newest value is followed from stage to stage: it has left a stage when the
/// stage has sent as many values as had come with it. The counters are read at the end of each
/// turn, so times are exact to a turn, and values cost nothing extra. Stages that reorder values
/// make them slightly wrong.
struct DeliveryTimes {
  /// The upper bounds of the buckets, in microseconds.
  static let bounds = [
    50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000, 30_000_000, 60_000_000,
  ]

  /// The number of values in each bucket, and above the last.
  private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
  private(set) var sum = 0.0
  var count: Int { counts.reduce(0, +) }

  mutating func add(_ nanoseconds: Int64) {
    let place = Self.bounds.firstIndex { nanoseconds <= Int64($0) * 1_000 }
    counts[place ?? Self.bounds.count] += 1
    sum += Double(nanoseconds) / 1e9
  }

  /// The upper bound of the bucket with this percentile, in microseconds.
  func percentile(_ part: Double) -> Int? {
    guard count > 0 else { return nil }
    var left = Int((Double(count) * part).rounded(.up))
    for (bound, number) in zip(Self.bounds, counts) {
      left -= number
      if left <= 0 { return bound }
    }
    return Self.bounds.last
  }

  static func + (a: Self, b: Self) -> Self {
    var sum = a
    for place in sum.counts.indices { sum.counts[place] += b.counts[place] }
    sum.sum += b.sum
    return sum
  }
}

/// The values of a run that are being followed.
struct FollowedValues {
  private var followed: [Value] = []
  private var pace = FollowingPace()

  private struct Value {
    let since: Int64
    /// When it came to its present stage.
    var arrived: Int64
    /// The present stage, and how many values had come to it by then.
    var stage = 1
    var position: Int
  }

  /// Follows the newest value if one came in the turn from `start` to `end`, and moves on those
  /// that are followed.
  mutating func turnEnds(
    _ pipeline: Pipeline,
    in run: StageCounters,
    from start: Int64,
    to end: Int64,
    _ seen: inout Sightings
  ) {
    guard pipeline.stages.count > 1 else { return }
    let sent = pipeline.figures(at: 0, in: run).sent
    if pace.isDue(sent, at: end), followed.count < FollowingPace.most {
      followed.append(Value(since: start, arrived: start, position: sent))
    }
    moveOn(pipeline, in: run, at: end, &seen)
  }

  /// Moves on the values that are followed.
  mutating func moveOn(
    _ pipeline: Pipeline,
    in run: StageCounters,
    at now: Int64,
    _ seen: inout Sightings
  ) {
    for place in followed.indices.reversed() {
      var value = followed[place]
      while value.stage < pipeline.stages.count {
        let figures = pipeline.figures(at: value.stage, in: run)
        let passed = figures.taken - figures.held - (figures.publishers ?? 0)
        guard passed >= value.position else { break }
        seen.stages[value.stage].times.add(now - value.arrived)
        value.arrived = now
        value.stage += 1
        // The next stage has received as many values as this one has sent.
        value.position = figures.sent
      }
      followed[place] = value
      guard value.stage == pipeline.stages.count else { continue }
      seen.times.add(now - value.since)
      followed.remove(at: place)
    }
  }

  /// Takes what has come so far for no news.
  mutating func forgetCount() { pace.forgetCount() }
}

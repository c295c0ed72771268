internal import FlowLanguage

/// A histogram of how long values take through a pipeline or a subject, found by sampling.
///
/// Now and then the newest value is followed from stage to stage: it has left a stage when the
/// stage has sent as many values as had come with it. So times are exact to the sampling interval,
/// and values cost nothing extra. Stages that reorder values make them slightly wrong.
struct DeliveryTimes {
  /// The upper bounds of the buckets, in seconds; samples are 20 ms apart.
  static let bounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  /// The number of values in each bucket, and above the last.
  private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
  private(set) var sum = 0.0
  var count: Int { counts.reduce(0, +) }

  mutating func add(_ nanoseconds: Int64) {
    let seconds = Double(nanoseconds) / 1e9
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }

  /// The upper bound of the bucket with this percentile, in milliseconds.
  func percentile(_ part: Double) -> Int? {
    guard count > 0 else { return nil }
    var left = Int((Double(count) * part).rounded(.up))
    for (place, number) in counts.enumerated() {
      left -= number
      if left <= 0 { return Int((place < Self.bounds.count ? Self.bounds[place] : 60) * 1000) }
    }
    return nil
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

  /// Moves followed values on, and starts to follow a new one.
  mutating func look(
    at pipeline: Pipeline,
    in run: StageCounters,
    now: Int64,
    _ seen: inout Sightings
  ) {
    guard pipeline.stages.count > 1 else { return }
    let sent = pipeline.figures(at: 0, in: run).sent
    if pace.isDue(sent, at: now), followed.count < FollowingPace.most {
      followed.append(Value(since: now, arrived: now, position: sent))
    }
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
}

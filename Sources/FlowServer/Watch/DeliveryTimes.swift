internal import FlowLanguage

/// How long values take from the source of a pipeline to its end, or through a subject, told by looking.
///
/// Now and then the last value that came is followed from stage to stage: it has left a stage when as many
/// values have as had come with it. So a time is right to the distance of two looks, and the way of a value
/// has no instruction more. A stage that changes the order of its values makes it a little wrong.
struct DeliveryTimes {
  /// The upper ends of the buckets, in seconds; looks are 20 ms apart, so that less cannot be told apart.
  static let bounds = [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]

  /// How many values took up to so long, and the rest.
  private(set) var counts = Array(repeating: 0, count: bounds.count + 1)
  private(set) var sum = 0.0
  var count: Int { counts.reduce(0, +) }

  mutating func add(_ nanoseconds: Int64) {
    let seconds = Double(nanoseconds) / 1e9
    counts[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
    sum += seconds
  }

  /// The end of the bucket that so large a part of the values is in or below, in milliseconds.
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

/// The values of a run that are followed.
struct FollowedValues {
  private var followed: [Value] = []
  private var pace = FollowingPace()

  private struct Value {
    let since: Int64
    /// When it has come to the stage that it is in.
    var arrived: Int64
    /// The stage that it is in, and how many values had come to that with it.
    var stage = 1
    var position: Int
  }

  /// Looks where the values are that are followed, and begins with one that has just come.
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
        // As many have come to the next stage as this one has sent.
        value.position = figures.sent
      }
      followed[place] = value
      guard value.stage == pipeline.stages.count else { continue }
      seen.times.add(now - value.since)
      followed.remove(at: place)
    }
  }
}

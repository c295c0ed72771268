internal import FlowLanguage

/// The samples of a pipeline's stages, of one run or of several.
struct Sightings {
  var stages: [StageTally]
  var times = DeliveryTimes()

  init(of pipeline: Pipeline) { stages = pipeline.stages.map { _ in StageTally() } }

  static func + (a: Self, b: Self) -> Self {
    var sum = a
    sum.stages = zip(a.stages, b.stages).map(+)
    sum.times = a.times + b.times
    return sum
  }
}

/// How often a stage was found starved, working and blocked, and the most values inside.
struct StageTally {
  private(set) var time = [0, 0, 0]
  /// Nanoseconds in each state.
  private(set) var spent: [Int64] = [0, 0, 0]
  private(set) var most = 0
  /// How long followed values were in it; the source has none.
  var times = DeliveryTimes()

  /// Adds a sample that stands for `passed` nanoseconds.
  mutating func add(_ look: StageLook, for passed: Int64) {
    time[look.state.rawValue] += 1
    spent[look.state.rawValue] += passed
    most = max(most, look.held)
  }

  /// Adds the samples of the same stage in two runs.
  static func + (a: Self, b: Self) -> Self {
    var sum = a
    for state in sum.time.indices {
      sum.time[state] += b.time[state]
      sum.spent[state] += b.spent[state]
    }
    sum.most += b.most
    sum.times = a.times + b.times
    return sum
  }
}

extension StageRates {
  init(from old: StageFigures, to new: StageFigures, in nanoseconds: Double) {
    func rate(_ counter: (StageFigures) -> Int) -> Double {
      max(0, Double(counter(new) - counter(old)) * 1e9 / nanoseconds)
    }
    self.init(
      came: rate(\.taken),
      went: rate(\.sent),
      lost: rate(\.dropped),
      failed: rate(\.failed)
    )
  }
}

extension RecentReadings<[StageFigures]> {
  /// The rates of the stages; nil before two readings at different times.
  var rates: [StageRates]? {
    ends.map { old, new, nanoseconds in
      zip(old, new).map { StageRates(from: $0, to: $1, in: nanoseconds) }
    }
  }
}

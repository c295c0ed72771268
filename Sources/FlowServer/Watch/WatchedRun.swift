internal import FlowLanguage

/// What a watch has seen of one run: of a stream that runs a pipeline, or of a standing run.
final class WatchedRun {
  /// `CLIENT.ID`; empty for a standing run.
  let stream: String
  let pipeline: Pipeline
  let counters: StageCounters
  /// How its stages were found, each time that somebody looked.
  private(set) var tallies: [StageTally]
  private var followed: FollowedValues
  private var past = RecentReadings<[Past]>()

  /// How long values took that were followed.
  var times: DeliveryTimes { followed.times }

  /// How long they were in each stage.
  var stageTimes: [DeliveryTimes] { followed.stages }

  init(stream: String, pipeline: Pipeline, counters: StageCounters) {
    self.stream = stream
    self.pipeline = pipeline
    self.counters = counters
    tallies = Array(repeating: StageTally(), count: pipeline.stages.count)
    followed = FollowedValues(pipeline)
  }

  /// When it was looked at last.
  private var looked: Int64?

  func look(at time: Int64) {
    let passed = min(time - (looked ?? time), WatchClock.second)
    looked = time
    pipeline.look(at: counters) { tallies[$0].add($1, for: passed) }
    followed.look(at: pipeline, in: counters, now: time)
  }

  // MARK: The last seconds

  /// What the counters of a stage were at a time.
  private struct Past {
    let looks: [Int]
    let flow: StageFlow
  }

  /// Over how long rates and shares are told, in nanoseconds.
  static let span: Int64 = 4_000_000_000

  /// Keeps what its counters are now.
  func keep(at time: Int64) {
    let stages = tallies.indices.map { index in
      Past(
        looks: tallies[index].time,
        flow: StageFlow(pipeline.figures(at: index, in: counters))
      )
    }
    past.keep(stages, at: time)
  }

  /// The rates of its stages; nil if they have not been watched long enough.
  var rates: [StageRates]? {
    past.ends.map { ends in
      zip(ends.old, ends.new).map { StageRates(from: $0.flow, to: $1.flow, in: ends.nanoseconds) }
    }
  }

  /// What its stages have done lately; `nil` if that has not been seen yet.
  func recent(_ services: (String) -> RecentService) -> [RecentStage]? {
    guard let (old, new, nanoseconds) = past.ends else { return nil }
    return pipeline.stages.indices.map { index in
      let (before, after) = (old[index], new[index])
      let description = pipeline.stages[index]
      let figures = pipeline.figures(at: index, in: counters)
      let looks = zip(after.looks, before.looks).map { Double($0 - $1) }
      let sum = looks.reduce(0, +)
      var stage = RecentStage(what: description.what)
      stage.time = sum > 0 ? looks.map { $0 / sum } : tallies[index].last.shares
      let rates = StageRates(from: before.flow, to: after.flow, in: nanoseconds)
      (stage.came, stage.went, stage.lost) = (rates.came, rates.went, rates.lost)
      stage.failed = rates.failed
      stage.reason = pipeline.leftOut.reason(of: description)
      stage.isTimer = description.isTimer
      stage.held = figures.held
      stage.publishers = figures.publishers
      stage.limit = description.publishersAtOnce
      stage.services = description.services.map(services)
      return stage
    }
  }
}

/// How many values have come to a stage, left it and been dropped by it since it began.
struct StageFlow {
  var came: Int
  var went: Int
  var lost: Int
  /// Those of the lost ones that a closure had no answer for.
  var failed = 0
}

extension StageFlow {
  init(_ figures: StageFigures) {
    self.init(
      came: figures.taken,
      went: figures.sent,
      lost: figures.dropped,
      failed: figures.failed
    )
  }
}

extension StageRates {
  /// Makes the rates from two readings of the counters.
  init(from old: StageFlow, to new: StageFlow, in nanoseconds: Double) {
    func rate(_ counter: (StageFlow) -> Int) -> Double {
      max(0, Double(counter(new) - counter(old)) * 1e9 / nanoseconds)
    }
    self.init(
      came: rate(\.came),
      went: rate(\.went),
      lost: rate(\.lost),
      failed: rate(\.failed)
    )
  }
}

/// How often a stage was found starved, working and blocked, and the most that was inside.
struct StageTally {
  private(set) var time = [0, 0, 0]
  /// For how long, in nanoseconds.
  private(set) var spent: [Int64] = [0, 0, 0]
  private(set) var most = 0
  private(set) var last = StageState.starved

  /// It was found so, and so many nanoseconds have passed since it was looked at before.
  mutating func add(_ look: StageLook, for passed: Int64) {
    time[look.state.rawValue] += 1
    spent[look.state.rawValue] += passed
    most = max(most, look.held)
    last = look.state
  }

  /// Adds up what was seen of the same stage in two runs.
  static func + (a: StageTally, b: StageTally) -> StageTally {
    var sum = a
    for state in sum.time.indices {
      sum.time[state] += b.time[state]
      sum.spent[state] += b.spent[state]
    }
    sum.most += b.most
    return sum
  }
}

extension StageState {
  /// All of its time.
  fileprivate var shares: [Double] { Self.allCases.map { $0 == self ? 1 : 0 } }
}

internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

/// Hears what all the stages of a pipeline do that is tried, and stops it when it does too much.
final class TapeRecorder {
  /// The row that is recorded.
  let name: String
  let counters: StageCounters
  /// Until all is over: a `share` would know the recorder.
  private var pipeline: Pipeline?
  private let limits: Trial.Limits
  private let tick: Int
  private let clock: () -> UInt64
  private let end: UInt64
  private var steps = 0
  private var bytes = 0
  /// What the pipeline has done too much of, which stops it.
  private(set) var excess: Excess?

  /// What a trial has a limit for.
  enum Excess {
    case steps, time, bytes
  }

  /// All stages: those of the pipeline, then those below them.
  private(set) var lanes: [TapeLane] = []
  private var places: [[Int]: TapeLane] = [:]
  /// What is at no known place is recorded here, and not shown.
  private lazy var stray = TapeLane(lanes[0].stage, in: nil, self)
  /// The present tick, and whether its state is yet to be recorded.
  private(set) var now = 0
  private var isDue = true
  /// The stage that is made a publisher of a subject.
  private(set) var reading: TapeLane?
  /// What is being sent to a subject that keeps nothing.
  var sending: Value?
  /// How many values were dropped on the way to the subscriber, for each tick that has some.
  private(set) var drops: [Int: Int] = [:]

  init(
    _ pipeline: Pipeline,
    named name: String,
    tick: Int,
    _ limits: Trial.Limits,
    _ clock: @escaping () -> UInt64
  ) {
    self.name = name
    self.pipeline = pipeline
    self.tick = tick
    self.limits = limits
    self.clock = clock
    let start = clock()
    end = start.addingReportingOverflow(limits.time).partialValue
    counters = StageCounters(count: pipeline.stages.count)
    for (index, stage) in pipeline.stages.enumerated() {
      add(TapeLane(stage, in: nil, self), at: [index])
    }
    for (index, stage) in pipeline.stages.enumerated() {
      addBranches(of: stage, index, at: [index])
    }
  }

  private func add(_ lane: TapeLane, at path: [Int]) {
    lanes.append(lane)
    places[path] = lane
  }

  private func addBranches(of stage: StageDescription, _ owner: Int, at path: [Int]) {
    for (number, branch) in stage.branches.enumerated() {
      let first = lanes.count
      for (index, stage) in branch.enumerated() {
        add(TapeLane(stage, in: (owner, number), self), at: path + [number, index])
      }
      for (index, stage) in branch.enumerated() {
        addBranches(of: stage, first + index, at: path + [number, index])
      }
    }
  }

  /// What the stages tell what they do.
  var stages: StageRecorder {
    StageRecorder { path in
      assert(self.places[path] != nil, "there is no stage at \(path)")
      return self.places[path] ?? self.stray
    }
  }

  // MARK: Limits

  /// How many events of a stage the tape has, and how many characters of a value.
  var mostEvents: Int { limits.eventsPerStage }
  var mostCharacters: Int { limits.characters }
  /// What closures may do in all, in steps of the language: about as much as there is time for.
  var mostWork: Int { Int(limits.time / 50) }

  /// Takes a step; false if there are no more, or there is no more time.
  func step() -> Bool {
    take(1)
    if steps % 8 == 0 { lookAtClock() }
    return excess == nil
  }

  private func take(_ more: Int) {
    steps += more
    if steps > limits.steps { excess = .steps }
  }

  /// Counts the bytes of a value that is kept for the test.
  func keep(_ count: Int) {
    bytes += count
    if bytes > limits.output { excess = .bytes }
  }

  /// Looks whether there is time left.
  private func lookAtClock() { if clock() > end { excess = .time } }

  /// Why the test is to be given up, if it is.
  func stop(at time: Int) -> MarbleOutcome.Stop? {
    lookAtClock()
    return excess == nil ? nil : .stopped(time: time)
  }

  /// Whether there is no time left, by a look at the clock.
  var isOutOfTime: Bool {
    lookAtClock()
    return excess == .time
  }

  // MARK: Time

  /// Moves on to the tick in which something happens next, or to the end.
  func come(to tick: Int) {
    if tick > now { recordState() }
    now = tick
    isDue = true
  }

  /// Records what there is at the end of the present tick.
  func recordState() {
    guard isDue else { return }
    isDue = false
    let figures = pipeline?.figures(of: [counters]) ?? []
    for (index, lane) in lanes.enumerated() {
      if index < figures.count {
        let own = figures[index]
        lane.record(held: own.held, publishers: own.publishers ?? 0, asked: own.demand, at: now)
      } else {
        let (own, open) = (lane.subscriptions, lane.subscriptions.openCount)
        let holds = lane.stage.demand.holds != .nothing
        // To look at thousands of publishers in each tick is work, too.
        if holds { take(open / 128) }
        lane.record(held: holds ? own.held : 0, publishers: open, asked: own.demand, at: now)
      }
      lookAtClock()
      if excess != nil { return }
    }
  }

  func dropped(_ count: Int) { drops[now, default: 0] += count }

  // MARK: Subjects

  /// Makes the publisher of a subject for a lane.
  func read(
    for lane: TapeLane,
    _ make: () -> AnyPublisher<Value, PipelineFailure>
  ) -> AnyPublisher<Value, PipelineFailure> {
    let outer = reading
    reading = lane
    defer { reading = outer }
    return make()
  }

  /// Forgets what was running.
  func close() {
    pipeline = nil
    for lane in lanes + [stray] { _ = lane.subscriptions.takeOpen() }
  }
}

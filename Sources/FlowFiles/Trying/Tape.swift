public import FlowLanguage

/// What came of a trial: what each stage sent, dropped and held, tick by tick.
public struct Tape: Sendable {
  /// How long a tick is, in milliseconds, and how many there are.
  public let tick: Int
  public let ticks: Int
  /// How the pipeline ended, if it did.
  public let end: End?
  /// The stages in the order of the text, those of inlined pipelines included.
  public let stages: [Stage]
  /// The stages below others: those of branches and of publishers that are made of values.
  ///
  /// They are counted on behind the last one of `stages`.
  public let inner: [Stage]
  /// What the services were asked, in the order of their rows.
  public let calls: [(service: String, values: [Event])]
  let expression: String
  let test: MarbleTest
  let definitions: [String]
  let output: [[Marble]]
  /// How many values were dropped on the way to the subscriber, for each tick that has some.
  let drops: [Int: Int]

  /// The end of a pipeline.
  public struct End: Equatable, Sendable {
    public let tick: Int
    /// Why, if it failed.
    public let failure: PipelineFailure?
  }

  /// Something that happened in a tick.
  public struct Event: Equatable, Sendable {
    public let tick: Int
    /// A value as a test has it, cut short, or why a value was dropped that is not known any more.
    public let text: String
  }

  /// What there is of a stage at the end of a tick, and of all that follow up to the next one.
  public struct State: Equatable, Sendable {
    public let tick: Int
    /// Values inside.
    public let held: Int
    /// Publishers made of values that are open; of a stage below another one its subscriptions.
    public let publishers: Int
    /// Asked of the stage and not sent yet; `nil` is no limit.
    public let asked: Int?
  }

  /// A stage, and what it did.
  public struct Stage: Sendable {
    /// As written, cut to 1,000 characters.
    public let text: String
    /// The operator or source; `subject` or `choice` where it has no name.
    public let op: String
    /// How many values it may hold.
    public let holds: Capacity
    /// How many publishers it may have open, if there is a limit.
    public let publisherLimit: Int?
    public let out: [Event]
    public let dropped: [Event]
    /// Whether there was more than `out` and `dropped` have.
    public let isCut: Bool
    /// What there was inside, whenever that changed.
    public let state: [State]
    /// Of a stage below another one: the number of that, the number of the branch, how many
    /// subscriptions to it began, and how many of them finished.
    public let place: (stage: Int, branch: Int, begun: Int, finished: Int)?
  }

  /// How many values a stage may hold.
  public enum Capacity: Equatable, Sendable {
    case values(Int)
    case unknown
  }
}

extension Tape {
  init(
    trial: Trial,
    test: MarbleTest,
    definitions: [String],
    got outcome: MarbleOutcome,
    recorder: TapeRecorder
  ) {
    expression = trial.expression
    tick = trial.tick
    ticks = trial.ticks
    self.test = test
    self.definitions = definitions
    let got = outcome.got[test.name]
    output = got?.ticks ?? []
    drops = recorder.drops
    let endTick = output.lastIndex { $0.contains(.finished) || $0.contains(.failure) }
    end = endTick.map { End(tick: $0, failure: got?.failure) }
    let all = recorder.lanes.map(Stage.init)
    stages = all.filter { $0.place == nil }
    inner = all.filter { $0.place != nil }
    calls = test.rows.compactMap { row in
      guard case .service = row.kind, let got = outcome.got[row.name] else { return nil }
      let values = got.ticks.enumerated().flatMap { tick, marbles in
        marbles.compactMap { marble in
          if case .value(let text) = marble {
            Event(tick: tick, text: text.cut(to: trial.limits.characters))
          } else {
            nil
          }
        }
      }
      return (row.name, Array(values.prefix(trial.limits.eventsPerStage)))
    }
  }
}

extension Tape.Stage {
  fileprivate init(_ lane: TapeLane) {
    let stage = lane.stage
    text = String(decoding: stage.text.utf8.prefix(4_000), as: UTF8.self).cut(to: 1_000)
    op = stage.name ?? (stage.isSubject ? "subject" : "choice")
    holds = stage.demand.holds.limit.map(Tape.Capacity.values) ?? .unknown
    publisherLimit = stage.openPublisherLimit
    out = lane.out.map { .init(tick: $0.tick, text: $0.text) }
    dropped = lane.dropped.map { .init(tick: $0.tick, text: $0.text) }
    isCut = lane.isCut
    state = lane.states.map {
      Tape.State(
        tick: $0.tick,
        held: $0.held,
        publishers: $0.publishers,
        asked: $0.asked == .max ? nil : $0.asked
      )
    }
    place = lane.owner.map {
      ($0.lane, $0.branch, lane.subscriptions.begun, lane.subscriptions.finished)
    }
  }
}

extension StageDescription {
  /// How many publishers made of values may be open at a time.
  fileprivate var openPublisherLimit: Int? {
    if opensMany { return demand.holds.limit }
    return ["concatMap", "flatMapLatest", "switchToLatest", "exhaustMap"].contains(name) ? 1 : nil
  }
}

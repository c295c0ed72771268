internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

extension MarbleTest {
  /// Plays the test in virtual time.
  ///
  /// In each tick subscribers ask first, then subjects are sent to, both in the order of the rows;
  /// what is due by time comes in the order in which it was scheduled.
  public func play(in scene: MarbleScene) -> MarbleOutcome { play(in: scene, recordedBy: nil) }

  /// The same, of which one row is recorded, stage by stage.
  func play(in scene: MarbleScene, recordedBy tape: TapeRecorder?) -> MarbleOutcome {
    let stage = Stage(self, scene, tape)
    let stop = stage.play()
    var outcome = MarbleOutcome(test: self, got: [:], stop: stop)
    for (name, recorder) in stage.recorders {
      outcome.got[name] = MarbleOutcome.Got(
        ticks: recorder.ticks,
        drops: recorder.drops,
        failure: recorder.failure,
        leftOut: recorder.lastLeftOut
      )
    }
    return outcome
  }

  /// How many ticks it takes: as many as its longest row.
  var length: Int { rows.map(\.ticks.count).max() ?? 0 }

  /// The scene with its clock.
  private final class Stage {
    private let test: MarbleTest
    private let clock = VirtualTimeScheduler()
    private let host: SceneHost
    private let grant: Int
    private let tape: TapeRecorder?
    private let services = MarbleServices()
    private(set) var recorders: [String: MarbleRecorder] = [:]
    private let innerPublisherLimit: Int
    private var readings: [MarbleReading] = []
    private var runs: [MarbleRun] = []

    /// The most that may happen in a test.
    private static let mostActions = 100_000

    init(_ test: MarbleTest, _ scene: MarbleScene, _ tape: TapeRecorder?) {
      self.test = test
      self.tape = tape
      innerPublisherLimit = scene.innerPublisherLimit
      grant = scene.grant
      host = SceneHost(scene, clock: clock)
      for row in test.rows {
        guard case .service(let text, _) = row.kind else { continue }
        let closure = try? ServiceClosure(text, lookup: scene.source, names: { [] })
        if let closure { services.add(row.name, closure, recorder(row.name)) }
      }
      for (name, pipeline) in scene.pipelines where test.rows.contains(where: { $0.name == name }) {
        subscribe(name, pipeline)
      }
      schedule(at: 0) { [self] in
        for (name, standing) in scene.runs { start(name, standing) }
      }
      for row in test.rows {
        guard case .values = row.kind, let subject = host.subject(row.name) else { continue }
        let sender = SceneSender(subject)
        for (tick, marbles) in row.ticks.enumerated() where !marbles.isEmpty {
          schedule(at: tick) { [self] in
            for marble in marbles where !isOver { send(marble, by: sender, to: subject) }
          }
        }
      }
    }

    /// Whether whoever records it has enough.
    private var isOver: Bool { tape?.stop(at: 0) != nil }

    private func send(_ marble: Marble, by sender: SceneSender, to subject: ServerSubject) {
      if let tape, case .value(let text) = marble, case .passthrough = subject.settings.kind,
        !subject.isLossless
      {
        tape.sending = Marble.payload(text)
      }
      sender.play(marble)
      tape?.sending = nil
    }

    /// Lets time pass to the end of the last tick.
    ///
    /// - Returns: what has kept it from getting there.
    func play() -> MarbleOutcome.Stop? {
      defer { end() }
      let end = Int64(test.length) * Int64(test.tick) - 1
      var count = 0
      while let next = clock.nextDeadline, next.nanoseconds <= end {
        count += 1
        let time = Int(next.nanoseconds)
        tape?.come(to: time / test.tick)
        guard count <= Self.mostActions else { return .tooManyEvents(time: time) }
        clock.run(limit: 1)
        if let stop = tape?.stop(at: time) { return stop }
        if let name = recorders.first(where: { $0.value.isExhausted })?.key {
          return .endless(name: name, time: time)
        }
      }
      tape?.recordState()
      return tape?.stop(at: Int(end))
    }

    private func end() {
      for reading in readings { reading.cancel() }
      for run in runs { run.cancel() }
      services.clear()
      host.end()
    }

    private func schedule(at tick: Int, _ action: @escaping () -> Void) {
      clock.schedule(after: .init(nanoseconds: Int64(tick) * Int64(test.tick)), action)
    }

    private func recorder(_ name: String) -> MarbleRecorder {
      let recorder = MarbleRecorder(
        name,
        tick: test.tick,
        host: host,
        services: services,
        innerPublisherLimit: innerPublisherLimit,
        recordedBy: tape
      )
      recorders[name] = recorder
      return recorder
    }

    private func subscribe(_ name: String, _ pipeline: Pipeline) {
      let recorder = recorder(name)
      let reading = MarbleReading(recorder)
      readings.append(reading)
      let demand = test.rows.first { row in
        if case .demand = row.kind { row.name == name } else { false }
      }
      let ticks = demand?.ticks ?? [[.demand(nil)]]
      let begin = ticks.firstIndex { $0 != [.absent] } ?? ticks.count
      if begin < ticks.count {
        schedule(at: begin) {
          reading.subscribe(to: pipeline.publisher(in: recorder), asking: ticks[begin])
        }
      }
      for (tick, marbles) in ticks.enumerated() where tick > begin && !marbles.isEmpty {
        schedule(at: tick) { for marble in marbles { reading.play(marble) } }
      }
    }

    private func start(_ name: String, _ standing: RunDefinition) {
      guard let target = host.subject(standing.target) else { return }
      let recorder = recorder(name)
      let failed = standing.failed.flatMap(host.subject)
      let run = MarbleRun(recorder, into: target, failed: failed, standing, grant: grant)
      runs.append(run)
      standing.pipeline.publisher(in: recorder).subscribe(run)
    }
  }
}

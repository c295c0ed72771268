internal import FlowLanguage
internal import FlowSubjects

/// The tap of one stage of a pipeline, in all its present and future runs.
///
/// It stands between the stage and the next one while somebody watches.
final class StageTap: StageViewer {
  private(set) lazy var tap = makeTap()
  private let name: String
  private let stage: Int
  private let pipeline: Pipeline
  @safe private unowned(unsafe) let engine: Engine  // memory 3

  init(_ name: String, _ stage: Int, of pipeline: Pipeline, in engine: Engine) {
    self.name = name
    self.stage = stage
    self.pipeline = pipeline
    self.engine = engine
    pipeline.viewers[stage] = self
    show(to: self)
  }

  private func makeTap() -> Tap {
    Tap(name, in: engine) { [pipeline, stage, engine] _ in
      // Later, because a value may be passing now.
      engine.nextTurn { (pipeline.viewers[stage] as? StageTap)?.leave() }
    }
  }

  private func show(to viewer: StageTap?) {
    for run in runs { pipeline.show(stage, of: run, to: viewer) }
  }

  private var runs: [StageCounters] {
    if let run = engine.registry.run(name), run.standing.pipeline === pipeline {
      return [run.counters]
    }
    return engine.streams(of: pipeline).compactMap { $0.running?.counters }
  }

  private func leave() {
    guard tap.subject.outletCount == 0, pipeline.viewers[stage] === self else { return }
    pipeline.viewers[stage] = nil
    show(to: nil)
  }

  func sees(_ value: UnsafeRawBufferPointer) {
    if value.count <= engine.configuration.valueLimit { unsafe tap.pass(value) }
  }

  func sees(_ payloads: Payloads) { tap.pass(engine.batch, payloads.places) }
}

extension Pipeline {
  func endStageTaps(_ completion: ServerSubject.Completion, _ origins: [String]) {
    for case let look as StageTap in viewers.values { look.tap.end(completion, origins) }
  }
}

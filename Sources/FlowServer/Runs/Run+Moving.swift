internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// What becomes of a run that several servers know of.
extension Run {
  /// Stops here, and may begin again: here, or on another server.
  func suspend() {
    subscriber?.cancel()
    subscriber = nil
    sendLate()
    letGo()
    demand = .none
    let publication = publication
    self.publication = nil
    publication?.leave()
  }

  /// It was deleted on another server.
  func isDeletedElsewhere() {
    guard let shared, engine.registry.run(name) === self else { return }
    engine.releaseLater(self)
    shared.close()
    _ = engine.registry.remove(name)
    engine.notify(.deleted(kind: "run", name: name))
    stop()
    engine.shared?.nameIsFree(name)
  }

  /// It is not over: outputs are not stored that it has made.
  func isNotOver() { state = .running }

  /// It has ended on another server.
  func endElsewhere(_ state: State) {
    suspend()
    end(state)
  }

  /// Whether nothing is in its stages, and all that came of them is stored.
  var isQuiet: Bool {
    guard let publication, held == 0, publication.unkept == 0 else { return false }
    return standing.pipeline.figures(ofRun: counters).allSatisfy {
      $0.held == 0 && $0.publishers ?? 0 == 0
    }
  }

  /// Has as many outputs more come as may wait until they are stored.
  func askMore() {
    guard isExact, isRunning, let shared, let asked = demand.max else { return }
    let free = shared.window - shared.unstored - Int(clamping: asked)
    if free > 0, free * 4 >= shared.window { grant(.max(UInt64(free))) }
  }

  /// NATS has not answered for so long that nobody knows what is stored: what comes now is another
  /// publication's.
  func goOn(after old: Publication) {
    if engine.prints.admits("runs") {
      engine.log(
        .warning,
        "unsure",
        "run \(name): NATS has not answered; values of \(old.subject.name) may not be stored",
        [.text("kind", "run"), .text("name", name)]
      )
    }
    let new = publish(to: old.subject)
    // What was asked for may still come.
    guard let first = new.firstGrant().max, let asked = demand.max, first > asked else { return }
    grant(.max(first - asked))
  }
}

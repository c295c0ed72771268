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
    guard let backend, engine.registry.run(name) === self else { return }
    engine.releaseLater(self)
    backend.close()
    _ = engine.registry.remove(name)
    engine.notify(.deleted(kind: "run", name: name))
    stop()
    engine.stores.nameIsFree(name)
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
    guard isExact, isRunning, let backend, let asked = demand.max else { return }
    let free = backend.window - backend.unstored - Int(clamping: asked)
    if free > 0, free * 4 >= backend.window { grant(.max(UInt64(free))) }
  }

  /// The backend has not answered for so long that nobody knows what is stored: what comes now is another
  /// publication's.
  func goOn(after old: Publication) {
    if let backend = old.subject.backend, engine.prints.admits("runs") {
      engine.log(
        .warning,
        "unsure",
        "run \(name): \(backend.notStored(.away).message)",
        [.text("kind", "run"), .text("name", name)]
      )
    }
    let new = publish(to: old.subject)
    // What was asked for may still come.
    guard let first = new.firstGrant().max, let asked = demand.max, first > asked else { return }
    grant(.max(first - asked))
  }
}

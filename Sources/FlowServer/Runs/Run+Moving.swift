internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

// A run that several servers share.
extension Run {
  /// Stops the run here; it may begin again here or on another server.
  package func suspend() {
    subscriber?.cancel()
    subscriber = nil
    sendLate()
    letGo()
    demand = .none
    let publication = publication
    self.publication = nil
    publication?.endQuietly()
  }

  package func isDeletedElsewhere() {
    guard let backend, engine.registry.run(name) === self else { return }
    engine.releaseLater(self)
    backend.close()
    engine.delete(name)
    engine.stores.nameIsFree(name)
  }

  /// Continues, because outputs are not stored yet.
  package func isNotOver() { state = .running }

  package func endElsewhere(_ state: State) {
    suspend()
    end(state)
  }

  /// Whether its stages hold nothing and all outputs are stored.
  package var isQuiet: Bool {
    guard let publication, held == 0, publication.unkept == 0, lettersAreStored else {
      return false
    }
    return standing.pipeline.figures(ofRun: counters).allSatisfy {
      $0.held == 0 && $0.publishers ?? 0 == 0
    }
  }

  /// Whether all dead letters are sent and stored.
  package var lettersAreStored: Bool { letters?.isQuiet ?? true }

  /// Requests as many outputs as may still wait to be stored.
  package func askMore() {
    guard isExact, isRunning, let backend, let asked = demand.max else { return }
    let free = backend.window - backend.unstored - Int(clamping: asked)
    if free > 0, free * 4 >= backend.window { grant(.max(UInt64(free))) }
  }

  /// Logs that the backend of `subject` has not said what is stored.
  func warnUnsure(of subject: ServerSubject) {
    guard let backend = subject.backend else { return }
    warn("unsure", backend.notStored(.away).message)
  }

  func warn(_ event: String, _ text: String) {
    guard engine.prints.admits("runs") else { return }
    let fields: [ServerLogEvent.Field] = [.text("kind", "run"), .text("name", name)]
    engine.log(.warning, event, "run \(name): \(text)", fields)
  }

  /// Continues with a new publication, because the backend has not said what is stored.
  func replace(_ old: Publication) {
    warnUnsure(of: old.subject)
    let new = publish(to: old.subject)
    // Values that were requested before may still come.
    guard let first = new.firstGrant().max, let asked = demand.max, first > asked else { return }
    grant(.max(first - asked))
  }
}

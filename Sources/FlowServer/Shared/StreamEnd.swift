internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Ends a stream: it takes no more values, and then says how it has ended, so nothing comes behind that.
final class StreamEnd {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  private var completion: ServerSubject.Completion?
  private var isWriting = false
  private var since: Int64 = 0
  private var backoff = Backoff(50_000_000, 1_000_000_000)
  private var whenWritten: [(DefinitionError?) -> Void] = []

  init(_ shared: SharedSubject) { self.shared = shared }

  /// Whether the stream is to end, or is being ended.
  var isUnderWay: Bool { completion != nil }

  /// Ends the stream so when all values are stored, unless it is being ended.
  func begin(_ completion: ServerSubject.Completion) {
    guard self.completion == nil else { return }
    self.completion = completion
    since = shared.shared.now
    shared.scheduleEndOfTurn()
  }

  /// Ends the stream so now, though it may take no values any more.
  func force(_ completion: ServerSubject.Completion) {
    self.completion = completion
    since = shared.shared.now
    isWriting = false
    write()
  }

  /// Calls `done` when the stream has been ended from here, or with the reason why not.
  func whenWritten(_ done: @escaping (DefinitionError?) -> Void) { whenWritten.append(done) }

  /// Writes the end, if there is one to be written: no values are left.
  func write() {
    guard var settings = shared.target, completion != nil, !isWriting else { return }
    isWriting = true
    guard !settings.takesNoValues else { return publish() }
    settings.takesNoValues = true
    shared.link.request(shared.names.update(shared.name, settings)) { [weak self] reply in
      guard let self else { return }
      do throws(JetStreamError) {
        _ = try StreamAnswer(reply)
        publish()
      } catch {
        writeAgain()
      }
    }
  }

  private func publish() {
    guard let completion else { return }
    let reply = shared.link.expect { [weak self] reply in
      guard let self else { return }
      switch PublishAnswer(reply) {
      case .stored, .repeated: written(nil)
      case .preceded:
        let text = "subject \(shared.name) has completed; DELETE \(shared.name) first"
        written(DefinitionError(.completed, text))
      case .full, .noStorage, .unknown: writeAgain()
      }
    }
    var (word, text) = ("done", "")
    if case .failure(let failure) = completion {
      (word, text) = ("fail \(failure.code)", failure.message)
    }
    shared.link.publish {
      $0.publish(
        shared.names.end(shared.name),
        reply: reply,
        headers: PublishHeaders.end(word),
        Array(text.utf8)
      )
    }
  }

  private func writeAgain() {
    isWriting = false
    guard shared.shared.now - since < Self.patience else { return giveUp(shared.away("completed")) }
    shared.check()
    shared.shared.after(backoff.next()) { [weak self] in self?.write() }
  }

  /// For how long it is tried, in nanoseconds.
  private static let patience: Int64 = 100_000_000_000

  private func written(_ error: DefinitionError?) {
    completion = nil
    giveUp(error)
    shared.hasEnded()
  }

  /// Lets those go on who wait for it.
  func giveUp(_ error: DefinitionError?) {
    let waiting = whenWritten
    whenWritten.removeAll()
    for done in waiting { done(error) }
  }
}

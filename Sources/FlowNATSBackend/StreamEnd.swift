internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Ends a stream: seals it, then stores how it ended, so that no value comes after the end.
///
/// The end is a message. If NATS has no room for it, the end goes into the stream's settings.
final class StreamEnd {
  private struct Ending {
    let completion: ServerSubject.Completion
    /// In nanoseconds since the server started.
    let since: Int64
    /// Whether a request is pending, or waits for its repetition.
    var isWriting = false
  }

  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  private var ending: Ending?
  private var retry = Retry()
  private let whenWritten = Waiters<DefinitionError?>()

  init(_ shared: SharedSubject) { self.shared = shared }

  var isUnderWay: Bool { ending != nil }

  /// Ends the stream when all values are stored, unless it is already ending.
  func begin(_ completion: ServerSubject.Completion) {
    guard ending == nil else { return }
    ending = Ending(completion: completion, since: shared.shared.now)
    shared.scheduleEndOfTurn()
  }

  /// Ends the stream now, even if it is already sealed.
  func force(_ completion: ServerSubject.Completion) {
    ending = Ending(completion: completion, since: shared.shared.now)
    write()
  }

  /// Calls `done` when this server has ended the stream, or with an error.
  func whenWritten(_ done: @escaping (DefinitionError?) -> Void) { whenWritten.add(done) }

  /// Writes the end if there is one; no values may be left.
  func write() {
    guard let settings = shared.target, ending?.isWriting == false else { return }
    ending?.isWriting = true
    if settings.takesNoValues { publish() } else { update(settings) { $0.publish() } }
  }

  /// Seals the stream, writes `end` into its settings if given, and calls `next`.
  private func update(
    _ settings: StreamSettings,
    end: String? = nil,
    _ next: @escaping (StreamEnd) -> Void
  ) {
    var settings = settings
    settings.takesNoValues = true
    settings.end = end
    shared.link.request(shared.names.update(shared.name, settings)) { [weak self] reply in
      guard let self else { return }
      if (try? StreamAnswer(reply)) != nil { next(self) } else { writeAgain() }
    }
  }

  private func publish() {
    guard let completion = ending?.completion else { return }
    let reply = shared.link.expect { [weak self] reply in
      guard let self else { return }
      switch PublishAnswer(reply) {
      case .stored, .repeated: written(nil)
      case .preceded:
        let text = "subject \(shared.name) has completed; DELETE \(shared.name) first"
        written(DefinitionError(.completed, text))
      case .noStorage:
        guard let settings = shared.target else { return writeAgain() }
        update(settings, end: completion.line) { end in
          // Servers that heard of the end earlier could not find it.
          end.send(completion)
          end.written(nil)
        }
      case .full, .unknown: writeAgain()
      }
    }
    send(completion, reply: reply)
  }

  private func send(_ completion: ServerSubject.Completion, reply: String = "") {
    var (word, text) = ("done", "")
    if case .failure(let failure) = completion {
      (word, text) = ("fail \(failure.code)", failure.message)
    }
    let headers = PublishHeaders.end(word)
    shared.link.publish {
      $0.publish(shared.names.end(shared.name), reply: reply, headers: headers, Array(text.utf8))
    }
  }

  private func writeAgain() {
    ending?.isWriting = false
    guard let since = ending?.since, shared.shared.now - since < Self.patience else {
      return giveUp(shared.away("completed"))
    }
    shared.check()
    shared.shared.after(retry.pause()) { [weak self] in self?.write() }
  }

  /// How long writing is tried, in nanoseconds.
  private static let patience: Int64 = 100_000_000_000

  private func written(_ error: DefinitionError?) {
    ending = nil
    giveUp(error)
    shared.streamHasEnded()
  }

  func giveUp(_ error: DefinitionError?) { whenWritten.answer(error) }
}

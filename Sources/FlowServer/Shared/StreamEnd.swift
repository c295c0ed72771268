internal import FlowCore
internal import FlowLanguage
internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// Ends a stream: it takes no more values, and then says how it has ended, so that no value comes behind the end.
///
/// The end is a message. If NATS has no room to store it, the end becomes a part of the stream's settings.
final class StreamEnd {
  private struct Ending {
    let completion: ServerSubject.Completion
    /// When it was decided, in nanoseconds since the server started.
    let since: Int64
    /// Whether a request about it is under way, or is repeated after a pause.
    var isWriting = false
  }

  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  private var ending: Ending?
  private var retry = Retry()
  private let whenWritten = Waiters<DefinitionError?>()

  init(_ shared: SharedSubject) { self.shared = shared }

  /// Whether the stream is to end, or is being ended.
  var isUnderWay: Bool { ending != nil }

  /// Ends the stream when all values are stored, unless it is being ended.
  func begin(_ completion: ServerSubject.Completion) {
    guard ending == nil else { return }
    ending = Ending(completion: completion, since: shared.shared.now)
    shared.scheduleEndOfTurn()
  }

  /// Ends the stream now, also if it already takes no values.
  func force(_ completion: ServerSubject.Completion) {
    ending = Ending(completion: completion, since: shared.shared.now)
    write()
  }

  /// Calls `done` when this server has ended the stream, or with the reason why it could not.
  func whenWritten(_ done: @escaping (DefinitionError?) -> Void) { whenWritten.add(done) }

  /// Writes the end if there is one to be written; no values may be left.
  func write() {
    guard let settings = shared.target, ending?.isWriting == false else { return }
    ending?.isWriting = true
    if settings.takesNoValues { publish() } else { update(settings) { $0.publish() } }
  }

  /// Closes the stream to values, and writes `end` into its settings if it is given; then calls `next`.
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
          // Servers that have heard of the end have not found it yet.
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

  /// How long it is tried, in nanoseconds.
  private static let patience: Int64 = 100_000_000_000

  private func written(_ error: DefinitionError?) {
    ending = nil
    giveUp(error)
    shared.hasEnded()
  }

  /// Answers those that wait for the end.
  func giveUp(_ error: DefinitionError?) { whenWritten.answer(error) }
}

extension Subscribers.Completion where Failure == PipelineFailure {
  /// Reads `done`, or `fail CODE TEXT`.
  init(line: some StringProtocol) {
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard words.first == "fail" else {
      self = .finished
      return
    }
    let code = words.count > 1 && !words[1].isEmpty ? String(words[1]) : ErrorCode.upstream.rawValue
    let text = words.count > 2 ? String(words[2]) : ""
    self = .failure(PipelineFailure(code: code, message: text))
  }

  var line: String {
    switch self {
    case .finished: "done"
    case .failure(let failure): "fail \(failure.code) \(failure.message)"
    }
  }
}

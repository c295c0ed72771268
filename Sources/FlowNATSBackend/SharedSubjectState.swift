internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// What a server knows of a subject's stream and name in NATS.
///
/// A transition calls nobody; it returns the steps that its subject performs, in order. Answers from a connection that
/// is lost are not passed to it.
struct SharedSubjectState {
  enum Phase {
    /// The stream is being opened, or NATS is away.
    case closed
    case open(StreamSettings)
    /// NATS has something else by this name.
    case refused(String)
    /// The subject was deleted, or this server has released it.
    case gone
  }

  /// What NATS has of the subject, as far as known.
  enum Standing: Equatable {
    case new
    /// The stream exists, the name is undefined; `isNew` if this server made the stream.
    case made(isNew: Bool)
    /// The stream exists, and the definition is at this sequence of the names stream.
    case defined(at: UInt64)
  }

  enum Health {
    case whole
    /// NATS says that the stream is missing or has lost its end.
    case suspect(since: Int64)
    /// The subject takes no values until it is deleted.
    case lost(StreamLoss)
  }

  /// An unanswered request.
  enum Request { case stream, places, name, deletion }

  enum Claim {
    case defined(at: UInt64)
    /// NATS has another definition.
    case refused(String)
    /// The outcome is unknown; waiting clients get the error, if there is one.
    case failed(DefinitionError?)
  }

  enum Step {
    case makeStream
    case requestStream
    /// Requests the positions of consumers from before this server's start.
    case learnPlaces
    case claimName(StreamAnswer)
    /// Deletes the stream, which was made in vain; calls `streamIsDeleted`.
    case deleteStream(DefinitionError)
    case inspectLater(nanoseconds: Int64)
    case recordStream(StreamAnswer)
    /// Takes no more values, like the stream.
    case seal
    /// Resumes publishing and reading.
    case resume
    case notifyWaiting(DefinitionError?)
    case reportRefusal(String)
    case warn(String)
    /// Reports the loss of the stream, or with an answer only of its end; calls `lose`.
    case declareLost(StreamAnswer?)
    /// Removes the deleted subject from this server.
    case remove
  }

  private(set) var phase = Phase.closed
  private(set) var standing: Standing
  private(set) var health = Health.whole
  private(set) var request: Request?
  /// Whether the positions of earlier consumers are known.
  private var knowsPlaces = false
  /// Whether this server is deleting the subject; news of the deletion waits for NATS's answer.
  var isDeleting = false
  private(set) var retry = Retry()

  /// After how many nanoseconds a missing stream counts as lost.
  private static let missingPatience: Int64 = 2_000_000_000
  /// The same for a stream without its end: a new leader may still be reading its files.
  private static let cutPatience: Int64 = 5_000_000_000

  init(definedAt definition: UInt64?) {
    standing = definition.map { .defined(at: $0) } ?? .new
  }

  var loss: StreamLoss? { if case .lost(let loss) = health { loss } else { nil } }
  var isGone: Bool { if case .gone = phase { true } else { false } }

  var definition: UInt64? {
    if case .defined(let sequence) = standing { sequence } else { nil }
  }

  mutating func linkIsUp() -> [Step] {
    retry.reset()
    linkIsAway()
    switch phase {
    case .closed, .open:
      phase = .closed
      return inspect(isUp: true)
    case .refused, .gone: return []
    }
  }

  mutating func linkIsAway() {
    retry.begin()
    request = nil
  }

  /// Makes the stream, or looks it up.
  mutating func inspect(isUp: Bool) -> [Step] {
    guard isUp, request == nil, !isGone else { return [] }
    request = .stream
    return [standing == .new ? .makeStream : .requestStream]
  }

  /// Handles the stream's state.
  ///
  /// `newest` was the newest known value at the request; `conflict` says why the stream cannot be
  /// used, if so.
  mutating func answered(
    _ answer: Result<StreamAnswer, JetStreamError>,
    newest: UInt64,
    conflict: String?,
    now: Int64,
    isUp: Bool
  ) -> [Step] {
    request = nil
    guard !isGone else { return [] }
    switch answer {
    case .success(let stream):
      guard stream.last >= newest || loss != nil else { return suspectLoss(stream, now) }
      guard knowsPlaces || stream.consumers == 0 else {
        request = .places
        return [.learnPlaces]
      }
      knowsPlaces = true
      return opened(stream, conflict)
    case .failure(let error):
      switch error.number {
      case .nameInUse where standing == .new:
        // Perhaps only unspecified settings differ, or the stream has ended.
        standing = .made(isNew: false)
        return inspect(isUp: isUp)
      case .streamNotFound where standing != .new: return suspectLoss(nil, now)
      default: return notMade(error) + [Step.inspectLater(nanoseconds: retry.pause())]
      }
    }
  }

  /// Reports why NATS does not make the stream.
  private func notMade(_ error: JetStreamError) -> [Step] {
    guard error.code > 0, error.number != .notAvailable, !error.isWithoutJetStream,
      standing == .new
    else { return [] }
    let text = "NATS says: \(error)"
    let notice = Step.notifyWaiting(DefinitionError(.limit, text))
    return retry.isFirst ? [.warn(text), notice] : [notice]
  }

  /// Continues when the consumers' positions are known, or cannot be listed.
  mutating func placesAreKnown(isUp: Bool) -> [Step] {
    guard isUp, request == .places else { return [] }
    request = nil
    knowsPlaces = true
    return inspect(isUp: isUp)
  }

  private mutating func opened(_ stream: StreamAnswer, _ conflict: String?) -> [Step] {
    if standing == .new { standing = .made(isNew: stream.isNew) }
    if loss == nil { health = .whole }
    if let conflict { return refuse(conflict) }
    retry.reset()
    guard definition != nil else {
      request = .name
      return [.claimName(stream)]
    }
    let wasClosed = if case .closed = phase { true } else { false }
    phase = .open(stream.settings)
    var steps = [Step.recordStream(stream)]
    if stream.settings.takesNoValues { steps.append(.seal) }
    if wasClosed { steps.append(.resume) }
    return steps + [Step.notifyWaiting(nil)]
  }

  private mutating func refuse(_ text: String) -> [Step] {
    phase = .refused(text)
    return [.reportRefusal(text)]
  }

  /// Records that the stream takes no more values; `end` is how it ended, unless a message says so.
  mutating func seal(end: String? = nil) {
    guard case .open(var settings) = phase else { return }
    settings.takesNoValues = true
    settings.end = end ?? settings.end
    phase = .open(settings)
  }

  /// Handles a missing stream (nil), or one that has lost its end.
  ///
  /// Asks again before it counts as lost: NATS may have just started, or another server may be
  /// deleting the subject.
  private mutating func suspectLoss(_ answer: StreamAnswer?, _ now: Int64) -> [Step] {
    guard loss == nil, !isDeleting else { return [] }
    let since = if case .suspect(let since) = health { since } else { now }
    health = .suspect(since: since)
    let left = since + (answer == nil ? Self.missingPatience : Self.cutPatience) - now
    return [left > 0 ? .inspectLater(nanoseconds: left) : .declareLost(answer)]
  }

  /// Records the loss; with `settings` the rest of the stream can still be read.
  mutating func record(_ loss: StreamLoss, _ settings: StreamSettings?) {
    health = .lost(loss)
    phase = settings.map { .open($0) } ?? .closed
  }

  /// Handles the result of defining the name.
  ///
  /// If a client waits for a refusal (`isAwaited`), no other server has the stream.
  mutating func claimed(
    _ claim: Claim,
    _ stream: StreamAnswer,
    conflict: String?,
    isAwaited: Bool
  ) -> [Step] {
    guard request == .name, !isGone else { return [] }
    request = nil
    switch claim {
    case .defined(let sequence):
      standing = .defined(at: sequence)
      return opened(stream, conflict)
    case .refused(let text): return refuse(text)
    case .failed(let error?) where isAwaited && standing == .made(isNew: true):
      request = .deletion
      standing = .new
      return [.deleteStream(error)]
    case .failed(let error):
      let notices = error.map { [Step.notifyWaiting($0)] } ?? []
      return notices + [Step.inspectLater(nanoseconds: retry.pause())]
    }
  }

  /// Handles the deletion of a stream that was made in vain, or a missing answer.
  mutating func streamIsDeleted(_ error: DefinitionError) -> [Step] {
    guard request == .deletion, !isGone else { return [] }
    request = nil
    return [.notifyWaiting(error), .inspectLater(nanoseconds: retry.pause())]
  }

  mutating func nameIsLost(isUp: Bool) -> [Step] {
    guard definition != nil, !isGone else { return [] }
    standing = .made(isNew: false)
    return inspect(isUp: isUp)
  }

  mutating func nameHasChanged(at sequence: UInt64, isDeletion: Bool, isUp: Bool) -> [Step] {
    if let definition {
      return sequence > definition && !isDeleting ? [.remove] : []
    }
    guard isDeletion else { return [] }
    if loss != nil, !isDeleting { return [.remove] }
    guard case .refused = phase else { return [] }
    phase = .closed
    return inspect(isUp: isUp)
  }

  mutating func leave() { phase = .gone }
}

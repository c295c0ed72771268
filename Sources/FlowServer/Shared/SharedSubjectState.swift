internal import FlowNATS
internal import FlowSubjects
internal import FlowWire

/// What a server knows of a subject's stream and name in NATS.
///
/// A transition calls nobody; it returns the steps that its subject performs, in order.
struct SharedSubjectState {
  enum Phase {
    /// The stream is being made or looked up, or NATS is away.
    case closed
    case open(StreamSettings)
    /// NATS has something else by this name.
    case refused(String)
    /// The subject was deleted, here or elsewhere, or this server has let go of it.
    case gone
  }

  /// How much of the subject NATS has, as far as this server knows.
  enum Standing: Equatable {
    case new
    /// The stream was made, so that it is not made again; the name is not defined. The stream is new if this server
    /// has made it, and the name was never defined for it.
    case made(isNew: Bool)
    /// The name's definition is at this sequence of the names stream; the stream was made before it.
    case defined(at: UInt64)
  }

  enum Health {
    case whole
    /// Since `since` NATS says that the stream does not exist, or that it ends before a value that it had.
    case suspect(since: Int64)
    /// The subject takes no values until somebody deletes it.
    case lost(StreamLoss)
  }

  /// A request that NATS has not answered.
  enum Request { case stream, places, name, deletion }

  /// What came of the attempt to define the name.
  enum Claim {
    case defined(at: UInt64)
    /// NATS has another definition.
    case refused(String)
    /// Nothing is known; those who wait learn of the error, if there is one.
    case failed(DefinitionError?)
  }

  enum Step {
    case makeStream
    case requestStream
    /// Requests the places that consumers had before this server came.
    case learnPlaces
    case claimName(StreamAnswer)
    /// Deletes the stream, which was made in vain; calls `streamIsDeleted`.
    case deleteStream(DefinitionError)
    /// Calls `inspect` after `nanoseconds`.
    case inspectLater(nanoseconds: Int64)
    case recordStream(StreamAnswer)
    /// The stream takes no more values.
    case seal
    /// The stream is open again: values can be published and read.
    case resume
    case notifyWaiting(DefinitionError?)
    case reportRefusal(String)
    case warn(String)
    /// The stream is lost, or its end is if there is an answer; calls `lose`.
    case declareLost(StreamAnswer?)
    /// The subject was deleted: removes it from this server.
    case remove
  }

  private(set) var phase = Phase.closed
  private(set) var standing: Standing
  private(set) var health = Health.whole
  private(set) var request: Request?
  /// Whether the places that consumers had before this server came are known.
  private var knowsPlaces = false
  /// Whether this server deletes the subject; news of its deletion then waits for NATS's answer.
  var isDeleting = false
  private var backoff = Backoff(50_000_000, 1_000_000_000)

  /// After how many nanoseconds a missing stream is taken for lost.
  private static let missingPatience: Int64 = 2_000_000_000
  /// The same for a stream that ends too early: its new leader may still be reading its files.
  private static let cutPatience: Int64 = 5_000_000_000

  init(definedAt definition: UInt64?) {
    standing = definition.map { .defined(at: $0) } ?? .new
  }

  var loss: StreamLoss? { if case .lost(let loss) = health { loss } else { nil } }
  var isGone: Bool { if case .gone = phase { true } else { false } }

  /// The sequence of the name's definition, once it is stored.
  var definition: UInt64? {
    if case .defined(let sequence) = standing { sequence } else { nil }
  }

  // MARK: The link

  mutating func linkIsUp() -> [Step] {
    backoff.reset()
    request = nil
    switch phase {
    case .closed, .open:
      phase = .closed
      return inspect(isUp: true)
    case .refused, .gone: return []
    }
  }

  mutating func linkIsAway() { request = nil }

  // MARK: The stream

  /// Has the stream made, or looks it up.
  mutating func inspect(isUp: Bool) -> [Step] {
    guard isUp, request == nil, !isGone else { return [] }
    request = .stream
    return [standing == .new ? .makeStream : .requestStream]
  }

  /// NATS has answered what the stream is like.
  ///
  /// `newest` was the newest known value when NATS was asked; `conflict` says why the stream cannot be used, if so.
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
        // Perhaps only settings that were left open differ, or the stream has ended.
        standing = .made(isNew: false)
        return inspect(isUp: isUp)
      case .streamNotFound where standing != .new: return suspectLoss(nil, now)
      default: return notMade(error) + [Step.inspectLater(nanoseconds: backoff.next())]
      }
    }
  }

  /// Reports why NATS does not make the stream, if it says so.
  private func notMade(_ error: JetStreamError) -> [Step] {
    guard error.code > 0, error.number != .notAvailable, !error.isWithoutJetStream,
      standing == .new
    else { return [] }
    let text = "NATS says: \(error)"
    let notice = Step.notifyWaiting(DefinitionError(.limit, text))
    return backoff.isFirst ? [.warn(text), notice] : [notice]
  }

  /// The places that consumers had are known, or cannot be listed.
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
    backoff.reset()
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

  /// The stream takes no more values; `end` says how it has ended if there is no message that does.
  mutating func seal(end: String? = nil) {
    guard case .open(var settings) = phase else { return }
    settings.takesNoValues = true
    settings.end = end ?? settings.end
    phase = .open(settings)
  }

  // MARK: Loss

  /// The stream does not exist (`answer` is nil), or it ends before a value that it had.
  ///
  /// Asks again before it takes the stream for lost: a server of NATS may have just started, or another Flow server
  /// may be deleting the subject.
  private mutating func suspectLoss(_ answer: StreamAnswer?, _ now: Int64) -> [Step] {
    guard loss == nil, !isDeleting else { return [] }
    let since = if case .suspect(let since) = health { since } else { now }
    health = .suspect(since: since)
    let left = since + (answer == nil ? Self.missingPatience : Self.cutPatience) - now
    return [left > 0 ? .inspectLater(nanoseconds: left) : .declareLost(answer)]
  }

  /// The stream is lost, or only its end: then `settings` are those of the rest, which can be read.
  mutating func lose(_ loss: StreamLoss, _ settings: StreamSettings?) {
    health = .lost(loss)
    phase = settings.map { .open($0) } ?? .closed
  }

  // MARK: The name

  /// NATS has answered the attempt to define the name for the stream.
  ///
  /// If a client waits to hear that the name was refused (`isAwaited`), nobody else has the stream.
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
      return [.deleteStream(error)]
    case .failed(let error):
      let notices = error.map { [Step.notifyWaiting($0)] } ?? []
      return notices + [Step.inspectLater(nanoseconds: backoff.next())]
    }
  }

  /// The stream that was made in vain is deleted, or NATS has not answered.
  mutating func streamIsDeleted(_ error: DefinitionError) -> [Step] {
    guard request == .deletion, !isGone else { return [] }
    request = nil
    standing = .new
    return [.notifyWaiting(error), .inspectLater(nanoseconds: backoff.next())]
  }

  /// The names stream has lost the name.
  mutating func nameIsLost(isUp: Bool) -> [Step] {
    guard definition != nil, !isGone else { return [] }
    standing = .made(isNew: false)
    return inspect(isUp: isUp)
  }

  /// The name was defined or deleted at `sequence`, here or elsewhere.
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

  /// This server lets go of the subject.
  mutating func leave() { phase = .gone }
}

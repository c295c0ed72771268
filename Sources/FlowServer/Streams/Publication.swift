internal import FlowCore
internal import FlowLanguage
internal import FlowWire

/// A stream of values to a subject under grants.
///
/// On a `flow=slowest` subject a value without room waits in the inbox, as many as the grant may
/// be. What arrives beyond the grant is held, cancels the publication or is dropped, as it says.
final class Publication {
  let id: UInt64
  let subject: ServerSubject
  /// `nil` once the owner is gone.
  @exclusivity(unchecked) private var owner: (any PublicationOwner)?
  let limit: Int
  let over: OverflowRule
  let ownsSubject: Bool

  /// Values that may still be sent; not counted on a `flow=free` subject.
  @exclusivity(unchecked) private(set) var granted = 0
  @exclusivity(unchecked) private(set) var received = 0
  @exclusivity(unchecked) private var inbox: [[UInt8]] = []
  @exclusivity(unchecked) private var head = 0
  @exclusivity(unchecked) private var inboxOctets = 0
  @exclusivity(unchecked) private var dropped = 0
  @exclusivity(unchecked) private var end: ServerSubject.Completion??
  @exclusivity(unchecked) private(set) var isOpen = true
  /// Why it has ended: `done`, or what the subject's side said.
  private(set) var reason = "done"

  init(
    id: UInt64,
    subject: ServerSubject,
    owner: any PublicationOwner,
    limit: Int,
    over: OverflowRule,
    ownsSubject: Bool
  ) {
    self.id = id
    self.subject = subject
    self.owner = owner
    self.limit = limit
    self.over = over
    self.ownsSubject = ownsSubject
  }

  /// Whether no more can come; what is held still goes out.
  var hasEnded: Bool { end != nil }

  /// Values waiting for room.
  var held: Int { inbox.count - head }

  /// What a value met.
  enum Outcome {
    case sent(to: Int, missed: Int)
    case held
    /// The inbox is full: the value has not been taken, and is to be offered again.
    case full
    case dropped
    case cancelled
  }

  func publish(_ octets: UnsafeRawBufferPointer) -> Outcome {
    received &+= 1
    guard subject.isLossless else {
      let result = subject.publish(octets)
      return .sent(to: result.to, missed: result.missed)
    }
    let isWithinGrant = granted > 0
    if !isWithinGrant {
      switch over {
      case .hold: break
      case .cancel:
        signalAndClose("overrun")
        return .cancelled
      case .drop:
        dropped += 1
        subject.noteOpen()
        return .dropped
      }
    }
    if subject.hasRoom {
      if isWithinGrant { granted -= 1 }
      let result = subject.publish(octets)
      subject.noteOpen()
      return .sent(to: result.to, missed: result.missed)
    }
    if held >= limit || (held > 0 && inboxOctets + octets.count > inboxLimit) {
      received &-= 1
      return .full
    }
    if isWithinGrant { granted -= 1 }
    inbox.append(Array(octets))
    subject.noteHeld(1)
    inboxOctets += octets.count
    subject.noteOpen()
    subject.checkStallLater()
    return .held
  }

  /// How many values would go out at once if they came as a batch.
  var batchRoom: Int {
    guard isOpen else { return 0 }
    return subject.isLossless ? min(granted, subject.batchRoom) : subject.batchRoom
  }

  /// Sends a batch for which there is room.
  func publish(_ batch: ValueBatch) {
    received &+= batch.count
    if subject.isLossless { granted -= batch.count }
    subject.publish(batch)
    subject.noteOpen()
  }

  private var inboxLimit: Int { subject.engine.configuration.inboxLimit }

  /// Publishes the value that has waited longest.
  func publishHeld() {
    let value = inbox[head]
    inbox[head] = []
    head += 1
    inboxOctets -= value.count
    subject.noteHeld(-1)
    if head == inbox.count {
      inbox.removeAll(keepingCapacity: true)
      head = 0
    }
    value.withUnsafeBytes { _ = subject.publish($0) }
    owner?.publicationHasRoom(self)
    if held == 0, end != nil { finish() }
  }

  /// Tells the owner that it may send as many values as there is `room` for, if that is news.
  func grant(upTo room: Int) {
    guard isOpen, end == nil else { return }
    if dropped > 0 {
      let count = dropped
      dropped = 0
      owner?.publication(self, dropped: count)
    }
    let more = min(room, limit) - held - granted
    // Who may still send many is told when half of them is used up, not of each one.
    guard more > 0, granted < Self.few || granted < more else { return }
    granted += more
    owner?.publication(self, isGranted: more)
  }

  /// With fewer than this to send, every value more is told at once.
  private static let few = 32

  /// The first grant, which stands on the answer to PUB.
  func firstGrant() -> Demand {
    guard subject.isLossless else { return .unlimited }
    granted = subject.hasRoom ? min(subject.leastRoom, limit) : 0
    return .max(UInt64(granted))
  }

  /// The grant left, as an answer tells it.
  var demand: Demand { subject.isLossless ? .max(UInt64(granted)) : .unlimited }

  // MARK: The end

  /// Ends the publication, and an owned subject with it, once the inbox is taken.
  func end(_ completion: ServerSubject.Completion) {
    guard end == nil else { return }
    end = .some(ownsSubject ? completion : nil)
    if held == 0 { finish() }
  }

  private func finish() {
    guard isOpen else { return }
    close()
    if case .some(.some(let completion)) = end { subject.complete(completion) }
  }

  /// The subject has ended from elsewhere: no more may be sent.
  func subjectEnded(_ code: String) {
    if isOpen { signalAndClose(code) }
  }

  /// The owner is gone: what it has sent still goes out.
  func abandon() {
    owner = nil
    end(.failure(Self.lost))
  }

  /// Takes the owner away, and nothing else: what was held still goes out, the subject goes on.
  func leave() {
    owner = nil
    guard end == nil else { return }
    end = .some(nil)
    if held == 0 { finish() }
  }

  /// How an owned subject fails when its publisher goes away without a DONE.
  static let lost = PipelineFailure(code: "publisher-lost", message: "its publisher has gone")

  private func signalAndClose(_ reason: String) {
    self.reason = reason
    owner?.publication(self, isCancelledFor: reason)
    close()
  }

  private func close() {
    isOpen = false
    subject.noteHeld(-held)
    inbox.removeAll()
    head = 0
    subject.remove(self)
    subject.engine.bury(self)
    owner?.forget(self)
    owner = nil
  }
}

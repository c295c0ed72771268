internal import FlowCore
package import FlowLanguage
package import FlowWire

/// A stream of values to a subject under grants.
///
/// On a `flow=slowest` subject a value without room waits in the inbox, as many as the grant may
/// be. What arrives beyond the grant is held, cancels the publication or is dropped, as it says.
package final class Publication {
  package let id: UInt64
  package let subject: ServerSubject
  /// `nil` once the owner is gone.
  @safe @exclusivity(unchecked) private var owner: (any PublicationOwner)?  // memory 6
  /// Whom its inbox is charged to, also when the owner is gone.
  private let account: Account?
  package let limit: Int
  package let over: OverflowRule
  package let ownsSubject: Bool

  /// Values that may still be sent; not counted on a `flow=free` subject.
  @safe @exclusivity(unchecked) package private(set) var granted = 0
  @safe @exclusivity(unchecked) package private(set) var received = 0
  @safe @exclusivity(unchecked) private var inbox = Fifo<[UInt8]>()
  @safe @exclusivity(unchecked) private var inboxBytes = 0
  @safe @exclusivity(unchecked) private var dropped = 0
  @safe @exclusivity(unchecked) private var end: ServerSubject.Completion??
  @safe @exclusivity(unchecked) package private(set) var isOpen = true
  /// Where it stands among those of its subject, which sees to that.
  @safe @exclusivity(unchecked) package var place = -1
  /// Why it has ended: `done`, or what the subject's side said.
  package private(set) var reason = "done"

  package init(
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
    account = owner.account
    self.limit = limit
    self.over = over
    self.ownsSubject = ownsSubject
  }

  /// Whether no more can come; what is held still goes out.
  package var hasEnded: Bool { end != nil }

  /// Values waiting for room.
  package var held: Int { inbox.count }

  /// What a value met.
  package enum Outcome {
    case sent(to: Int, missed: Int)
    case held
    /// The inbox is full: the value has not been taken, and is to be offered again.
    case full
    case dropped
    case cancelled
  }

  package func publish(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    received &+= 1
    guard subject.isLossless else {
      let result = unsafe subject.publish(bytes)
      return .sent(to: result.to, missed: result.missed)
    }
    let isWithinGrant = granted > 0
    if !isWithinGrant {
      switch over {
      case .hold: break
      case .cancel:
        signalAndClose(.overrun)
        return .cancelled
      case .drop:
        dropped += 1
        subject.noteOpen()
        return .dropped
      }
    }
    if subject.hasRoom {
      if isWithinGrant { granted -= 1 }
      let result = unsafe subject.publish(bytes)
      subject.noteOpen()
      return .sent(to: result.to, missed: result.missed)
    }
    let size = Self.header + bytes.count
    if held >= limit || (held > 0 && inboxBytes + bytes.count > inboxLimit)
      || account?.hasRoom(for: size) == false
    {
      received &-= 1
      return .full
    }
    if isWithinGrant { granted -= 1 }
    unsafe inbox.append(Array(bytes))
    subject.noteHeld(1)
    account?.add(size)
    inboxBytes += bytes.count
    subject.noteOpen()
    subject.checkStallLater()
    return .held
  }

  /// How many values would go out at once if they came as a batch.
  package var batchRoom: Int {
    guard isOpen else { return 0 }
    let room = subject.batchRoom
    return subject.isLossless ? min(granted, room) : room
  }

  /// Sends a batch for which there is room.
  package func publish(_ batch: ValueBatch) {
    received &+= batch.count
    if subject.isLossless { granted -= batch.count }
    subject.publish(batch)
    subject.noteOpen()
  }

  /// What a value takes besides its bytes.
  private static let header = 64

  private var inboxLimit: Int { subject.host.inboxLimit }

  /// Publishes the value that has waited longest.
  package func publishHeld() {
    guard let value = inbox.popFirst() else { return }
    inboxBytes -= value.count
    subject.noteHeld(-1)
    account?.remove(Self.header + value.count)
    unsafe value.withUnsafeBytes { _ = unsafe subject.publish($0) }
    owner?.publicationHasRoom(self)
    if held == 0, end != nil { finish() }
  }

  /// Tells the owner that it may send as many values as there is `room` for, if that is news.
  package func grant(upTo room: Int) {
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
  package func firstGrant() -> Demand {
    guard subject.isLossless else { return .unlimited }
    granted = subject.hasRoom ? min(subject.leastRoom, limit) : 0
    return .max(UInt64(granted))
  }

  /// The grant left, as an answer tells it.
  package var demand: Demand { subject.isLossless ? .max(UInt64(granted)) : .unlimited }

  // MARK: The end

  /// Ends the publication, and an owned subject with it, once the inbox is taken.
  package func end(_ completion: ServerSubject.Completion) {
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
  package func subjectEnded(_ code: ErrorCode) {
    if isOpen { signalAndClose(code) }
  }

  /// The owner is gone: what it has sent still goes out.
  package func abandon() {
    owner = nil
    end(.failure(Self.lost))
  }

  /// Takes the owner away, and nothing else: what was held still goes out, the subject goes on.
  package func leave() {
    owner = nil
    guard end == nil else { return }
    end = .some(nil)
    if held == 0 { finish() }
  }

  /// How an owned subject fails when its publisher goes away without a DONE.
  package static let lost = PipelineFailure(
    .publisherLost,
    "its publisher has gone"
  )

  /// What its inbox takes.
  package var bytes: Int { inboxBytes + Self.header * held }

  /// Whether it waits for room and nobody is there any more who could be told.
  package var isAbandoned: Bool { owner == nil }

  /// Ends one that is abandoned without waiting for room; returns how many values are lost.
  package func giveUp() -> Int {
    let count = held
    close()
    return count
  }

  private func signalAndClose(_ reason: ErrorCode) {
    self.reason = reason.rawValue
    owner?.publication(self, isCancelledFor: reason)
    close()
  }

  private func close() {
    isOpen = false
    subject.noteHeld(-held)
    account?.remove(bytes)
    inbox.removeAll()
    inboxBytes = 0
    subject.remove(self)
    subject.host.bury(self)
    owner?.forget(self)
    owner = nil
  }
}

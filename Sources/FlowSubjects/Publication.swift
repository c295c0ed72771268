internal import FlowCore
package import FlowLanguage
package import FlowWire

/// A stream of values to a subject, limited by grants.
///
/// On a `flow=slowest` subject, values without credit wait in the inbox, which holds up to a full
/// grant. Values beyond the grant are held, dropped, or cancel the publication, as its policy says.
package final class Publication {
  package let id: UInt64
  package let subject: ServerSubject
  /// The account that pays for the inbox, kept when the owner is gone.
  private let account: Account?
  package let limit: Int
  package let over: OverflowRule
  package let ownsSubject: Bool

  private struct State {
    var owner: (any PublicationOwner)?
    var granted = 0
    var received = 0
    var inbox = Fifo<[UInt8]>()
    var inboxBytes = 0
    var dropped = 0
    var figures = DeliveryFigures()
    var unkept = 0
    /// Called after the end, when every value is stored, or with the reason why some are not.
    var whenSettled: ((ErrorCode?) -> Void)?
    var end: ServerSubject.Completion??
    var isOpen = true
  }

  @safe @exclusivity(unchecked) private var state: State  // memory 6
  /// Values that may still be sent; unused on a `flow=free` subject.
  package var granted: Int { state.granted }
  package var received: Int { state.received }
  package var isOpen: Bool { state.isOpen }
  package var figures: DeliveryFigures { state.figures }
  /// Values that were sent to a backend and are not stored yet.
  package var unkept: Int { state.unkept }
  /// The index among the subject's publications, set by the subject.
  var place = -1
  /// Why it ended: `done`, or the reason that the subject gave.
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
    state = State(owner: owner)
    account = owner.account
    self.limit = limit
    self.over = over
    self.ownsSubject = ownsSubject
  }

  /// Whether no more values can come; held values still go out.
  package var hasEnded: Bool { state.end != nil }

  package var held: Int { state.inbox.count }

  /// What happened to a value.
  package enum Outcome {
    case sent(to: Int, missed: Int)
    case held
    /// The inbox is full; offer the value again later.
    case full
    case dropped
    case cancelled
  }

  package func publish(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    state.received &+= 1
    guard subject.isLossless else {
      return unsafe sendOut(bytes)
    }
    let isWithinGrant = state.granted > 0
    if !isWithinGrant {
      switch over {
      case .hold: break
      case .cancel:
        signalAndClose(.overrun)
        return .cancelled
      case .drop:
        state.dropped += 1
        subject.scheduleResume()
        return .dropped
      }
    }
    if subject.hasCredit {
      if isWithinGrant { state.granted -= 1 }
      let outcome = unsafe sendOut(bytes)
      if subject.isIntake { state.unkept += 1 }
      subject.scheduleResume()
      return outcome
    }
    let size = Self.header + bytes.count
    if held >= limit || (held > 0 && state.inboxBytes + bytes.count > inboxLimit)
      || account?.hasRoom(for: size) == false
    {
      state.received &-= 1
      return .full
    }
    if isWithinGrant { state.granted -= 1 }
    unsafe state.inbox.append(Array(bytes))
    subject.heldChanged(by: 1)
    account?.add(size)
    state.inboxBytes += bytes.count
    subject.scheduleResume()
    subject.checkStallLater()
    return .held
  }

  /// How many values may come as one batch now; 0 if values must come singly.
  package func roomForBatch() -> Int {
    guard state.isOpen else { return 0 }
    let room = subject.roomForBatch()
    return subject.isLossless ? min(state.granted, room) : room
  }

  /// Sends values within `roomForBatch`; returns how many it has taken.
  package func publish(_ batch: ValueBatch, _ places: Range<Int>) -> Int {
    let (delivered, isAlone) = (subject.delivered, hasNobody)
    let (taken, missed) = subject.publish(batch, places, from: self)
    count(taken, to: subject.delivered &- delivered, missed: missed, isAlone)
    state.received &+= taken
    if subject.isLossless { state.granted -= taken }
    if subject.isIntake { state.unkept += taken }
    subject.scheduleResume()
    return taken
  }

  private func sendOut(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    let isAlone = hasNobody
    let result = unsafe subject.publish(bytes, from: self)
    count(1, to: result.to, missed: result.missed, isAlone)
    return .sent(to: result.to, missed: result.missed)
  }

  private var hasNobody: Bool { subject.outletCount == 0 && subject.kept == nil }

  private func count(_ values: Int, to: Int, missed: Int, _ isAlone: Bool) {
    state.figures.to &+= to
    state.figures.missed &+= missed
    if isAlone { state.figures.nobody &+= values }
  }

  /// The memory of a held value besides its bytes.
  private static let header = 64

  private var inboxLimit: Int { subject.host.inboxLimit }

  package func publishHeld() {
    guard let value = state.inbox.popFirst() else { return }
    state.inboxBytes -= value.count
    subject.heldChanged(by: -1)
    account?.remove(Self.header + value.count)
    unsafe value.withUnsafeBytes { _ = unsafe sendOut($0) }
    if subject.isIntake { state.unkept += 1 }
    state.owner?.publicationHasCredit(self)
    if held == 0, state.end != nil { finish() }
  }

  /// Tells the owner about new credit, unless it has plenty left.
  package func grant(upTo credit: Int) {
    guard state.isOpen, state.end == nil else { return }
    if state.dropped > 0 {
      let count = state.dropped
      state.dropped = 0
      state.owner?.publication(self, dropped: count)
    }
    let more = grantable(of: credit)
    // An owner with a large grant is told when half of it is used up, not at each value.
    guard more > 0, state.granted < Self.few || state.granted < more else { return }
    state.granted += more
    state.owner?.publication(self, isGranted: more)
  }

  /// Grants what the subject has credit for; returns how many values that adds.
  ///
  /// For an owner inside the server, which can send more in the same turn.
  package func grantAtOnce() -> Int {
    guard subject.isLossless, state.isOpen, state.end == nil else { return 0 }
    let more = max(0, grantable(of: subject.grantable))
    state.granted += more
    return more
  }

  private func grantable(of credit: Int) -> Int {
    min(credit, limit) - held - state.granted - state.unkept
  }

  /// Below this grant, the owner hears of every further value at once.
  private static let few = 32

  /// Returns the first grant, for the answer to PUB.
  package func firstGrant() -> Demand {
    guard subject.isLossless else { return .unlimited }
    state.granted = subject.hasCredit ? min(subject.leastCredit, limit) : 0
    return .max(UInt64(state.granted))
  }

  /// The remaining grant, as an answer shows it.
  package var demand: Demand { subject.isLossless ? .max(UInt64(state.granted)) : .unlimited }

  // MARK: The end

  /// Ends the publication, and its subject if it owns it, once the inbox is empty.
  package func end(_ completion: ServerSubject.Completion) {
    guard state.end == nil else { return }
    state.end = .some(ownsSubject ? completion : nil)
    if held == 0 { finish() }
  }

  private func finish() {
    guard state.isOpen else { return }
    close()
    settleIfKept()
    if case .some(.some(let completion)) = state.end { subject.complete(completion) }
    subject.completeIfAllWent()
  }

  /// Ends the publication because the subject ended; with `leavesHeld`, held values go out first.
  package func subjectEnded(_ code: ErrorCode, leavesHeld: Bool = false) {
    guard state.isOpen else { return }
    guard leavesHeld, held > 0 else { return signalAndClose(code) }
    reason = code.rawValue
    state.owner?.publication(self, isCancelledFor: code)
    state.owner?.forget(self)
    endQuietly()
  }

  /// Ends the publication because the owner is gone; held values still go out.
  package func ownerIsLost() {
    state.owner = nil
    end(.failure(Self.lost))
  }

  /// Forgets the owner; held values still go out, and the subject goes on.
  package func endQuietly() {
    state.owner = nil
    guard state.end == nil else { return }
    state.end = .some(nil)
    if held == 0 { finish() }
  }

  /// The failure of an owned subject whose publisher leaves without DONE.
  package static let lost = PipelineFailure(
    .publisherLost,
    "the publisher ended without DONE"
  )

  /// The memory of the inbox.
  package var bytes: Int { state.inboxBytes + Self.header * held }

  package var isAbandoned: Bool { state.owner == nil }

  /// Ends an abandoned publication without waiting for credit; returns how many values are lost.
  package func dropHeld() -> Int {
    let count = held
    close()
    return count
  }

  private func signalAndClose(_ reason: ErrorCode) {
    self.reason = reason.rawValue
    state.owner?.publication(self, isCancelledFor: reason)
    close()
  }

  private func close() {
    state.isOpen = false
    subject.heldChanged(by: -held)
    account?.remove(bytes)
    state.inbox = Fifo()
    state.inboxBytes = 0
    subject.remove(self)
    subject.host.releaseLater(self)
    state.owner?.forget(self)
    state.owner = nil
  }
}

extension Publication: ValueSender {
  package func kept(_ count: Int, at sequence: UInt64?) {
    state.unkept -= count
    subject.scheduleResume()
    settleIfKept()
  }

  package func notKept(_ count: Int, _ reason: ErrorCode) {
    state.unkept -= count
    settle(reason)
    subjectEnded(reason)
  }

  /// Calls `body` once all values are stored, or with the reason why some are not.
  ///
  /// Only for a publication that has ended.
  package func whenSettled(_ body: @escaping (ErrorCode?) -> Void) {
    state.whenSettled = body
    settleIfKept()
  }

  private func settleIfKept() {
    if !state.isOpen, state.unkept == 0 { settle(nil) }
  }

  private func settle(_ reason: ErrorCode?) { state.whenSettled.take()?(reason) }
}

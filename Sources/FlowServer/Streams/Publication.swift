internal import FlowCore
internal import FlowLanguage
internal import FlowWire

/// A stream on which a client publishes to a subject under grants.
///
/// On a `flow=slowest` subject a value without room waits in the inbox, as many as the grant may
/// be. What arrives beyond the grant is held, cancels the publication or is dropped, as it says.
final class Publication {
  let id: UInt64
  let subject: ServerSubject
  /// `nil` once the client is gone.
  private var client: Client?
  let limit: Int
  let over: OverflowRule
  let ownsSubject: Bool

  /// Values the client may still send; not counted on a `flow=free` subject.
  private(set) var granted = 0
  private(set) var received = 0
  private var inbox: [[UInt8]] = []
  private var head = 0
  private var inboxOctets = 0
  private var dropped = 0
  private var end: ServerSubject.Completion??
  private(set) var isOpen = true

  init(
    id: UInt64,
    subject: ServerSubject,
    client: Client,
    limit: Int,
    over: OverflowRule,
    ownsSubject: Bool
  ) {
    self.id = id
    self.subject = subject
    self.client = client
    self.limit = limit
    self.over = over
    self.ownsSubject = ownsSubject
  }

  private var wireID: StreamID { StreamID(rawValue: id) }

  /// Values waiting for room.
  var held: Int { inbox.count - head }

  /// What a value met.
  enum Outcome {
    case sent(to: Int, missed: Int)
    case held
    /// The inbox is full: the value has not been taken, and the client is not to be read.
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
    client?.unpark()
    if held == 0, end != nil { finish() }
  }

  /// Tells the client that it may send as many values as there is `room` for, if that is news.
  func grant(upTo room: Int) {
    guard isOpen, end == nil else { return }
    if dropped > 0 {
      let count = dropped
      dropped = 0
      client?.signal {
        FrameWriter.drop(wireID, count: UInt64(count), reason: "no-demand", into: &$0)
      }
    }
    let more = min(room, limit) - held - granted
    guard more > 0 else { return }
    granted += more
    client?.signal {
      FrameWriter.request(wireID, .max(UInt64(more)), into: &$0)
    }
  }

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

  /// The subject has ended from elsewhere: the client may send no more.
  func subjectEnded(_ code: String) {
    if isOpen { signalAndClose(code) }
  }

  /// The client is gone: what it has sent still goes out.
  func abandon() {
    client = nil
    end(.failure(Self.lost))
  }

  /// How an owned subject fails when its publisher goes away without a DONE.
  static let lost = PipelineFailure(code: "publisher-lost", message: "its publisher has gone")

  private func signalAndClose(_ reason: String) {
    client?.signal { FrameWriter.cancel(wireID, reason: reason, into: &$0) }
    close()
  }

  private func close() {
    isOpen = false
    subject.noteHeld(-held)
    inbox.removeAll()
    head = 0
    subject.remove(self)
    subject.engine.bury(self)
    client?.forget(self)
    client = nil
  }
}

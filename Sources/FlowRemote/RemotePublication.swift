import FlowTransport
import FlowWire

/// Receives the events of one `RemotePublication`, on the connection's queue.
public protocol RemotePublicationHandler: AnyObject {
  /// More values may be sent: the server granted them, or the socket takes bytes again.
  func publicationMayContinue(_ p: RemotePublication)
  /// The server or the loss of the connection ended the publication; nothing more can be sent.
  func publication(_ p: RemotePublication, ended error: RemoteError)
  /// The connection is lost, and up to `count` values may not have reached the server; they are not
  /// sent again.
  func publication(_ p: RemotePublication, mayHaveLost count: UInt64)
}

extension RemotePublicationHandler {
  public func publication(_ p: RemotePublication, mayHaveLost count: UInt64) {}
}

/// A publication to a subject, limited by the subject's grants.
///
/// `finish` may be called on any thread; the rest must be used on the connection's queue.
public final class RemotePublication: @unchecked Sendable {  // its variables belong to the queue
  private enum Phase {
    /// The connection is not up yet.
    case apart
    case opening, open, finishing, ended
  }

  private let remote: FlowRemote
  private let link: Link
  private let name: String
  private let grant: Int?
  /// `nil` after the end.
  private var handler: (any RemotePublicationHandler)?
  private var id = StreamID(rawValue: 0)
  private var phase = Phase.apart
  private var wasOpen = false
  /// Why it has ended or will end; `nil` if it was finished.
  private var failure: RemoteError?
  /// Called when it has finished; `nil` after the end.
  private var confirmed: (@Sendable (Result<RemoteAnswer, RemoteError>) -> Void)?
  private var credit = Demand.none
  /// The number of values sent.
  public private(set) var sent: UInt64 = 0
  /// The most values that did not reach the server because a connection was lost.
  public private(set) var lost: UInt64 = 0
  /// The most sent values that can be missing at the server.
  public var unconfirmed: UInt64 { lost + values.unconfirmed }
  /// The most sent values that can be missing at the subject, including those the server holds.
  public var untaken: UInt64 { lost + values.untaken }
  private var values: SentValues
  /// Whether a confirmation by the server is pending.
  private var isAsking = false
  /// The number of granted values not sent yet; `UInt64.max` is no limit.
  public var room: UInt64 { credit.max ?? .max }

  init(
    remote: FlowRemote,
    name: String,
    grant: Int?,
    handler: any RemotePublicationHandler & Sendable
  ) {
    self.remote = remote
    self.link = remote.link
    self.name = name
    self.grant = grant
    self.handler = handler
    values = SentValues(limit: grant.map { UInt64(clamping: $0) })
  }

  func open() {
    link.open(self) { self.id = $0 }
  }

  private func opened(_ answer: Result<RemoteAnswer, RemoteError>) {
    guard phase == .opening else { return }
    switch answer {
    case .success(let answer):
      phase = .open
      wasOpen = true
      if case .open(_, _, _, let grant, _) = answer.answer { granted(grant) }
    case .failure(.refused(ErrorCode.away.rawValue, _)) where wasOpen:
      phase = .apart
      link.openLater(self)
    case .failure(let error): ended(error)
    }
  }

  /// Whether no value should be sent now: there is no grant left, or the socket is full.
  public var isFull: Bool { phase != .open || credit == .none || link.isFull }

  /// Sends one value, which uses up one grant.
  ///
  /// A value that exceeds the server's limit ends the publication with the code `value-too-long`.
  ///
  /// - Returns: whether it was sent; false without a grant and after the end.
  public func send(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard phase == .open, credit > .none else { return false }
    if let refusal = link.refusal(ofValueWith: payload.count) {
      giveUp(refusal)
      return false
    }
    credit -= 1
    sent += 1
    values.add()
    unsafe link.writeValue(id, payload)
    return true
  }

  /// Ends it, and notifies the handler, which may be sending, in a later turn.
  private func giveUp(_ error: RemoteError) {
    phase = .finishing
    failure = error
    link.command(TaggedCommand(tag: "d\(id)", .done(.stream(id))).bytes) { _ in }
    link.loop.post { self.end()?.publication(self, ended: error) }
  }

  /// Asks the server to confirm received values, until all are confirmed.
  ///
  /// Received values may still be held or not stored yet; only a grant, which comes later, shows
  /// that they were taken.
  public func confirm() {
    guard phase == .open, !isAsking, values.unconfirmed > 0 else { return }
    isAsking = true
    let count = values.count
    link.command(Command.ping(nil).bytes) { answer in
      self.isAsking = false
      // After a CANCEL the server reads values without taking them.
      guard case .success = answer, self.phase == .open else { return }
      self.values.arrived(count, mayHold: self.credit != .unlimited)
      self.confirm()
    }
  }

  /// Ends the publication, not the subject.
  ///
  /// It calls `confirmed` when the server has taken all values, or with the reason why not:
  /// `closed` if it was finished before.
  public func finish(confirmed: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void) {
    link.perform { link in
      switch self.phase {
      case .open: self.finishNow(confirmed)
      case .opening where self.confirmed == nil, .apart where self.confirmed == nil:
        self.confirmed = confirmed
      case .opening, .apart, .finishing, .ended:
        confirmed(.failure(self.failure ?? .closed))
      }
    }
  }

  private func finishNow(
    _ confirmed: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void
  ) {
    phase = .finishing
    link.command(TaggedCommand(tag: "d\(id)", .done(.stream(id))).bytes) { answer in
      guard self.phase == .finishing else { return }
      self.end()
      // The server may have ended it before reading all values.
      if let failure = self.failure { return confirmed(.failure(failure)) }
      if case .success = answer { self.values.arrived(self.values.count, mayHold: false) }
      confirmed(answer)
    }
  }
}

extension RemotePublication: LinkStream {
  var isEnding: Bool { phase == .finishing || phase == .ended }

  @discardableResult
  private func end() -> (any RemotePublicationHandler)? {
    phase = .ended
    link.forget(id)
    confirmed = nil
    defer { handler = nil }
    return handler
  }

  /// Adds a grant, which may precede the answer to PUB; after DONE it shows which values were
  /// taken.
  func granted(_ count: Demand) {
    guard phase == .open || phase == .opening || phase == .finishing else { return }
    credit += count
    values.granted(room: room)
    guard phase == .open else { return }
    if let confirmed { finishNow(confirmed) } else { handler?.publicationMayContinue(self) }
  }

  func socketDrained() {
    if phase == .open { handler?.publicationMayContinue(self) }
  }

  func connectionLost() {
    switch phase {
    case .opening, .open:
      phase = .apart
      credit = .none
      let count = values.unconfirmed
      lost += count
      values = SentValues(limit: values.limit)
      if count > 0 { handler?.publication(self, mayHaveLost: count) }
    case .apart, .finishing, .ended: break
    }
  }

  func connectionRestored() {
    guard phase == .apart else { return }
    phase = .opening
    let command = Command.publish(name: name, id: id, grant: grant, over: nil, owner: false)
    link.command(command.bytes) { self.opened($0) }
  }

  func ended(_ error: RemoteError?) {
    let error = error ?? .cancelled("publication", reason: nil)
    switch phase {
    case .finishing:
      failure = failure ?? error
      return
    case .ended: return
    case .apart, .opening, .open: break
    }
    let confirmed = confirmed
    let handler = end()
    failure = error
    if let confirmed {
      confirmed(.failure(error))
    } else {
      handler?.publication(self, ended: error)
    }
  }
}

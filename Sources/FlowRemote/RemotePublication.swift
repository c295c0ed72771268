import FlowWire

/// Receives the events of one `RemotePublication`, on the connection's queue.
public protocol RemotePublicationHandler: AnyObject {
  /// Values may be sent again: more were granted, or the socket takes bytes again.
  func publicationMayContinue(_ p: RemotePublication)
  /// The server ended it, or the connection did; nothing more can be sent.
  func publication(_ p: RemotePublication, ended error: RemoteError)
  /// The connection is lost, and at most `count` values that were sent on it have not reached the
  /// server; they are not sent again.
  func publication(_ p: RemotePublication, mayHaveLost count: UInt64)
}

extension RemotePublicationHandler {
  public func publication(_ p: RemotePublication, mayHaveLost count: UInt64) {}
}

/// Values on their way to a subject, as many as it grants.
///
/// `finish` may be called anywhere; the rest belongs to the connection's queue.
public final class RemotePublication: @unchecked Sendable {  // its variables belong to the queue
  private enum Phase {
    /// The connection that it is to be opened on is not there.
    case apart
    case opening, open, finishing, ended
  }

  private let remote: FlowRemote
  private let link: Link
  private let name: String
  private let grant: Int?
  /// Until the end.
  private var handler: (any RemotePublicationHandler)?
  private var id = StreamID(rawValue: 0)
  private var phase = Phase.apart
  private var wasOpen = false
  /// Why it has ended, or does, unless it was finished.
  private var failure: RemoteError?
  /// Told when it has been finished; until the end.
  private var confirmed: (@Sendable (Result<RemoteAnswer, RemoteError>) -> Void)?
  private var credit = Demand.none
  /// The number of values sent.
  public private(set) var sent: UInt64 = 0
  /// The most values that did not reach the server because a connection was lost.
  public private(set) var lost: UInt64 = 0
  /// The most values that have not reached the server, as far as it has said.
  public var unconfirmed: UInt64 { lost + values.unconfirmed }
  /// The most values that have not reached the subject, those that the server may hold included.
  public var untaken: UInt64 { lost + values.untaken }
  private var values: SentValues
  /// Whether the server is asked what it has read.
  private var isAsking = false
  /// The number of values that the subject has granted and were not sent; `UInt64.max` is no limit.
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
      if case .open(_, _, _, let grant) = answer.answer { granted(grant) }
    case .failure(.refused(ErrorCode.away.rawValue, _)) where wasOpen:
      phase = .apart
      link.openLater(self)
    case .failure(let error): ended(error)
    }
  }

  /// Whether nothing should be sent now: no grant is left, or the socket is full.
  public var isFull: Bool { phase != .open || credit == .none || link.isFull }

  /// Sends one value, which uses one of what is granted.
  ///
  /// One that is larger than the server takes ends the publication with the code `value-too-long`.
  ///
  /// - Returns: whether it was sent; not without a grant, and not after the end.
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

  /// Tells the handler, which may be sending, in a turn of its own.
  private func giveUp(_ error: RemoteError) {
    phase = .finishing
    failure = error
    link.command(TaggedCommand(tag: "d\(id)", .done(.stream(id))).bytes) { _ in }
    link.postpone { self.end()?.publication(self, ended: error) }
  }

  /// Has the server confirm which values have reached it, until it has confirmed all.
  ///
  /// What has reached it may be held there, or not be stored yet; a grant says more, and says it later.
  public func confirm() {
    guard phase == .open, !isAsking, values.unconfirmed > 0 else { return }
    isAsking = true
    let count = values.count
    link.command(Command.ping(nil).bytes) { answer in
      self.isAsking = false
      // Behind a CANCEL it has read values, and taken none.
      guard case .success = answer, self.phase == .open else { return }
      self.values.arrived(count, mayHold: self.credit != .unlimited)
      self.confirm()
    }
  }

  /// Ends the publication, not the subject; calls `confirmed` when the server has taken everything,
  /// or with the reason why it has not: `closed` if it was finished before.
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
      // The server may have ended it before it has read all.
      if let failure = self.failure { return confirmed(.failure(failure)) }
      if case .success = answer { self.values.arrived(self.values.count, mayHold: false) }
      confirmed(answer)
    }
  }
}

extension RemotePublication: LinkStream {
  var isEnding: Bool { phase == .finishing || phase == .ended }

  /// - Returns: whom to tell.
  @discardableResult
  private func end() -> (any RemotePublicationHandler)? {
    phase = .ended
    link.forget(id)
    confirmed = nil
    defer { handler = nil }
    return handler
  }

  /// A grant may come before the answer to PUB, which waits behind that of a SEND; what comes behind DONE
  /// tells what has been taken.
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

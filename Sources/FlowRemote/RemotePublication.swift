import FlowWire

/// Takes the events of one `RemotePublication`, on the connection's queue.
public protocol RemotePublicationHandler: AnyObject {
  /// Values may be sent again: more were granted, or the socket takes octets again.
  func publicationMayContinue(_ p: RemotePublication)
  /// The server ended it, or the connection did; nothing more can be sent.
  func publication(_ p: RemotePublication, ended error: RemoteError)
}

/// Values on their way to a subject, as many as it grants.
///
/// `send`, `sent`, `room` and `isFull` belong to the connection's queue; the rest may be called anywhere.
public final class RemotePublication: @unchecked Sendable {  // its variables belong to the queue
  private let remote: Remote
  private let link: Link
  private let name: String
  private let grant: Int?
  private let handler: any RemotePublicationHandler
  private var id = StreamID(rawValue: 0)
  private var isEnded = false
  /// How many more values the subject has granted; `UInt64.max` is no limit.
  public private(set) var room: UInt64 = 0
  /// How many values have been sent.
  public private(set) var sent: UInt64 = 0

  init(
    remote: Remote,
    link: Link,
    name: String,
    grant: Int?,
    handler: any RemotePublicationHandler & Sendable
  ) {
    self.remote = remote
    self.link = link
    self.name = name
    self.grant = grant
    self.handler = handler
  }

  func open() {
    link.perform { link in
      if let failure = link.failure { return self.ended(failure) }
      self.id = link.register(self)
      let grant = self.grant.map { " grant=\($0)" } ?? ""
      link.command("PUB \(self.name) as=\(self.id.rawValue)\(grant)") { self.opened($0) }
    }
  }

  private func opened(_ answer: Result<RemoteAnswer, RemoteError>) {
    switch answer {
    case .success(let answer):
      let demand = answer.field("demand") ?? "0"
      granted(demand == "max" ? .unlimited : .max(UInt64(demand) ?? 0))
    case .failure(let error): ended(error)
    }
  }

  /// Whether nothing should be sent now: no grant is left, or the socket is full.
  public var isFull: Bool { isEnded || room == 0 || link.isFull }

  /// Sends one value, which uses one of what is granted.
  ///
  /// - Returns: whether it was sent; not without a grant, and not after the end.
  public func send(_ payload: UnsafeRawBufferPointer) -> Bool {
    guard !isEnded, room > 0 else { return false }
    if room != .max { room -= 1 }
    sent += 1
    link.writeValue(id, payload)
    return true
  }

  /// Ends the publication, not the subject; `confirmed` is told when the server has taken it all.
  public func finish(confirmed: @escaping @Sendable (Result<RemoteAnswer, RemoteError>) -> Void) {
    link.perform { link in
      guard !self.isEnded else { return }
      self.isEnded = true
      let tag = "d\(self.id.rawValue)"
      link.command("@\(tag) DONE \(self.id.rawValue)") { answer in
        link.forget(self.id)
        confirmed(answer)
      }
    }
  }
}

extension RemotePublication: LinkStream {
  func granted(_ count: Demand) {
    guard !isEnded else { return }
    let (sum, overflow) = room.addingReportingOverflow(count.max ?? .max)
    room = overflow ? .max : sum
    handler.publicationMayContinue(self)
  }

  func socketDrained() {
    guard !isEnded else { return }
    handler.publicationMayContinue(self)
  }

  func ended(_ error: RemoteError?) {
    guard !isEnded else { return }
    isEnded = true
    link.forget(id)
    let finished = RemoteError(code: "cancelled", message: "the server ended the publication")
    handler.publication(self, ended: error ?? finished)
  }
}

public import FlowCore
import FlowWire

/// Takes the events of one `RemoteSubscription`, on the connection's queue.
public protocol RemoteSubscriptionHandler: AnyObject {
  /// One value; `payload` is valid during the call only.
  func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer)
  /// All values of one read of the socket have been given: a good moment to write them on.
  func subscriptionPassedValues(_ s: RemoteSubscription)
  /// `count` values passed by, because of `reason`: a word of the protocol.
  func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String)
  /// The end: nothing follows. `nil` is the publisher's own.
  func subscription(_ s: RemoteSubscription, ended error: RemoteError?)
}

/// An open stream of values from the server.
///
/// Its methods may be called from any thread. What is asked for while values come in goes out as
/// one request after the last of them.
public final class RemoteSubscription: @unchecked Sendable {  // its variables belong to the queue
  /// What the server says when a stream is cancelled.
  public struct Fence: Sendable, Equatable {
    /// How many values were sent on the stream.
    public var values: UInt64
    /// How many passed by that had not been reported yet.
    public var missed: UInt64
    /// How many were asked for and taken, but not sent any more.
    public var undelivered: UInt64
  }

  private enum Phase {
    case opening, open, cancelled, ended
  }

  private let remote: Remote
  private let link: Link
  private let expression: String
  private let handler: any RemoteSubscriptionHandler
  private var id = StreamID(rawValue: 0)
  private var phase = Phase.opening
  /// What was asked for and has not been said to the server yet.
  private var owed = Subscribers.Demand.none
  /// Whether the link knows that values were given.
  private var isBusy = false

  init(
    remote: Remote,
    link: Link,
    expression: String,
    handler: any RemoteSubscriptionHandler & Sendable
  ) {
    self.remote = remote
    self.link = link
    self.expression = expression
    self.handler = handler
  }

  func open(_ demand: Subscribers.Demand) {
    link.perform { link in
      if let failure = link.failure { return self.ended(failure) }
      self.id = link.register(self)
      let count = demand == .none ? "" : " \(demand.wireText)"
      link.command("SUB \(self.expression)\(count) as=\(self.id.rawValue)") { self.opened($0) }
    }
  }

  private func opened(_ answer: Result<RemoteAnswer, RemoteError>) {
    guard phase == .opening else { return }
    switch answer {
    case .success:
      phase = .open
      sendOwed()
    case .failure(let error): ended(error)
    }
  }

  /// Asks for `demand` more values.
  public func request(_ demand: Subscribers.Demand) {
    link.perform { link in
      guard self.phase == .opening || self.phase == .open else { return }
      self.owed += demand
      if !self.isBusy { self.sendOwed() }
    }
  }

  /// Sends what is owed now, for whoever keeps the queue busy between two values.
  public func flush() {
    link.perform { link in
      self.sendOwed()
      link.flush()
    }
  }

  /// Ends the stream; no value follows.
  ///
  /// `fence` is told the server's account of it, or `nil` if it had ended before.
  public func cancel(fence: (@Sendable (Fence?) -> Void)? = nil) {
    link.perform { link in
      guard self.phase == .opening || self.phase == .open else {
        fence?(nil)
        return
      }
      self.phase = .cancelled
      link.command("CANCEL \(self.id.rawValue)") { answer in
        link.forget(self.id)
        fence?(Self.fence(answer))
      }
    }
  }

  private static func fence(_ answer: Result<RemoteAnswer, RemoteError>) -> Fence? {
    guard case .success(let answer) = answer else { return nil }
    func number(_ name: String) -> UInt64? { answer.field(name).flatMap { UInt64($0) } }
    guard let values = number("values") else { return nil }
    return Fence(
      values: values,
      missed: number("missed") ?? 0,
      undelivered: number("undelivered") ?? 0
    )
  }

  private func sendOwed() {
    guard phase == .open, owed > .none else { return }
    link.write("REQ \(id.rawValue) \(owed.wireText)")
    owed = .none
  }
}

extension RemoteSubscription: LinkStream {
  func received(_ payload: UnsafeRawBufferPointer) {
    guard phase == .open || phase == .opening else { return }
    handler.subscription(self, received: payload)
    guard !isBusy else { return }
    isBusy = true
    link.afterValues(self)
  }

  func valuesPassed() {
    isBusy = false
    guard phase == .open || phase == .opening else { return }
    handler.subscriptionPassedValues(self)
    sendOwed()
  }

  func missed(_ count: UInt64, reason: String) {
    guard phase != .ended else { return }
    handler.subscription(self, missed: count, reason: reason)
  }

  func ended(_ error: RemoteError?) {
    guard phase != .ended else { return }
    let wasCancelled = phase == .cancelled
    phase = .ended
    link.forget(id)
    if !wasCancelled { handler.subscription(self, ended: error) }
  }
}

extension Subscribers.Demand {
  /// How the wire writes it.
  var wireText: String { max.map { String($0) } ?? "max" }
}

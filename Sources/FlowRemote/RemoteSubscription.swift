public import FlowCore
import FlowTransport
package import FlowWire

/// Receives the events of one `RemoteSubscription`, on the connection's queue.
public protocol RemoteSubscriptionHandler: AnyObject {
  /// Receives a value; `payload` is valid during the call only.
  func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer)
  /// All values of one read of the socket were delivered: a good moment to flush them.
  func subscriptionPassedValues(_ s: RemoteSubscription)
  /// `count` values were missed; `reason` is a word of the protocol.
  func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String)
  /// The stream was opened with `flow=free`: its token lacks the right `hold`, so that no subject with
  /// `flow=slowest` waits for it, and what it is too slow for is missed.
  ///
  /// Does nothing by default.
  func subscriptionHasFreeFlow(_ s: RemoteSubscription)
  /// The stream failed with `error`, or finished if it is `nil`; no event follows.
  func subscription(_ s: RemoteSubscription, ended error: RemoteError?)
}

extension RemoteSubscriptionHandler {
  public func subscriptionHasFreeFlow(_ s: RemoteSubscription) {}
}

/// An open stream of values from the server.
///
/// Its methods may be called from any thread. Requests of one turn of the connection's queue leave
/// together at its end.
public final class RemoteSubscription: @unchecked Sendable {  // its variables belong to the queue
  /// The server's counts when a stream is cancelled.
  public struct Fence: Sendable, Equatable {
    /// The values sent since the stream was last opened.
    public var values: UInt64
    /// The missed values not reported before.
    public var missed: UInt64
    /// The missed values by reason, a word of the protocol.
    public var reasons: [String: UInt64]
    /// The values requested and accepted for the stream, but not sent.
    public var undelivered: UInt64
  }

  private enum Phase {
    /// The connection is not up yet.
    case apart
    case opening, open, cancelled, ended
  }

  private let remote: FlowRemote
  private let link: Link
  private let expression: String
  /// The stage to watch, if this is a tap.
  private let tap: Tapped?
  private let durable: String?
  private var durableDemand: DurableDemand?
  /// The refusals since it was lost, because another client had it or NATS was away.
  private var refusals = 0
  private var wasOpen = false
  /// `nil` after the end.
  private var handler: (any RemoteSubscriptionHandler)?
  private var id = StreamID(rawValue: 0)
  private var phase = Phase.apart
  /// Requested values that have not arrived.
  private var outstanding = Subscribers.Demand.none
  /// The part of `outstanding` not sent to the server yet.
  private var owed = Subscribers.Demand.none
  /// Whether the link calls `settle` at the end of the turn.
  private var isOwing = false
  /// Whether the link calls `valuesPassed` after the values at hand.
  private var isBusy = false
  /// Requests from other threads, waiting for the queue.
  private nonisolated(unsafe) var requested = Subscribers.Demand.none  // under `lock`, memory 6
  private let lock = Lock()

  init(
    remote: FlowRemote,
    expression: String,
    tap: Tapped? = nil,
    durable: Durable? = nil,
    handler: any RemoteSubscriptionHandler & Sendable
  ) {
    self.remote = remote
    self.link = remote.link
    self.expression = tap == nil ? OneLine.joining(expression) : expression
    self.tap = tap
    self.durable = durable?.name
    durableDemand = durable.map { DurableDemand(window: $0.window) }
    self.handler = handler
  }

  func open(_ demand: Subscribers.Demand) {
    link.open(self) { id in
      self.outstanding = demand
      self.id = id
    }
  }

  private func opened(_ answer: Result<RemoteAnswer, RemoteError>) {
    guard phase == .opening else { return }
    switch answer {
    case .success(let answer):
      phase = .open
      refusals = 0
      wasOpen = true
      if case .open(_, _, _, _, .free?)? = answer.answer { handler?.subscriptionHasFreeFlow(self) }
      sendOwed()
    case .failure(.refused(let code, _)) where mayOpenAgain(code): openLater()
    case .failure(let error): ended(error)
    }
  }

  /// Whether a refused reopening may succeed later: the server may not have noticed the lost
  /// connection of a durable subscription, or NATS may be away.
  private func mayOpenAgain(_ code: String) -> Bool {
    switch ErrorCode(rawValue: code) {
    case .away: wasOpen
    case .exists: wasOpen && durable != nil && refusals < Self.mostRefusals
    default: false
    }
  }

  private static let mostRefusals = 60

  private func openLater() {
    refusals += 1
    phase = .apart
    link.openLater(self)
  }

  /// Requests `demand` more values.
  public func request(_ demand: Subscribers.Demand) {
    if link.isCurrent { return add(demand) }
    let isFirst = lock.withLock {
      defer { unsafe requested += demand }
      return unsafe requested == .none
    }
    guard isFirst else { return }
    link.perform { _ in
      self.add(
        self.lock.withLock {
          defer { unsafe self.requested = .none }
          return unsafe self.requested
        }
      )
    }
  }

  /// Adds demand; runs on the queue.
  private func add(_ demand: Subscribers.Demand) {
    outstanding += demand
    guard phase == .opening || phase == .open else { return }
    owed += demand
    owe()
  }

  private func owe() {
    guard !isOwing else { return }
    isOwing = true
    link.owes(self)
  }

  /// Sends owed requests now, for a caller that keeps the queue busy between two values.
  public func flush() {
    link.perform { link in
      self.sendOwed()
      link.flush()
    }
  }

  /// Acknowledges all values that the handler of a durable subscription has, even after the end.
  ///
  /// It requests as many more: cancel the subscription or expect them. For other subscriptions it
  /// does nothing.
  public func acknowledge() {
    link.perform { link in
      guard let demand = self.durableDemand?.acknowledge(), demand > .none else { return }
      self.outstanding += demand
      link.write(.request(.stream(self.id), .demand(demand.onWire)))
    }
  }

  /// Ends the stream; no value follows.
  ///
  /// `fence` gets the server's counts, or `nil` if the stream had ended before.
  public func cancel(fence: (@Sendable (Fence?) -> Void)? = nil) {
    link.perform { link in
      switch self.phase {
      case .opening, .open:
        self.phase = .cancelled
        link.command(Command.cancel(.stream(self.id)).bytes) { answer in
          self.phase = .ended
          self.handler = nil
          link.forget(self.id)
          fence?(Self.fence(answer))
        }
      case .apart:
        self.phase = .ended
        self.handler = nil
        link.forget(self.id)
        fence?(nil)
      case .cancelled, .ended: fence?(nil)
      }
    }
  }

  /// The reason of misses if the server names none.
  private static let noDemand = "no-demand"

  private static func fence(_ answer: Result<RemoteAnswer, RemoteError>) -> Fence? {
    guard case .success(let answer) = answer,
      case .cancel(_, let values, let missed, let undelivered, let why) = answer.answer
    else { return nil }
    return Fence(
      values: UInt64(values),
      missed: UInt64(missed),
      reasons: why.isEmpty && missed > 0
        ? [Self.noDemand: UInt64(missed)] : why.mapValues { UInt64($0) },
      undelivered: UInt64(undelivered)
    )
  }

  private func sendOwed() {
    guard phase == .open, owed > .none else { return }
    let demand = durableDemand?.more(owed) ?? owed
    guard demand > .none else { return }
    link.write(.request(.stream(id), .demand(demand.onWire)))
    owed = demand == owed ? .none : owed - demand
  }

  /// Takes a value of a durable subscription; more may be requested at the end of the turn.
  private func takeOfDurable() {
    durableDemand?.take()
    if owed > .none { owe() }
  }
}

extension RemoteSubscription: LinkStream {
  var isEnding: Bool { phase == .cancelled || phase == .ended }

  func received(_ payload: UnsafeRawBufferPointer) {
    guard phase == .open || phase == .opening else { return }
    outstanding -= 1
    if durableDemand != nil { takeOfDurable() }
    unsafe handler?.subscription(self, received: payload)
    guard !isBusy else { return }
    isBusy = true
    link.afterValues(self)
  }

  func valuesPassed() {
    isBusy = false
    guard phase == .open || phase == .opening else { return }
    handler?.subscriptionPassedValues(self)
  }

  func settle() {
    isOwing = false
    sendOwed()
  }

  func missed(_ count: UInt64, reason: String) {
    guard phase != .ended else { return }
    handler?.subscription(self, missed: count, reason: reason)
  }

  func connectionLost() {
    switch phase {
    case .opening, .open:
      phase = .apart
      owed = .none
    case .apart, .cancelled, .ended: break
    }
  }

  func connectionRestored() {
    guard phase == .apart else { return }
    phase = .opening
    let first = durableDemand?.open(outstanding) ?? outstanding
    owed = first == outstanding ? .none : outstanding - first
    let command = opening(first.onWire)
    let start = link.now
    link.command(command.bytes) { answer in
      if case .success = answer { self.link.measured(since: start) }
      self.opened(answer)
    }
  }

  private func opening(_ demand: Demand) -> Command {
    if let tap { return .tap(name: expression, stage: tap.stage, demand: demand, id: id) }
    return .subscribe(
      Expression(expression),
      demand: demand,
      id: id,
      window: nil,
      durable: durable
    )
  }

  func ended(_ error: RemoteError?) {
    guard phase != .ended else { return }
    // Acknowledges taken values, though no more will come.
    sendOwed()
    let wasCancelled = phase == .cancelled
    phase = .ended
    link.forget(id)
    let handler = handler.take()
    if !wasCancelled { handler?.subscription(self, ended: error) }
  }
}

/// The place that a tap watches.
struct Tapped {
  /// The number of a stage; the last one if nil.
  let stage: Int?
}

extension Subscribers.Demand {
  package var onWire: Demand { max.map { .max(UInt64($0)) } ?? .unlimited }
}

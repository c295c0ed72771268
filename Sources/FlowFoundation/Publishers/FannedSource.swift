import FlowCore
import Foundation

/// Sends the values of a Foundation source to one subscriber, one at a time; drops those that come
/// without demand.
///
/// Subscriptions to Foundation's sources are built on it.
final class FannedSource<Output>: @unchecked Sendable {  // the locks guard all state
  private struct State {
    var receive: ((Output) -> Subscribers.Demand)?
    var demand = Subscribers.Demand.none
  }

  /// Held while a value is sent; recursive, since receiving a value may send another one at once.
  private let turn = NSRecursiveLock()
  private let lock = NSLock()
  private var state = State()

  /// Attaches the subscriber; the caller sends it a subscription.
  func subscribe(_ subscriber: some Subscriber<Output, Never>) {
    lock.withLock { state.receive = { subscriber.receive($0) } }
  }

  func send(_ value: Output) {
    turn.withLock {
      let receive = lock.withLock { () -> ((Output) -> Subscribers.Demand)? in
        guard state.demand > 0, let receive = state.receive else { return nil }
        state.demand -= 1
        return receive
      }
      if let receive { request(receive(value)) }
    }
  }

  func request(_ demand: Subscribers.Demand) {
    lock.withLock { if state.receive != nil { state.demand += demand } }
  }

  /// Releases the subscriber.
  func cancel() {
    let old = lock.withLock {
      defer { state = State() }
      return state
    }
    withExtendedLifetime(old) {}
  }

  /// The demand that is not met yet.
  var demand: Subscribers.Demand { lock.withLock { state.demand } }
}

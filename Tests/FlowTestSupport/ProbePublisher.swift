public import FlowCore

/// A publisher whose signals the test sends, and which records the subscriber's requests.
///
/// It has one subscriber; a new one replaces it.
public final class ProbePublisher<Output, Failure: Error>: Publisher {
  private struct State {
    var subscriber: AnySubscriber<Output, Failure>?
    var subscriptions = 0
    var requests: [Subscribers.Demand] = []
    var demand = Subscribers.Demand.none
    var cancels = 0
    var isOver = false
  }

  private let state = Guarded(State())

  /// Makes a probe without a subscriber.
  public init() {}

  /// The number of subscribers so far.
  public var subscriptions: Int { locked { $0.subscriptions } }
  /// The demands of all calls of `request`, in order, also after the end.
  public var requests: [Subscribers.Demand] { locked { $0.requests } }
  /// How many values may be sent now.
  public var demand: Subscribers.Demand { locked { $0.demand } }
  /// The number of cancellations.
  public var cancels: Int { locked { $0.cancels } }

  public func receive<S: Subscriber>(subscriber: S)
  where S.Input == Output, S.Failure == Failure {
    let (old, number) = locked { state in
      defer { state.subscriber = AnySubscriber(subscriber) }
      state.subscriptions += 1
      state.demand = .none
      state.isOver = false
      return (state.subscriber, state.subscriptions)
    }
    withExtendedLifetime(old) {}
    subscriber.receive(subscription: Link(self, number))
  }

  /// Sends a value if there is demand; returns whether there was.
  @discardableResult
  public func send(_ value: Output) -> Bool {
    let subscriber: AnySubscriber<Output, Failure>? = locked { state in
      guard state.demand > 0, !state.isOver else { return nil }
      state.demand -= 1
      return state.subscriber
    }
    guard let subscriber else { return false }
    let more = subscriber.receive(value)
    locked { $0.demand += more }
    return true
  }

  /// Sends a value without demand, like one that was on its way at the cancellation.
  public func sendLate(_ value: Output) { _ = locked { $0.subscriber }?.receive(value) }

  /// Sends the completion, even if the subscription has ended.
  public func sendLate(completion: Subscribers.Completion<Failure>) {
    locked { $0.subscriber }?.receive(completion: completion)
  }

  /// Sends the completion, unless the subscription has ended.
  public func send(completion: Subscribers.Completion<Failure>) {
    let subscriber: AnySubscriber<Output, Failure>? = locked { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      return state.subscriber
    }
    subscriber?.receive(completion: completion)
  }

  /// Passes a second subscription to the subscriber; returns whether it was cancelled, as it should.
  public func isSecondSubscriptionRefused() -> Bool {
    let second = ProbePublisher()
    locked { $0.subscriber }?.receive(subscription: Link(second, 0))
    return second.cancels == 1
  }

  /// Releases the subscriber.
  public func release() {
    let old = locked { state in
      defer { state.subscriber = nil }
      return state.subscriber
    }
    withExtendedLifetime(old) {}
  }

  @discardableResult
  private func locked<R>(_ body: (inout State) -> R) -> R { state.withLock(body) }

  private final class Link: Subscription, CustomStringConvertible {
    private let probe: ProbePublisher
    private let number: Int

    init(_ probe: ProbePublisher, _ number: Int) {
      self.probe = probe
      self.number = number
    }

    var description: String { "Probe" }

    func request(_ demand: Subscribers.Demand) {
      probe.locked { state in
        guard state.subscriptions == number else { return }
        state.requests.append(demand)
        if !state.isOver { state.demand += demand }
      }
    }

    func cancel() {
      let old: AnySubscriber<Output, Failure>? = probe.locked { state in
        state.cancels += 1
        guard state.subscriptions == number else { return nil }
        state.isOver = true
        state.demand = .none
        defer { state.subscriber = nil }
        return state.subscriber
      }
      withExtendedLifetime(old) {}
    }
  }
}

// The lock guards all mutable state.
extension ProbePublisher: @unchecked Sendable {}

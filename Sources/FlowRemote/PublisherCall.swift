import FlowCore

/// A call that a publisher answers: its demand is the demand of the call.
///
/// The publisher may signal on any thread. On the connection's queue signals go out at once; from
/// elsewhere they wait, no more than were asked for, for a turn of the queue.
final class PublisherCall<Upstream: Publisher>: Subscriber, RemoteCall, Waking, @unchecked Sendable
{
  // `make` is used once, on the queue; the rest is behind `state`.
  typealias Input = Upstream.Output
  typealias Failure = Upstream.Failure

  private struct State {
    var subscription: (any Subscription)?
    /// What was asked for before there was a subscription.
    var pending = Subscribers.Demand.none
    /// Signals from other threads, in order, on their way to the queue.
    var values: [[UInt8]] = []
    var end: RemoteError??
    var isOver = false
  }

  private let place: CallPlace
  private let encode: @Sendable (Upstream.Output) throws(RemoteError) -> [UInt8]
  private var make: (() throws(RemoteError) -> Upstream)?
  private let lock = Lock()
  // Read and written under `lock` only.
  // memory 6
  private nonisolated(unsafe) var state = State()

  init(
    _ place: CallPlace,
    encode: @escaping @Sendable (Upstream.Output) throws(RemoteError) -> [UInt8],
    make: @escaping () throws(RemoteError) -> Upstream
  ) {
    self.place = place
    self.encode = encode
    self.make = make
  }

  private func withState<R>(_ body: (inout State) -> R) -> R {
    lock.withLock { unsafe body(&state) }
  }

  // MARK: The service

  func begin() {
    guard let make else { return }
    self.make = nil
    do throws(RemoteError) {
      try make().receive(subscriber: self)
    } catch {
      place.service.end(place, error)
    }
  }

  func request(_ demand: Subscribers.Demand) {
    let subscription = withState { state -> (any Subscription)? in
      if state.subscription == nil { state.pending += demand }
      return state.subscription
    }
    subscription?.request(demand)
  }

  func cancel() {
    end()?.cancel()
  }

  /// - Returns: the subscription, unless it was over already.
  private func end() -> (any Subscription)? {
    withState { state in
      defer {
        state.isOver = true
        state.subscription = nil
        state.values = []
      }
      return state.subscription
    }
  }

  // MARK: The publisher

  func receive(subscription: any Subscription) {
    let pending = withState { state -> Subscribers.Demand? in
      guard !state.isOver, state.subscription == nil else { return nil }
      state.subscription = subscription
      return state.pending
    }
    guard let pending else { return subscription.cancel() }
    if pending > .none { subscription.request(pending) }
  }

  func receive(_ input: Upstream.Output) -> Subscribers.Demand {
    let payload: [UInt8]
    do throws(RemoteError) {
      payload = try encode(input)
    } catch {
      end()?.cancel()
      finish(error)
      return .none
    }
    if place.service.link.isCurrent {
      passOn()
      if place.service.isOpen(place) {
        unsafe payload.withUnsafeBytes { unsafe place.service.emit($0, place) }
      }
    } else {
      wake { $0.values.append(payload) }
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Upstream.Failure>) {
    switch completion {
    case .finished: finish(nil)
    case .failure(let error): finish(RemoteError(failure: error))
    }
  }

  private func finish(_ error: RemoteError?) {
    if place.service.link.isCurrent {
      passOn()
      _ = end()
      place.service.end(place, error)
    } else {
      wake { $0.end = .some(error) }
    }
  }

  /// Adds a signal from another thread; the first one wakes the queue.
  private func wake(_ add: (inout State) -> Void) {
    let isFirst = withState { state in
      defer { add(&state) }
      return state.values.isEmpty
    }
    guard isFirst else { return }
    let call: any Waking = self
    place.service.link.perform { _ in call.passOn() }
  }

  /// On the queue: what came from other threads goes out.
  func passOn() {
    let (values, end) = withState { state in
      defer {
        state.values = []
        state.end = nil
      }
      return (state.values, state.end)
    }
    guard !values.isEmpty || end != nil else { return }
    if place.service.isOpen(place) {
      for value in values {
        unsafe value.withUnsafeBytes { unsafe place.service.emit($0, place) }
      }
    }
    if let end {
      _ = self.end()
      place.service.end(place, end)
    }
  }
}

/// What has signals for the connection's queue.
private protocol Waking: Sendable {
  func passOn()
}

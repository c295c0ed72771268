import FlowCore

/// The part of a call that does not depend on the publisher's type, which would be looked up for
/// each call.
///
/// The publisher may signal on any thread. On the connection's queue signals go out at once; from
/// elsewhere they wait, no more than were asked for, for a turn of the queue.
class AnsweredCall: @unchecked Sendable {
  // `place` is a constant, the rest is behind `lock`.

  private struct State {
    var subscription: (any Subscription)?
    /// The demand that was requested before there was a subscription.
    var pending = Subscribers.Demand.none
    /// Signals from other threads, in order, on their way to the queue.
    var values: [[UInt8]] = []
    var end: RemoteError??
    var isOver = false
  }

  fileprivate let place: CallPlace
  private let lock = Lock()
  // Read and written under `lock` only.
  // memory 6
  private nonisolated(unsafe) var state = State()

  fileprivate init(_ place: CallPlace) { self.place = place }

  private func withState<R>(_ body: (inout State) -> R) -> R {
    lock.withLock { unsafe body(&state) }
  }

  // MARK: The service

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

  fileprivate final func send(_ payload: [UInt8]) {
    if place.service.link.isCurrent {
      passOn()
      if place.service.isOpen(place) {
        unsafe payload.withUnsafeBytes { unsafe place.service.emit($0, place) }
      }
    } else {
      wake { $0.values.append(payload) }
    }
  }

  fileprivate final func finish(_ error: RemoteError?) {
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
    place.service.link.perform { _ in self.passOn() }
  }

  /// On the queue: what came from other threads goes out.
  private func passOn() {
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

/// A call that a publisher answers: its demand is the demand of the call.
final class PublisherCall<Upstream: Publisher>: AnsweredCall, Subscriber, RemoteCall,
  @unchecked Sendable
{
  // `make` is used once, on the queue.
  typealias Input = Upstream.Output
  typealias Failure = Upstream.Failure

  private let encode: @Sendable (Upstream.Output) throws(RemoteError) -> [UInt8]
  private var make: (() throws(RemoteError) -> Upstream)?

  init(
    _ place: CallPlace,
    encode: @escaping @Sendable (Upstream.Output) throws(RemoteError) -> [UInt8],
    make: @escaping () throws(RemoteError) -> Upstream
  ) {
    self.encode = encode
    self.make = make
    super.init(place)
  }

  func begin() {
    guard let make else { return }
    self.make = nil
    do throws(RemoteError) {
      try make().receive(subscriber: self)
    } catch {
      place.service.end(place, error)
    }
  }

  func receive(_ input: Upstream.Output) -> Subscribers.Demand {
    do throws(RemoteError) {
      send(try place.service.link.fitting(encode(input)))
    } catch {
      cancel()
      finish(error)
    }
    return .none
  }

  func receive(completion: Subscribers.Completion<Upstream.Failure>) {
    switch completion {
    case .finished: finish(nil)
    case .failure(let error): finish(RemoteError(failure: error))
    }
  }
}

/// The state of one `buffer`, under one owner word.
///
/// `isDelivering` keeps what comes from inside a delivery in the ring until that has returned.
@usableFromInline
final class _BufferSubscription<Upstream: Publisher, Downstream: Subscriber>:
  _ControlSubscription, Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  @usableFromInline typealias Input = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let size: Int
  @usableFromInline let isKeptFull: Bool
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>
  @usableFromInline let onDrop: ((Input) -> Void)?

  @usableFromInline let owner = OwnerLock()
  @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @exclusivity(unchecked) @usableFromInline var upstream: (any Subscription)?
  @exclusivity(unchecked) @usableFromInline var values = _Queue<Input>()
  @exclusivity(unchecked) @usableFromInline var demand = 0
  @exclusivity(unchecked) @usableFromInline var isDelivering = false
  @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ buffer: Publishers.Buffer<Upstream>) {
    self.downstream = downstream
    size = buffer.size
    isKeptFull = buffer.prefetch == .keepFull
    whenFull = buffer.whenFull
    onDrop = buffer.onDrop
    super.init("Buffer") { object, count in
      let me = unsafeDowncast(object, to: _BufferSubscription<Upstream, Downstream>.self)
      if count < 0 { me.end()?.cancel() } else { me.request(count) }
    }
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    owner.enter()
    defer { owner.exit() }
    guard upstream == nil, let downstream else { return subscription.cancel() }
    upstream = subscription
    downstream.receive(subscription: self)
    guard self.downstream != nil else { return }
    if !isKeptFull {
      subscription.request(.unlimited)
    } else if size > 0 {
      subscription.request(.max(size))
    }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    defer { owner.exit() }
    guard let downstream, completion == nil else { return .none }
    if demand > 0, !isDelivering, values.isEmpty {
      isDelivering = true
      if demand != .max { demand &-= 1 }
      demand = addDemand(demand, downstream.receive(input)._count)
      isDelivering = false
      let taken = values.isEmpty && completion == nil ? 1 : 1 &+ deliver()
      return isKeptFull ? .max(taken) : .none
    }
    return hold(input)
  }

  @usableFromInline
  func hold(_ input: Input) -> Subscribers.Demand {
    if values.count < size {
      values.append(input)
      return .none
    }
    switch whenFull {
    case .dropNewest: onDrop?(input)
    case .dropOldest:
      if let oldest = values.popFirst() {
        values.append(input)
        onDrop?(oldest)
      } else {
        onDrop?(input)
      }
    case .customError(let makeError):
      completion = .failure(makeError())
      values = _Queue()
      let upstream = upstream
      self.upstream = nil
      upstream?.cancel()
      _ = deliver()
    }
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    defer { owner.exit() }
    guard downstream != nil, self.completion == nil else { return }
    self.completion = completion
    upstream = nil
    _ = deliver()
  }

  @usableFromInline
  func request(_ count: Int) {
    owner.enter()
    defer { owner.exit() }
    guard downstream != nil else { return }
    demand = addDemand(demand, count)
    let taken = deliver()
    if isKeptFull, taken > 0 { upstream?.request(.max(taken)) }
  }

  /// Sends what is held as far as there is demand, then the end if it has come; returns how many.
  @usableFromInline
  func deliver() -> Int {
    guard !isDelivering else { return 0 }
    var taken = 0
    while demand > 0, let downstream, let value = values.popFirst() {
      isDelivering = true
      if demand != .max { demand &-= 1 }
      demand = addDemand(demand, downstream.receive(value)._count)
      isDelivering = false
      taken += 1
    }
    if values.isEmpty, let completion, let downstream {
      _ = end()
      downstream.receive(completion: completion)
    }
    return taken
  }

  /// Lets go of everything; returns the upstream, which is the caller's to cancel.
  @usableFromInline
  func end() -> (any Subscription)? {
    owner.enter()
    defer { owner.exit() }
    downstream = nil
    values = _Queue()
    defer { upstream = nil }
    return upstream
  }
}

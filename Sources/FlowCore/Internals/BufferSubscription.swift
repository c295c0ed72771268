/// The state of one `buffer`.
@usableFromInline
final class _BufferSubscription<Upstream: Publisher, Downstream: Subscriber>:
  _OwnedSubscription, Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  @usableFromInline typealias Input = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  // A flag comes first, where it takes what the superclass leaves of a word.
  @usableFromInline let isKeptFull: Bool
  @usableFromInline let size: Int
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>
  @usableFromInline let onDrop: ((Input) -> Void)?

  // This belongs to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) @usableFromInline var state: State

  @usableFromInline
  struct State {
    @usableFromInline var values = Fifo<Input>()
    /// Whether the upstream's subscription has come.
    @usableFromInline var hasStarted = false
    /// Whether there is a `completion`.
    @usableFromInline var isEnding = false
    // Where these lie has to be looked up in code that does not know the types: they come last.
    /// What to send when all that is held has been sent.
    @usableFromInline var completion: Subscribers.Completion<Failure>?
    @usableFromInline var downstream: Downstream?

    @inlinable @inline(__always)
    init(_ downstream: Downstream) { self.downstream = downstream }

    @inlinable
    mutating func end(_ completion: Subscribers.Completion<Failure>) {
      self.completion = completion
      isEnding = true
    }
  }

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ buffer: Publishers.Buffer<Upstream>) {
    state = State(downstream)
    size = buffer.size
    isKeptFull = buffer.prefetch == .keepFull
    whenFull = buffer.whenFull
    onDrop = buffer.onDrop
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _BufferSubscription<Upstream, Downstream>.self)
      // Nobody has been given it to cancel before there is an upstream.
      guard me.state.hasStarted || count > 0, me.enter(noting: count) else { return }
      me.answer()
      me.leave()
    }
  }

  @usableFromInline
  override var description: String { "Buffer" }

  @usableFromInline
  override var _takesNone: Bool { true }

  @usableFromInline
  override var _children: [Mirror.Child] {
    [
      ("values", Array(state.values.elements)),
      ("state", hasEnded ? "terminal" : hasUpstream ? "subscribed" : "ready"),
      ("downstreamDemand", Subscribers.Demand(_count: delivery.demand)),
      ("terminal", state.completion as Any),
    ]
  }

  /// Asks the upstream before it hands itself down, as Combine does; until then it only holds.
  @inlinable
  func receive(subscription: any Subscription) {
    owner.enter()
    guard !state.hasStarted, !hasEnded, let downstream = state.downstream else {
      leave()
      return subscription.cancel()
    }
    state.hasStarted = true
    keepUpstream(subscription)
    delivery.isUnderWay = true
    leave()
    if !isKeptFull {
      subscription.request(.unlimited)
    } else if size > 0 {
      subscription.request(.max(size))
    }
    downstream.receive(subscription: self)
    owner.enter()
    delivery.isUnderWay = false
    answer()
    leave()
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    var taken = 0
    if hasEnded || state.isEnding || !state.hasStarted {
      // It comes too late, or too early.
    } else if delivery.demand > 0, !delivery.isUnderWay, state.values.isEmpty {
      send(input)
      taken = 1
      if !state.values.isEmpty || state.isEnding { taken &+= settle() }
    } else {
      hold(input)
    }
    leave()
    return isKeptFull ? .max(taken) : .none
  }

  @inlinable
  func hold(_ input: Input) {
    if state.values.count < size { state.values.append(input) } else { overflow(input) }
  }

  @inlinable @inline(never)
  func overflow(_ input: Input) {
    switch whenFull {
    case .dropNewest: onDrop?(input)
    case .dropOldest:
      guard let oldest = state.values.popFirst() else {
        onDrop?(input)
        return
      }
      state.values.append(input)
      onDrop?(oldest)
    case .customError(let makeError):
      state.end(.failure(makeError()))
      cancelUpstream()
      _ = settle()
    }
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if !state.isEnding, state.hasStarted {
      state.end(completion)
      endUpstream()
      _ = settle()
    }
    leave()
  }
}

extension _BufferSubscription {
  /// Sends a value for which there is demand; it has not ended.
  @inlinable @inline(__always)
  func send(_ value: Input) {
    delivery.isUnderWay = true
    if delivery.demand != .max { delivery.demand &-= 1 }
    let more = withBorrowed(&state.downstream) { $0.receive(value) }
    delivery.demand = addDemand(delivery.demand, more)  // which may have grown meanwhile
    delivery.isUnderWay = false
  }

  /// Sends what is held as far as there is demand, then the end if it has come.
  ///
  /// - Returns: how many values have been taken.
  @inlinable
  func settle() -> Int {
    guard !delivery.isUnderWay else { return 0 }
    var taken = 0
    while delivery.demand > 0, !hasEnded, let value = state.values.popFirst() {
      send(value)
      taken &+= 1
    }
    // Combine's waits for demand, though there is nothing left to send.
    if state.values.isEmpty, let completion = state.completion, end() {
      delivery.isUnderWay = true
      state.downstream?.receive(completion: completion)
      delivery.isUnderWay = false
    }
    return taken
  }

  /// Does what has been asked for by a request or a cancellation.
  @inlinable
  func answer() {
    takeRequests()
    let taken = settle()
    if hasEnded { close() } else if isKeptFull, taken > 0 { askUpstream(taken) }
  }

  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  func leave() {
    if hasEnded { close() }
    owner.exit { answer() }
  }

  /// Cancels the upstream, and lets go of everything as soon as nothing is being sent.
  @inlinable
  func close() {
    cancelUpstream()
    guard !delivery.isUnderWay, state.downstream != nil else { return }
    let old = state.downstream
    state.downstream = nil
    state.values.takeAll().letGo()
    withExtendedLifetime(old) {}
  }
}

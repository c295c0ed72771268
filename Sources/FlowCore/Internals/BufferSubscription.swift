/// The state of one `buffer`.
@usableFromInline
final class _BufferSubscription<Upstream: Publisher, Downstream: Subscriber>:
  _OwnedSubscription, Subscriber
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
  @usableFromInline typealias Input = Upstream.Output
  @usableFromInline typealias Failure = Upstream.Failure

  // Flags come first, where they take what the superclass leaves of a word.
  @usableFromInline let isKeptFull: Bool
  /// Whether the upstream's subscription has come; as those below, this is for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline var hasStarted = false  // memory 5
  @usableFromInline let size: Int
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>
  @usableFromInline let onDrop: ((Input) -> Void)?

  // These belong to whoever is inside the owner word.
  @safe @exclusivity(unchecked) @usableFromInline var downstream: Downstream?
  @safe @exclusivity(unchecked) @usableFromInline var upstream: _HeldSubscription?
  @safe @exclusivity(unchecked) @usableFromInline var values = _Queue<Input>()
  /// What to send when all that is held has been sent.
  @safe @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?

  @inlinable @inline(__always)
  init(_ downstream: Downstream, _ buffer: Publishers.Buffer<Upstream>) {
    self.downstream = downstream
    size = buffer.size
    isKeptFull = buffer.prefetch == .keepFull
    whenFull = buffer.whenFull
    onDrop = buffer.onDrop
    super.init { object, count in
      // memory 7
      let me = unsafe unsafeDowncast(object, to: _BufferSubscription<Upstream, Downstream>.self)
      // Nobody has been given it to cancel before there is an upstream.
      guard me.hasStarted || count > 0, me.enter(noting: count) else { return }
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
      ("values", values.array),
      ("state", hasEnded ? "terminal" : upstream == nil ? "ready" : "subscribed"),
      ("downstreamDemand", Subscribers.Demand(_count: demand)),
      ("terminal", completion as Any),
    ]
  }

  /// Asks the upstream before it hands itself down, as Combine does; until then it only holds.
  @usableFromInline
  func receive(subscription: any Subscription) {
    owner.enter()
    guard !hasStarted, !hasEnded, let downstream else {
      leave()
      return subscription.cancel()
    }
    hasStarted = true
    upstream = subscription._held
    isDelivering = true
    leave()
    if !isKeptFull {
      subscription.request(.unlimited)
    } else if size > 0 {
      subscription.request(.max(size))
    }
    downstream.receive(subscription: self)
    owner.enter()
    isDelivering = false
    answer()
    leave()
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    var taken = 0
    if hasEnded || completion != nil || !hasStarted {
      // It comes too late, or too early.
    } else if demand > 0, !isDelivering, values.isEmpty {
      send(input)
      taken = 1
      if !values.isEmpty || completion != nil { taken &+= settle() }
    } else {
      hold(input)
    }
    leave()
    return isKeptFull ? .max(taken) : .none
  }

  @inlinable
  func hold(_ input: Input) {
    if values.count < size { values.append(input) } else { overflow(input) }
  }

  @usableFromInline
  func overflow(_ input: Input) {
    switch whenFull {
    case .dropNewest: onDrop?(input)
    case .dropOldest:
      guard let oldest = values.popFirst() else {
        onDrop?(input)
        return
      }
      values.append(input)
      onDrop?(oldest)
    case .customError(let makeError):
      completion = .failure(makeError())
      let upstream = upstream
      self.upstream = nil
      upstream?.cancel()
      _ = settle()
    }
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if self.completion == nil, hasStarted {
      self.completion = completion
      upstream = nil
      _ = settle()
    }
    leave()
  }
}

extension _BufferSubscription {
  /// Sends a value for which there is demand; it has not ended.
  @inlinable @inline(__always)
  func send(_ value: Input) {
    isDelivering = true
    if demand != .max { demand &-= 1 }
    let more = withBorrowed(&downstream) { $0.receive(value) }
    demand = addDemand(demand, more)  // which may have grown meanwhile
    isDelivering = false
  }

  /// Sends what is held as far as there is demand, then the end if it has come.
  ///
  /// - Returns: how many values have been taken.
  @inlinable
  func settle() -> Int {
    guard !isDelivering else { return 0 }
    var taken = 0
    while demand > 0, !hasEnded, let value = values.popFirst() {
      send(value)
      taken &+= 1
    }
    // Combine's waits for demand, though there is nothing left to send.
    if values.isEmpty, let completion, end() {
      isDelivering = true
      downstream?.receive(completion: completion)
      isDelivering = false
    }
    return taken
  }

  /// Does what has been asked for by a request or a cancellation.
  @usableFromInline
  func answer() {
    takeRequests()
    let taken = settle()
    if hasEnded { close() } else if isKeptFull, taken > 0 { upstream?.request(.max(taken)) }
  }

  /// Leaves the owner word, after doing what others have asked for meanwhile.
  @inlinable @inline(__always)
  func leave() {
    if hasEnded { close() }
    owner.exit { answer() }
  }

  /// Cancels the upstream, and lets go of everything as soon as nothing is being sent.
  @usableFromInline
  func close() {
    let upstream = upstream
    self.upstream = nil
    upstream?.cancel()
    guard !isDelivering, downstream != nil else { return }
    let old = downstream
    downstream = nil
    values.takeAll().letGo()
    withExtendedLifetime(old) {}
  }
}

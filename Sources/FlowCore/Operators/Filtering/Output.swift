extension Publisher {
  /// Republishes the value at `index`, counted from 0, then finishes and cancels the upstream.
  ///
  ///     source            --a--b--c--|
  ///     output(at: 1)     -----b|
  ///
  /// Requests one more value for each one it leaves out. The value at `Int.max` never comes.
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Self> {
    output(in: index..<(index == .max ? index : index + 1))
  }

  /// Republishes the values whose indices are in `range`, then finishes and cancels the upstream.
  ///
  ///     source               --a--b--c--d--|
  ///     output(in: 1...2)    -----b--c|
  ///
  /// Requests one more value for each one left out at the beginning; otherwise demand passes
  /// through. An empty range finishes where it begins, at 0 at once.
  @inlinable
  public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self>
  where R.Bound == Int {
    Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
  }
}

extension Publishers {
  /// See `output(in:)`.
  public struct Output<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are counted.
    public let upstream: Upstream
    /// The indices of the values that are republished, counted from 0.
    public let range: CountableRange<Int>

    /// Creates a publisher of the values of `upstream` whose indices are in `range`.
    ///
    /// A range that begins below 0 traps.
    @inlinable
    public init(upstream: Upstream, range: CountableRange<Int>) {
      precondition(range.lowerBound >= 0, "range begins at \(range.lowerBound), expected 0 or more")
      precondition(
        range.upperBound >= range.lowerBound,
        "range ends at \(range.upperBound), expected \(range.lowerBound) or more"
      )
      self.upstream = upstream
      self.range = range
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, range))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publishers.Output {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: Subscriber, Subscription, _SelfDescribing
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let range: Range<Int>
    @usableFromInline let lock = Lock()
    // memory 5: for whoever is inside.
    @safe @exclusivity(unchecked) @usableFromInline var state: State

    @usableFromInline
    struct State {
      @usableFromInline var upstream: (any Subscription)?
      /// The index of the next value; touched only by the upstream's signals.
      @usableFromInline var index = 0
      @usableFromInline var downstream: Downstream?

      @inlinable @inline(__always)
      init(_ downstream: Downstream) { self.downstream = downstream }
    }

    @inlinable
    init(_ downstream: Downstream, _ range: Range<Int>) {
      state = State(downstream)
      self.range = range
    }

    @inlinable
    var description: String { "Output" }

    @inlinable
    func receive(subscription: any Subscription) {
      let downstream: Downstream? = lock.withLock {
        guard state.upstream == nil, let downstream = state.downstream else { return nil }
        state.upstream = subscription
        return downstream
      }
      guard let downstream else { return subscription.cancel() }
      downstream.receive(subscription: self)
      if range.upperBound == 0 { finish() }
    }

    @inlinable
    func receive(_ input: Output) -> Subscribers.Demand {
      guard state.index < range.upperBound, let downstream = lock.withLock({ state.downstream })
      else {
        return .none
      }
      let index = state.index + 1
      state.index = index  // no `+=`, which would be a change of all to the sanitizer
      let isWanted = index > range.lowerBound
      let more = isWanted ? downstream.receive(input) : .max(1)
      if index == range.upperBound { finish() }
      return more
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      end()?.downstream.receive(completion: completion)
    }

    @inlinable
    func request(_ demand: Subscribers.Demand) {
      precondition(demand > 0, "demand is 0, expected 1 or more")
      lock.withLock { state.upstream }?.request(demand)
    }

    @inlinable
    func cancel() { end()?.upstream.cancel() }

    @inlinable
    func finish() {
      guard let (upstream, downstream) = end() else { return }
      upstream.cancel()
      downstream.receive(completion: .finished)
    }

    /// Takes upstream and downstream out, once, and not before there is an upstream.
    @inlinable
    func end() -> (upstream: any Subscription, downstream: Downstream)? {
      lock.withLock {
        guard let upstream = state.upstream, let downstream = state.downstream else { return nil }
        defer {
          state.downstream = nil
          state.upstream = nil
        }
        return (upstream, downstream)
      }
    }
  }
}

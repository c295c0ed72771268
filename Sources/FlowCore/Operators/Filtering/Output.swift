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
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: Inner(subscriber, range))
    }
  }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publishers.Output {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let range: Range<Int>
    /// The index of the next value; touched only by the upstream's signals (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var index = 0

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ range: Range<Int>) {
      self.range = range
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count > 0 {
          me.askUpstream(Subscribers.Demand(_count: count))
        } else if me.uses.hasStarted {
          me.close()
        }
      }
    }

    @usableFromInline
    override var description: String { "Output" }

    @inlinable
    func receive(subscription: any Subscription) {
      introduce(with: subscription)
      if range.upperBound == 0, uses.begin() {
        finish(.finished)
        endUse()
      }
    }

    @inlinable @inline(__always)
    func receive(_ input: Output) -> Subscribers.Demand {
      guard index < range.upperBound, uses.begin() else { return .none }
      defer { endUse() }
      index &+= 1
      let next = index
      let more = next > range.lowerBound ? send(input) : .max(1)
      if next == range.upperBound { finish(.finished) }
      return more
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      if uses.hasStarted { pass(completion) }
    }
  }
}

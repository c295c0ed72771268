extension Publisher {
  /// Publishes values in arrays of `count`, the rest in a last one.
  ///
  ///     source         --1--2--3--|
  ///     collect(2)     -----[1,2]--[3]|
  ///
  /// Requests `count` values for each array that is requested; a failure discards what has been
  /// collected.
  @inlinable
  public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(upstream: self, count: count)
  }
}

extension Publishers {
  /// See `collect(_:)`.
  public struct CollectByCount<Upstream: Publisher>: Publisher {
    /// Arrays of `count` values; only the last may be shorter, and none is empty.
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are collected.
    public let upstream: Upstream
    /// How many values make an array.
    public let count: Int

    /// Creates a publisher of arrays of `count` values of `upstream`.
    ///
    /// A `count` below 1 traps when somebody subscribes.
    @inlinable
    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      precondition(count > 0, "count is \(count), expected 1 or more")
      upstream.receive(subscriber: Inner(subscriber, count))
    }
  }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publishers.CollectByCount {
  @usableFromInline
  final class Inner<Downstream: Subscriber>: LinkSubscription<Downstream>, Subscriber
  where Downstream.Input == Output, Downstream.Failure == Failure {
    @usableFromInline let count: Int
    /// Touched by the upstream's signals, and by whoever shows it (memory 5).
    @safe @exclusivity(unchecked) @usableFromInline var buffer: Output = []

    @inlinable @inline(__always)
    init(_ downstream: Downstream, _ count: Int) {
      self.count = count
      super.init(downstream) { object, count in
        let me = unsafe unsafeDowncast(object, to: Inner.self)  // memory 7
        if count > 0 {
          me.askUpstream(Subscribers.Demand(_count: count) * me.count)
        } else if me.uses.hasStarted {
          me.close()
        }
      }
    }

    deinit { buffer.letGo() }

    @usableFromInline
    override func release() {
      take().letGo()
      super.release()
    }

    @usableFromInline
    override var description: String { "CollectByCount" }

    @usableFromInline
    override var _children: [Mirror.Child] {
      let shown = uses.begin()
      defer { if shown { endUse() } }
      let downstream = shown ? self.downstream : nil
      let upstream = shown && uses.hasUpstream ? self.upstream.subscription : nil
      return [
        ("downstream", downstream.map { $0 as Any } ?? downstream as Any),
        ("upstreamSubscription", upstream as Any), ("buffer", shown ? buffer : []),
        ("count", count),
      ]
    }

    @inlinable
    func receive(subscription: any Subscription) { introduce(with: subscription) }

    @inlinable @inline(__always)
    func receive(_ input: Upstream.Output) -> Subscribers.Demand {
      guard uses.hasStarted, uses.begin() else { return .none }
      defer { endUse() }
      if buffer.isEmpty { buffer.reserveCapacity(Swift.min(count, 256)) }
      buffer.append(input)
      guard buffer.count == count else { return .none }
      let values = take()
      defer { values.letGo() }
      let more = send(values)
      return more > 0 ? more * count : .none
    }

    @inlinable
    func receive(completion: Subscribers.Completion<Failure>) {
      guard uses.begin() else { return }
      defer { endUse() }
      let rest = take()
      // There is demand for the rest: it was asked for as part of a whole array.
      if case .finished = completion, !rest.isEmpty { _ = send(rest) }
      pass(completion)
    }

    @inlinable
    func take() -> Output {
      let values = buffer
      buffer = []
      return values
    }
  }
}

extension Publisher {
  /// Publishes the running result of combining values.
  ///
  ///     source         --1--2--3--|
  ///     scan(0, +)     --1--3--6--|
  ///
  /// Demand and completion pass through.
  @inlinable @inline(__always)
  public func scan<T>(
    _ initialResult: T,
    _ nextPartialResult: @escaping (T, Output) -> T
  ) -> Publishers.Scan<Self, T> {
    Publishers.Scan(
      upstream: self,
      initialResult: initialResult,
      nextPartialResult: nextPartialResult
    )
  }
}

extension Publishers {
  /// See `scan(_:_:)`.
  @frozen
  public struct Scan<Upstream: Publisher, Output>: Publisher {
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are combined.
    public let upstream: Upstream
    /// What the first value is combined with; it is not published itself.
    public let initialResult: Output
    /// Combines the result so far with a value; called once for each, on the thread that delivers
    /// it.
    public let nextPartialResult: (Output, Upstream.Output) -> Output

    /// Creates a publisher of the combination of the values of `upstream` so far, one for each
    /// value.
    ///
    /// Each subscription begins with `initialResult` again.
    @inlinable @inline(__always)
    public init(
      upstream: Upstream,
      initialResult: Output,
      nextPartialResult: @escaping (Output, Upstream.Output) -> Output
    ) {
      self.upstream = upstream
      self.initialResult = initialResult
      self.nextPartialResult = nextPartialResult
    }

    @inlinable @inline(__always)
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(subscriber: _ScanSubscriber(subscriber, initialResult, nextPartialResult))
    }
  }
}

/// The result is touched only by the upstream's signals, which never overlap.
@usableFromInline
final class _ScanSubscriber<Input, Downstream: Subscriber>: Subscriber, _SelfDescribing {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  // memory 5: for whoever is inside.
  @safe @exclusivity(unchecked) @usableFromInline var result: Downstream.Input
  @usableFromInline let next: (Downstream.Input, Input) -> Downstream.Input

  @inlinable @inline(__always)
  init(
    _ downstream: Downstream,
    _ result: Downstream.Input,
    _ next: @escaping (Downstream.Input, Input) -> Downstream.Input
  ) {
    self.downstream = downstream
    self.result = result
    self.next = next
  }

  @usableFromInline
  var description: String { "Scan" }

  @usableFromInline
  var _children: [Mirror.Child] { [("downstream", downstream), ("result", result)] }

  @inlinable
  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    let value = next(result, input)
    result = value
    return downstream.receive(value)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    downstream.receive(completion: completion)
  }
}

extension Publishers.Scan {
  /// As immediate as the upstream, since combining waits for nothing.
  @inlinable @inline(__always)
  public static var _immediacy: _Immediacy { Upstream._immediacy }

  /// Hands over the result after each of the upstream's values.
  @inlinable @inline(__always)
  public func _handOver(_ take: (UnsafePointer<Output>) -> Bool) -> _ImmediateEnd<Failure>? {
    var result = initialResult
    return unsafe upstream._handOver { input in
      result = unsafe nextPartialResult(result, input.pointee)
      return unsafe withUnsafePointer(to: result, take)
    }
  }
}

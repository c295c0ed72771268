extension Publisher where Output: Equatable {
  /// Publishes whether a value is among those of the upstream.
  ///
  ///     source            --1--2--3--|
  ///     contains(2)       -----t|
  ///
  /// The first that equals it decides, and the upstream is cancelled; the end of the upstream is
  /// `false`. Requests everything at once; the answer waits for demand.
  @inlinable
  public func contains(_ output: Output) -> Publishers.Contains<Self> {
    Publishers.Contains(upstream: self, output: output)
  }
}

extension Publishers {
  /// See `contains(_:)`.
  public struct Contains<Upstream: Publisher>: Publisher where Upstream.Output: Equatable {
    /// One answer: whether the value has come.
    public typealias Output = Bool
    public typealias Failure = Upstream.Failure

    /// The publisher whose values are looked at.
    public let upstream: Upstream
    /// The value to be found.
    public let output: Upstream.Output

    /// Creates a publisher of whether `output` is among the values of `upstream`.
    @inlinable
    public init(upstream: Upstream, output: Upstream.Output) {
      self.upstream = upstream
      self.output = output
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(
        reducingThrough: "Contains",
        subscriber,
        false,
        step: { [output] result, input in result = input == output },
        isComplete: { $0 },
        result: { $0 }
      )
    }
  }
}

extension Publishers.Contains: Equatable where Upstream: Equatable {}

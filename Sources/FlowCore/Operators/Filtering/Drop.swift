extension Publisher {
  /// Leaves out the first `count` values.
  ///
  ///     source           --1--2--3--|
  ///     dropFirst(2)     --------3--|
  ///
  /// For each value left out, one more is asked for.
  public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
    precondition(count >= 0, "count is \(count), expected 0 or more")
    return Publishers.Drop(upstream: self, count: count)
  }
}

extension Publishers {
  /// See `dropFirst(_:)`.
  public struct Drop<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let count: Int

    public init(upstream: Upstream, count: Int) {
      self.upstream = upstream
      self.count = count
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      upstream.receive(through: "Drop", subscriber, count) { left, input in
        guard left > 0 else { return .emit(input) }
        left -= 1
        return .skip
      }
    }
  }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

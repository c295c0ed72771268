extension Publisher {
  /// Leaves out values while `predicate` holds, then republishes everything.
  ///
  ///     source               --1--2--5--3--|
  ///     drop(while: <4)      --------5--3--|
  ///
  /// Requests one more value for each one it leaves out.
  @inlinable
  public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
    Publishers.DropWhile(upstream: self, predicate: predicate)
  }
}

extension Publishers {
  /// See `drop(while:)`.
  public struct DropWhile<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    /// The publisher whose first values are tested.
    public let upstream: Upstream
    /// Whether a value is left out; not called again once it has returned false.
    public let predicate: (Upstream.Output) -> Bool

    /// Creates a publisher that leaves out values of `upstream` until `predicate` returns false.
    @inlinable
    public init(upstream: Upstream, predicate: @escaping (Upstream.Output) -> Bool) {
      self.upstream = upstream
      self.predicate = predicate
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Failure {
      let predicate = predicate
      upstream.receive(through: "DropWhile", subscriber, true) { isDropping, input in
        if isDropping, predicate(input) { return .skip }
        isDropping = false
        return .emit(input)
      }
    }
  }
}

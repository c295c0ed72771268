extension Publisher {
  /// Traps when this publisher fails, with a message that names the line of this call.
  ///
  /// Values, demand and finishing pass through.
  @inlinable
  public func assertNoFailure(
    _ prefix: String = "",
    file: StaticString = #file,
    line: UInt = #line
  ) -> Publishers.AssertNoFailure<Self> {
    Publishers.AssertNoFailure(upstream: self, prefix: prefix, file: file, line: line)
  }
}

extension Publishers {
  /// See `assertNoFailure(_:file:line:)`.
  public struct AssertNoFailure<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    /// None: a failure traps.
    public typealias Failure = Never

    /// The publisher that must not fail.
    public let upstream: Upstream
    /// What stands before the error in the message of the trap.
    public let prefix: String
    /// The source file that the trap names.
    public let file: StaticString
    /// The line that the trap names.
    public let line: UInt

    /// Creates a publisher of the values of `upstream` that traps if that fails.
    @inlinable
    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: consuming S)
    where S.Input == Output, S.Failure == Never {
      upstream.receive(
        subscriber: Inner(downstream: subscriber, prefix: prefix, file: file, line: line)
      )
    }

    @frozen
    @usableFromInline
    struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Output, Downstream.Failure == Never {
      @usableFromInline typealias Failure = Upstream.Failure

      @usableFromInline let downstream: Downstream
      @usableFromInline let prefix: String
      @usableFromInline let file: StaticString
      @usableFromInline let line: UInt

      @inlinable
      init(downstream: Downstream, prefix: String, file: StaticString, line: UInt) {
        self.downstream = downstream
        self.prefix = prefix
        self.file = file
        self.line = line
      }

      @inlinable
      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      @inlinable
      var description: String { "AssertNoFailure" }
      @inlinable
      var _children: [Mirror.Child] { [("file", file), ("line", line), ("prefix", prefix)] }

      @inlinable
      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }

      @inlinable
      func receive(_ input: Output) -> Subscribers.Demand { downstream.receive(input) }

      @inlinable
      func receive(completion: Subscribers.Completion<Failure>) {
        switch completion {
        case .finished: downstream.receive(completion: .finished)
        case .failure(let error):
          let start = prefix.isEmpty ? "" : prefix + ": "
          fatalError("\(start)\(error)", file: file, line: line)
        }
      }
    }
  }
}

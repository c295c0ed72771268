extension Publisher {
  /// Traps when this publisher fails, naming the place that said it does not.
  ///
  /// Values, demand and finishing pass through.
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
    public typealias Failure = Never

    public let upstream: Upstream
    public let prefix: String
    public let file: StaticString
    public let line: UInt

    public init(upstream: Upstream, prefix: String, file: StaticString, line: UInt) {
      self.upstream = upstream
      self.prefix = prefix
      self.file = file
      self.line = line
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Never {
      upstream.receive(
        subscriber: Inner(downstream: subscriber, prefix: prefix, file: file, line: line)
      )
    }

    private struct Inner<Downstream: Subscriber>: Subscriber, _SelfDescribing
    where Downstream.Input == Output, Downstream.Failure == Never {
      typealias Failure = Upstream.Failure

      let downstream: Downstream
      let prefix: String
      let file: StaticString
      let line: UInt

      var combineIdentifier: CombineIdentifier { downstream.combineIdentifier }
      var description: String { "AssertNoFailure" }
      var _children: [Mirror.Child] { [("file", file), ("line", line), ("prefix", prefix)] }

      func receive(subscription: any Subscription) {
        downstream.receive(subscription: subscription)
      }

      func receive(_ input: Output) -> Subscribers.Demand { downstream.receive(input) }

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

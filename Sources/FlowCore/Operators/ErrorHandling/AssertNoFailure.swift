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
      let (prefix, file, line) = (prefix, file, line)
      upstream
        .mapError { error -> Never in
          let start = prefix.isEmpty ? "" : prefix + ": "
          fatalError("\(start)\(error)", file: file, line: line)
        }
        .receive(subscriber: subscriber)
    }
  }
}

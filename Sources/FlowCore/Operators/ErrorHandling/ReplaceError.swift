extension Publisher {
  /// Sends `output` and finishes when this publisher fails.
  ///
  ///     source                   --1--✕
  ///     replaceError(with: 0)    --1--0|
  ///
  /// The value waits for demand.
  public func replaceError(with output: Output) -> Publishers.ReplaceError<Self> {
    Publishers.ReplaceError(upstream: self, output: output)
  }
}

extension Publishers {
  /// See `replaceError(with:)`.
  public struct ReplaceError<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Never

    public let upstream: Upstream
    public let output: Output

    public init(upstream: Upstream, output: Output) {
      self.upstream = upstream
      self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Never {
      let output = output
      upstream.catch { _ in Just(output) }.receive(subscriber: subscriber, as: "ReplaceError")
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Output: Equatable {}

extension Publisher {
  /// Goes on with another publisher when this one fails.
  ///
  ///     source                   --1--✕
  ///     catch { _ in Just(0) }   --1--0|
  ///
  /// Demand that is not met is carried over.
  public func `catch`<P: Publisher>(
    _ handler: @escaping (Failure) -> P
  ) -> Publishers.Catch<Self, P> where P.Output == Output {
    Publishers.Catch(upstream: self, handler: handler)
  }

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
  /// See `catch(_:)`.
  public struct Catch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    public typealias Output = Upstream.Output
    public typealias Failure = NewPublisher.Failure

    public let upstream: Upstream
    public let handler: (Upstream.Failure) -> NewPublisher

    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    /// Whose failure it is: only the first publisher's is caught.
    private enum Either: Error {
      case first(Upstream.Failure)
      case second(NewPublisher.Failure)
    }

    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let inner = Resubscriber<Either, S>("Catch", subscriber) { failure in
        switch failure {
        case .first(let error):
          .subscribe(handler(error).mapError(Either.second).eraseToAnyPublisher())
        case .second(let error): .fail(error)
        }
      }
      inner.subscribe(to: upstream.mapError(Either.first).eraseToAnyPublisher())
    }
  }

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
      upstream.catch { _ in Just(output) }.receive(subscriber: subscriber)
    }
  }
}

extension Publishers.ReplaceError: Equatable where Upstream: Equatable, Output: Equatable {}

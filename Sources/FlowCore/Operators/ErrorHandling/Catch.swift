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
      receive(subscriber: subscriber, as: "Catch")
    }

    /// Subscribes under the name of the operator that this one serves.
    func receive<S: Subscriber>(subscriber: S, as name: String)
    where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let inner = Resubscriber<Either, S>(name, subscriber) { failure in
        switch failure {
        case .first(let error):
          .subscribe(handler(error).mapError(Either.second).eraseToAnyPublisher())
        case .second(let error): .fail(error)
        }
      }
      inner.subscribe(to: upstream.mapError(Either.first).eraseToAnyPublisher())
    }
  }
}

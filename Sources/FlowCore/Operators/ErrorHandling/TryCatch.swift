extension Publisher {
  /// Goes on with another publisher when this one fails; an error thrown becomes the failure.
  ///
  /// For demand and the end see `catch(_:)`.
  @inlinable
  public func tryCatch<P: Publisher>(
    _ handler: @escaping (Failure) throws -> P
  ) -> Publishers.TryCatch<Self, P> where P.Output == Output {
    Publishers.TryCatch(upstream: self, handler: handler)
  }
}

extension Publishers {
  /// See `tryCatch(_:)`.
  public struct TryCatch<Upstream: Publisher, NewPublisher: Publisher>: Publisher
  where Upstream.Output == NewPublisher.Output {
    public typealias Output = Upstream.Output
    /// What `handler` throws, or the failure of the publisher that it makes.
    public typealias Failure = any Error

    /// The publisher whose failure is caught.
    public let upstream: Upstream
    /// Makes the publisher to go on with, or throws; called once, if the upstream fails.
    public let handler: (Upstream.Failure) throws -> NewPublisher

    /// Creates a publisher that goes on with the one that `handler` makes when `upstream` fails.
    @inlinable
    public init(
      upstream: Upstream,
      handler: @escaping (Upstream.Failure) throws -> NewPublisher
    ) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == any Error {
      let handler = handler
      let inner = Resubscriber<CatchFailure<Upstream.Failure, NewPublisher.Failure>, S>(
        "TryCatch",
        .catch,
        subscriber
      ) { failure in
        switch failure {
        case .first(let error):
          do {
            let new = try handler(error)
            return .subscribe { new.receive(subscriber: CatchSubscriber($0) { .second($0) }) }
          } catch {
            return .fail(error)
          }
        case .second(let error): return .fail(error)
        }
      }
      let upstream = upstream
      inner.subscribe(to: { upstream.receive(subscriber: CatchSubscriber($0) { .first($0) }) })
    }
  }
}

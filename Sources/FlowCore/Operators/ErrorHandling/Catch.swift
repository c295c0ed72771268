extension Publisher {
  /// Goes on with another publisher when this one fails.
  ///
  ///     source                   --1--✕
  ///     catch { _ in Just(0) }   --1--0|
  ///
  /// Demand that is not met is carried over to the new publisher, whose failure passes through.
  @inlinable
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
    /// The failure of the publisher that `handler` makes; the upstream's is caught.
    public typealias Failure = NewPublisher.Failure

    /// The publisher whose failure is caught.
    public let upstream: Upstream
    /// Makes the publisher to go on with; called once, on the thread that delivers the failure.
    public let handler: (Upstream.Failure) -> NewPublisher

    /// Creates a publisher that goes on with the one that `handler` makes when `upstream` fails.
    @inlinable
    public init(upstream: Upstream, handler: @escaping (Upstream.Failure) -> NewPublisher) {
      self.upstream = upstream
      self.handler = handler
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == Failure {
      let handler = handler
      let inner = Resubscriber<CatchFailure<Upstream.Failure, Failure>, S>(
        "Catch",
        .catch,
        subscriber
      ) { failure in
        switch failure {
        case .first(let error):
          let new = handler(error)
          return .subscribe { new.receive(subscriber: CatchSubscriber($0) { .second($0) }) }
        case .second(let error): return .fail(error)
        }
      }
      let upstream = upstream
      inner.subscribe(to: { upstream.receive(subscriber: CatchSubscriber($0) { .first($0) }) })
    }
  }
}

/// Whose failure it is: only the first publisher's is caught.
@frozen
@usableFromInline
enum CatchFailure<First: Error, Second: Error>: Error {
  case first(First)
  case second(Second)
}

/// What the publisher that may fail, and the one that follows it, are subscribed to with.
@frozen
@usableFromInline
struct CatchSubscriber<Failure: Error, First: Error, Second: Error, Downstream: Subscriber>:
  Subscriber, _SelfDescribing
{
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Parent = Resubscriber<CatchFailure<First, Second>, Downstream>

  @usableFromInline let parent: Parent
  @usableFromInline let name: (Failure) -> CatchFailure<First, Second>

  @inlinable
  init(_ parent: Parent, _ name: @escaping (Failure) -> CatchFailure<First, Second>) {
    self.parent = parent
    self.name = name
  }

  @inlinable
  var combineIdentifier: CombineIdentifier { parent.combineIdentifier }
  @inlinable
  var description: String { parent.description }
  @inlinable
  var _children: [Mirror.Child] { parent._children }

  @inlinable
  func receive(subscription: any Subscription) { parent.receive(subscription: subscription) }
  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand { parent.receive(input) }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    switch completion {
    case .finished: parent.receive(completion: .finished)
    case .failure(let error): parent.receive(completion: .failure(name(error)))
    }
  }
}

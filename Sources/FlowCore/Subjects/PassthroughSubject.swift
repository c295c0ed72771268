/// Passes what is sent to it on to its subscribers, in order of subscription, and keeps nothing.
///
///     send              --1--2--3--|
///     demand 2          --1--2-----|
///
/// A subscriber without demand misses the value. After the completion sends do nothing, and late
/// subscribers are sent the completion. Sends from several threads wait for one another; a send
/// from inside a delivery is delivered at once.
public final class PassthroughSubject<Output, Failure: Error>: _SubjectBase<Output, Failure>,
  Subject
{
  /// Makes a subject without subscribers.
  public override init() {}

  /// Sends `input` to all subscribers that have demand; those that have none miss it.
  ///
  /// May be called from any thread; sends wait for one another. After the end it does nothing.
  @inlinable
  public func send(_ input: Output) {
    owner.enter()
    forEachConduit { $0.send(input) }
    leave()
  }

  @usableFromInline
  override var conduitName: String { "PassthroughSubject" }

  /// Ends publishing; a subscriber needs no demand for that, and one that comes later is sent the
  /// end.
  public func send(completion: Subscribers.Completion<Failure>) { end(completion) }

  /// Takes the subscription of an upstream, and requests everything once a subscriber has demand.
  public func send(subscription: any Subscription) { add(upstream: subscription) }

  /// Attaches `subscriber`, which is sent what comes from now on, as far as it has demand.
  @inlinable @inline(__always)
  public func receive<S: Subscriber>(subscriber: consuming S)
  where S.Input == Output, S.Failure == Failure {
    attach(
      _ConduitOf(self, subscriber) { object, count in
        // memory 7
        let conduit = unsafe unsafeDowncast(object, to: _Conduit.self)
        if count < 0 { return conduit.hub.cancel(conduit) }
        conduit.ask(count)
        conduit.hub.demandUpstreams()
      }
    )
  }
}

// The owner word and the locks guard all state.
extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}

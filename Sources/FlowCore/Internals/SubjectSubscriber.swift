import Synchronization

/// Hands everything from an upstream to a subject; `subscribe(_:)` keeps it alive.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, Subscription, _SelfDescribing {
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  @usableFromInline let lock = Lock()
  /// There until the end, if somebody else keeps it.
  @usableFromInline weak var subject: S?
  @usableFromInline var upstream: (any Subscription)?

  @inlinable
  init(_ subject: S) { self.subject = subject }

  @usableFromInline
  var description: String { "Subject" }

  @usableFromInline
  var _children: [Mirror.Child] {
    let (subject, upstream) = lock.withLock { (self.subject, self.upstream) }
    return [
      ("downstreamSubject", subject as Any),
      ("upstreamSubscription", upstream as Any),
      ("subject", subject as Any),
    ]
  }

  @usableFromInline
  func receive(subscription: any Subscription) {
    let subject: S? = lock.withLock {
      guard let subject = self.subject, upstream == nil else { return nil }
      upstream = subscription
      return subject
    }
    if let subject { subject.send(subscription: self) } else { subscription.cancel() }
  }

  @inlinable @inline(__always)
  func receive(_ input: S.Output) -> Subscribers.Demand {
    lock.withLock { upstream == nil ? nil : subject }?.send(input)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<S.Failure>) {
    guard lock.withLock({ upstream != nil }) else { return }
    end().subject?.send(completion: completion)
  }

  @usableFromInline
  func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    lock.withLock { upstream }?.request(demand)
  }

  @usableFromInline
  func cancel() {
    let (subject, upstream) = end()
    upstream?.cancel()
    withExtendedLifetime(subject) {}
  }

  private func end() -> (subject: S?, upstream: (any Subscription)?) {
    lock.withLock {
      defer {
        subject = nil
        upstream = nil
      }
      return (subject, upstream)
    }
  }
}

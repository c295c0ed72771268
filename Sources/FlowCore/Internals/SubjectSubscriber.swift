/// Hands everything from an upstream to a subject.
@usableFromInline
final class SubjectSubscriber<Sink: _SubjectSink>: LinkSubscription<Sink>, Subscriber {
  @usableFromInline typealias Input = Sink.Input
  @usableFromInline typealias Failure = Sink.Failure

  @inlinable @inline(__always)
  init(_ sink: Sink) {
    super.init(sink) { object, count in
      let me = unsafe unsafeDowncast(object, to: SubjectSubscriber.self)  // memory 7
      if count < 0 { me.close() } else { me.askUpstream(Subscribers.Demand(_count: count)) }
    }
  }

  @usableFromInline
  override var description: String { "Subject" }

  @usableFromInline
  override var _children: [Mirror.Child] {
    var (upstream, subject): ((any Subscription)?, Sink.Target?) = (nil, nil)
    if uses.begin() {
      if uses.hasUpstream { upstream = self.upstream.subscription }
      subject = downstream?.subject
      endUse()
    }
    return [
      ("downstreamSubject", subject as Any),
      ("upstreamSubscription", upstream as Any),
      ("subject", subject as Any),
    ]
  }

  @inlinable
  func receive(subscription: any Subscription) { introduce(with: subscription) }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    guard uses.hasStarted, uses.begin() else { return .none }
    defer { endUse() }
    return send(input)
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    if uses.hasStarted { pass(completion) }
  }
}

/// A subject as a subscriber, which asks for what the subject does.
@usableFromInline
protocol _SubjectSink: Subscriber where Input == Target.Output, Failure == Target.Failure {
  associatedtype Target: Subject

  /// The subject, if it is still there.
  var subject: Target? { get }
}

extension _SubjectSink {
  @usableFromInline var combineIdentifier: CombineIdentifier { CombineIdentifier() }

  @inlinable
  func receive(subscription: any Subscription) {
    if let subject { subject.send(subscription: subscription) } else { subscription.cancel() }
  }

  @inlinable @inline(__always)
  func receive(_ input: Input) -> Subscribers.Demand {
    subject?.send(input)
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Failure>) {
    subject?.send(completion: completion)
  }
}

/// For `subscribe(_:)`, where somebody else has to keep the subject.
@usableFromInline
struct _WeakSubject<Target: Subject>: _SubjectSink {
  @usableFromInline weak var subject: Target?

  @inlinable @inline(__always)
  init(_ subject: Target) { self.subject = subject }
}

/// For a connection, which goes before its subject: a weak reference costs more than all else.
@usableFromInline
struct _KeptSubject<Target: Subject>: _SubjectSink {
  @usableFromInline let subject: Target?

  @inlinable @inline(__always)
  init(_ subject: Target) { self.subject = subject }
}

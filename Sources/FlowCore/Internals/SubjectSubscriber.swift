import Synchronization

/// Hands everything from an upstream to a subject; `subscribe(_:)` keeps it alive.
@usableFromInline
final class SubjectSubscriber<S: Subject>: Subscriber, Cancellable {
  @usableFromInline typealias Input = S.Output
  @usableFromInline typealias Failure = S.Failure

  private enum State {
    case waiting
    case subscribed(any Subscription)
    case ended
  }

  private let subject: S
  private let lock = Lock()
  private var state = State.waiting

  @usableFromInline
  init(_ subject: S) { self.subject = subject }

  @usableFromInline
  func receive(subscription: any Subscription) {
    let accepted = lock.withLock {
      guard case .waiting = state else { return false }
      state = .subscribed(subscription)
      return true
    }
    if accepted { subject.send(subscription: subscription) } else { subscription.cancel() }
  }

  @usableFromInline
  func receive(_ input: S.Output) -> Subscribers.Demand {
    subject.send(input)
    return .none
  }

  @usableFromInline
  func receive(completion: Subscribers.Completion<S.Failure>) {
    let old = end()
    guard case .subscribed = old else { return }
    subject.send(completion: completion)
  }

  @usableFromInline
  func cancel() {
    guard case .subscribed(let subscription) = end() else { return }
    subscription.cancel()
  }

  private func end() -> State {
    lock.withLock {
      let old = state
      state = .ended
      return old
    }
  }
}

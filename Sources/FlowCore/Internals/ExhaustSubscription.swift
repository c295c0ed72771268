/// The state of one `exhaustMap`, which drops values that come while a publisher is at work.
@usableFromInline
final class _ExhaustSubscription<Input, Child: Publisher, Downstream: Subscriber>:
  _OneChildSubscription<Child, Downstream>, Subscriber
where Downstream.Input == Child.Output, Downstream.Failure == Child.Failure {
  @usableFromInline let transform: (Input) -> Child
  @usableFromInline let onDrop: ((Input) -> Void)?

  @inlinable
  init(
    _ downstream: Downstream,
    _ transform: @escaping (Input) -> Child,
    _ onDrop: ((Input) -> Void)?
  ) {
    self.transform = transform
    self.onDrop = onDrop
    super.init(downstream)
  }

  @usableFromInline
  override var description: String { "ExhaustMap" }

  @inlinable
  func receive(_ input: Input) -> Subscribers.Demand {
    owner.enter()
    guard !hasEnded, hasUpstream else {
      leave()
      return .none
    }
    let isBusy = state.child != nil
    if !isBusy { begin(with: transform(input)) }
    leave()
    if isBusy { onDrop?(input) }
    return .none
  }
}

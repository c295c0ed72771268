/// What subjects have in common beside their conduits: how they end.
public class _SubjectBase<Output, Failure: Error>: _ConduitHub {
  @usableFromInline typealias Conduit = _ConduitOf<Output, Failure>

  /// For whoever is inside the owner word.
  private var completion: Subscribers.Completion<Failure>?

  @usableFromInline
  override init() {}

  /// Sends something to each conduit that is there now, in order of subscription.
  @inlinable @inline(__always)
  final func forEachConduit(_ send: (Conduit) -> Void) {
    state.delivering &+= 1
    let count = state.conduits.count
    var index = 0
    while index < count {
      // memory 4
      unsafe state.conduits.base[index]?._withUnsafeGuaranteedRef {
        // memory 7
        unsafe send(unsafeDowncast($0, to: Conduit.self))
      }
      index &+= 1
    }
    state.delivering &-= 1
  }

  /// Ends all subscriptions, once.
  @usableFromInline
  final func end(_ completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if !state.isCompleted {
      self.completion = completion
      state.isCompleted = true
      state.hasEnded = true
      forgetUpstreams()
      forEachConduit { if $0.end() { $0.finish(completion) } }
    }
    leave()
  }

  @usableFromInline
  override final func finish(_ conduit: _Conduit) {
    guard let completion else { return }
    unsafe unsafeDowncast(conduit, to: Conduit.self).finish(completion)
  }
}

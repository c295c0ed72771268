/// What subjects have in common beside their conduits: how they end.
public class _SubjectBase<Output, Failure: Error>: _ConduitHub {
  @usableFromInline typealias Conduit = _ConduitOf<Output, Failure>

  // This belongs to whoever is inside the owner word (memory 5).
  @safe @exclusivity(unchecked) private var completion: Subscribers.Completion<Failure>?

  @usableFromInline
  override init() {}

  /// Sends something to each conduit that is there now, in order of subscription.
  @inlinable @inline(__always)
  final func forEachConduit(_ send: (Conduit) -> Void) {
    delivering &+= 1
    let count = conduits.count
    var index = 0
    while index < count {
      // memory 4
      unsafe conduits.base[index]?._withUnsafeGuaranteedRef {
        // memory 7
        unsafe send(unsafeDowncast($0, to: Conduit.self))
      }
      index &+= 1
    }
    delivering &-= 1
  }

  /// Ends all subscriptions, once.
  @usableFromInline
  final func end(_ completion: Subscribers.Completion<Failure>) {
    owner.enter()
    if !isCompleted {
      self.completion = completion
      isCompleted = true
      hasEnded = true
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

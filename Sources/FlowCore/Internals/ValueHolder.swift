/// A subscription that holds values, for those who look inside a running pipeline.
///
/// To be asked where the signals of the subscription come, and not from inside one.
package protocol ValueHolder: AnyObject {
  /// Values that have come and not gone on.
  var heldCount: Int { get }
  /// Publishers that are subscribed to for single values, if it does that.
  var publisherCount: Int? { get }
}

extension ValueHolder {
  /// None: most operators subscribe to nothing for single values.
  package var publisherCount: Int? { nil }
}

extension _BufferSubscription: ValueHolder {
  @usableFromInline var heldCount: Int { state.values.count }
}

extension _FlatMapSubscription: ValueHolder {
  @usableFromInline var heldCount: Int { state.waiting.count }
  @usableFromInline var publisherCount: Int? { state.openCount }
}

extension ReducingSubscriber: ValueHolder {
  @usableFromInline var heldCount: Int { lock.withLock { ends.ready == nil ? 0 : 1 } }
}

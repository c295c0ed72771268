/// A subscription that holds values, for those who look inside a running pipeline.
///
/// To be asked where the signals of the subscription come, and not from inside one.
public protocol _ValueHolder: AnyObject {
  /// Values that have come and not gone on.
  var _heldCount: Int { get }
  /// Publishers that are subscribed to for single values, if it does that.
  var _publisherCount: Int? { get }
}

extension _ValueHolder {
  /// None: most operators subscribe to nothing for single values.
  public var _publisherCount: Int? { nil }
}

extension _BufferSubscription: _ValueHolder {
  @usableFromInline var _heldCount: Int { state.values.count }
}

extension _FlatMapSubscription: _ValueHolder {
  @usableFromInline var _heldCount: Int { state.waiting.count }
  @usableFromInline var _publisherCount: Int? { state.children.count }
}

extension ReducingSubscriber: _ValueHolder {
  @usableFromInline var _heldCount: Int { lock.withLock { ends.ready == nil ? 0 : 1 } }
}

extension ScheduledDelivery: _ValueHolder {
  var _heldCount: Int { valueCount }
}

/// Cancels what it wraps when asked to or when released, whichever is first.
public final class AnyCancellable: Cancellable, Hashable {
  /// What it cancels, if that is a subscription; see `_CancellableWord`.
  ///
  /// It is the first stored property, where `_SinkLink` finds it.
  @usableFromInline let word = _CancellableWord()
  /// What it cancels otherwise; it belongs to whoever ends the word.
  private var action: (() -> Void)?

  /// Runs `cancel` once, at the first cancellation or on release.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Cancels `canceller` once, at the first cancellation or on release.
  public init<C: Cancellable>(_ canceller: C) { action = { canceller.cancel() } }

  /// Cancels the subscription that a `_SinkLink` to this object is given.
  @usableFromInline
  init() {}

  deinit { cancel() }

  public func cancel() {
    guard let content = word.end() else { return }
    content.subscription?.cancel()
    let action = action
    self.action = nil
    action?()
  }

  /// Keeps this cancellable itself in `collection`.
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps this cancellable itself in `set`.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Cancels what it wraps when asked to or when released, whichever is first.
public final class AnyCancellable: Cancellable, Hashable {
  /// What it cancels; see `_CancellableWord`.
  ///
  /// It is the first stored property, where `_SinkLink` finds it.
  @usableFromInline let word: _CancellableWord

  /// Runs `cancel` once, at the first cancellation or on release.
  public init(_ cancel: @escaping () -> Void) { word = _CancellableWord(CancelAction(cancel)) }

  /// Cancels `canceller` once, at the first cancellation or on release.
  public init<C: Cancellable>(_ canceller: C) {
    word = _CancellableWord(CancelAction(canceller.cancel))
  }

  /// Cancels the subscription that a `_SinkLink` to this object is given.
  @usableFromInline
  init() { word = _CancellableWord() }

  deinit { cancel() }

  /// Cancels what it wraps, the first time; later calls do nothing.
  public func cancel() { word.end()?.subscription?.cancel() }

  /// Keeps this cancellable itself in `collection`.
  public func store<C: RangeReplaceableCollection>(in collection: inout C)
  where C.Element == AnyCancellable {
    collection.append(self)
  }

  /// Keeps this cancellable itself in `set`.
  public func store(in set: inout Set<AnyCancellable>) { set.insert(self) }

  /// Whether both are the same object.
  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private final class CancelAction: _ControlSubscription {
  let run: () -> Void

  init(_ run: @escaping () -> Void) {
    self.run = run
    // memory 7
    super.init { object, _ in unsafe unsafeDowncast(object, to: CancelAction.self).run() }
  }
}

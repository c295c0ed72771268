/// Cancels what it wraps when asked to or when released, whichever is first.
public final class AnyCancellable: Cancellable, Hashable {
  private let lock = Lock()
  private var canceller: (any Cancellable)?

  /// Runs `cancel` once, at the first cancellation or on release.
  public init(_ cancel: @escaping () -> Void) { canceller = ClosureCancellable(cancel: cancel) }

  /// Cancels `canceller` once, at the first cancellation or on release.
  public init<C: Cancellable>(_ canceller: C) { self.canceller = canceller }

  deinit { canceller?.cancel() }

  public func cancel() {
    let canceller = lock.withLock {
      defer { self.canceller = nil }
      return self.canceller
    }
    canceller?.cancel()
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

private struct ClosureCancellable: Cancellable {
  let closure: () -> Void

  init(cancel: @escaping () -> Void) { closure = cancel }

  func cancel() { closure() }
}

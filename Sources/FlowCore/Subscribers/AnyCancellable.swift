import Synchronization

/// Cancels what it wraps when asked to or when released, whichever is first.
public final class AnyCancellable: Cancellable, Hashable {
  private let lock = Lock()
  private var action: (() -> Void)?

  /// Runs `cancel` once, at the first cancellation or on release.
  public init(_ cancel: @escaping () -> Void) { action = cancel }

  /// Cancels `canceller` once, at the first cancellation or on release.
  public init<C: Cancellable>(_ canceller: C) { action = canceller.cancel }

  deinit { action?() }

  public func cancel() {
    let action = lock.withLock {
      defer { self.action = nil }
      return self.action
    }
    action?()
  }

  public static func == (lhs: AnyCancellable, rhs: AnyCancellable) -> Bool { lhs === rhs }

  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

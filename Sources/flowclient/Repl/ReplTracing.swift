import Synchronization

/// Whether to show every line sent or received.
final class ReplTracing: Sendable {
  private let state = Mutex(false)

  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

import Synchronization

/// Whether each line that goes out or comes in is shown.
final class ReplTracing: Sendable {
  private let state = Mutex(false)

  var isOn: Bool {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

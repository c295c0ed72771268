import FlowTestSupport
import Dispatch

/// What happened, noted on any thread and waited for on another.
final class Journal: Sendable {
  private struct State {
    var entries: [String] = []
    var counts: [String: Int] = [:]
    var waiters: [(text: String, count: Int, signal: DispatchSemaphore)] = []
  }

  private let state = Guarded(State())

  func note(_ text: String) {
    state.withLock { state in
      state.entries.append(text)
      state.counts[text, default: 0] += 1
      let count = state.counts[text, default: 0]
      for waiter in state.waiters where waiter.text == text && waiter.count <= count {
        waiter.signal.signal()
      }
    }
  }

  var entries: [String] { state.withLock { $0.entries } }

  /// Whether it has been noted so often, or is with patience.
  func has(_ text: String, _ count: Int = 1) -> Bool {
    let signal = DispatchSemaphore(value: 0)
    state.withLock { state in
      if state.counts[text, default: 0] >= count {
        signal.signal()
      } else {
        state.waiters.append((text, count, signal))
      }
    }
    return signal.wait(timeout: Patience.deadline) == .success
  }
}

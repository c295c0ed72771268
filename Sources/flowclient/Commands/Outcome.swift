import Dispatch
import Synchronization

/// Where one thread waits for the end that another one brings.
final class Outcome: Sendable {
  private let result = Mutex<Result<ExitCode, ClientError>?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  var isSettled: Bool { result.withLock { $0 != nil } }

  /// Ends the waiting; only the first call counts.
  func settle(_ value: Result<ExitCode, ClientError>) {
    let isFirst = result.withLock {
      guard $0 == nil else { return false }
      $0 = value
      return true
    }
    if isFirst { arrived.signal() }
  }

  /// Waits until `deadline`, or without end.
  ///
  /// - Returns: the end, or `nil` when the deadline passes first.
  func wait(until deadline: DispatchTime? = nil) -> Result<ExitCode, ClientError>? {
    guard arrived.wait(timeout: deadline ?? .distantFuture) == .success else { return nil }
    arrived.signal()
    return result.withLock { $0 }
  }
}

extension DispatchTime {
  /// The moment `length` from now.
  static func after(_ length: Duration) -> DispatchTime {
    .now() + .nanoseconds(Int(length.inNanoseconds))
  }
}

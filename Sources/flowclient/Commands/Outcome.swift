import Dispatch
import FlowTransport
import Synchronization

/// The exit code that one thread waits for and another one sets.
final class Outcome: Sendable {
  private let platform: any Platform
  private let result = Mutex<Result<ExitCode, ClientError>?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  init(on platform: any Platform) { self.platform = platform }

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

  /// Waits until `moment`, or without end.
  ///
  /// - Returns: the end, or `nil` when the moment passes first.
  func wait(until moment: UInt64? = nil) -> Result<ExitCode, ClientError>? {
    guard platform.wait(for: arrived, until: moment) else { return nil }
    arrived.signal()
    return result.withLock { $0 }
  }
}

extension ClientSession {
  /// Returns the exit code of `work`, which is cancelled after `length`; `nil` if it took longer.
  func run(
    within length: Duration,
    _ work: @escaping @Sendable () async -> ExitCode
  ) async -> ExitCode? {
    let deadline = platform.moment(after: length)
    let outcome = Outcome(on: platform)
    let task = Task(executorPreference: surroundings.executor) {
      outcome.settle(.success(await work()))
    }
    defer { task.cancel() }
    return await withCheckedContinuation { continuation in
      platform.run(after: 0) {
        continuation.resume(returning: try? outcome.wait(until: deadline)?.get())
      }
    }
  }
}

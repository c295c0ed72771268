import Dispatch
import FlowTransport
import Synchronization

/// A result, such as an exit code, that one thread awaits and another sets.
final class Outcome<Value: Sendable>: Sendable {
  private let platform: any Platform
  private let result = Mutex<Result<Value, ClientError>?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  init(on platform: any Platform) { self.platform = platform }

  var isSettled: Bool { result.withLock { $0 != nil } }

  /// Sets the outcome; only the first call counts.
  func settle(_ value: Result<Value, ClientError>) {
    let isFirst = result.withLock {
      guard $0 == nil else { return false }
      $0 = value
      return true
    }
    if isFirst { arrived.signal() }
  }

  /// Waits until `moment`, or for ever; returns nil if the moment passes first.
  func wait(until moment: UInt64? = nil) -> Result<Value, ClientError>? {
    guard platform.wait(for: arrived, until: moment) else { return nil }
    arrived.signal()
    return result.withLock { $0 }
  }
}

extension ClientSession {
  /// Returns the exit code of `work`; cancels it and returns nil after `length`.
  func run(
    within length: Duration,
    _ work: @escaping @Sendable () async -> ExitCode
  ) async -> ExitCode? {
    let deadline = platform.moment(after: length)
    let outcome = Outcome<ExitCode>(on: platform)
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

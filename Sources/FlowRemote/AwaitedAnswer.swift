import Synchronization

/// An answer that a task awaits; cancelling the task ends the waiting.
final class AwaitedAnswer<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, RemoteError>

  private enum State {
    case pending
    case awaited(CheckedContinuation<Outcome, Never>)
    case settled(Outcome)
  }

  private let state = Mutex(State.pending)

  private init() {}

  /// Calls `begin` and waits for the answer that it passes to its closure.
  ///
  /// If the task is cancelled meanwhile, it calls `giveUp` and throws `RemoteError.taskCancelled`
  /// at once. If the task was cancelled before, `begin` is not called.
  static func wait(
    _ begin: (@escaping @Sendable (Outcome) -> Void) -> Void,
    giveUp: @escaping @Sendable () -> Void = {}
  ) async throws(RemoteError) -> Value {
    let answer = AwaitedAnswer()
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if answer.attach(continuation) { begin { answer.settle($0) } }
      }
    } onCancel: {
      if answer.settle(.failure(.taskCancelled)) { giveUp() }
    }
    return try outcome.get()
  }

  /// Keeps the continuation of the waiting task, or resumes it if the answer is settled; returns
  /// whether the task waits.
  private func attach(_ task: CheckedContinuation<Outcome, Never>) -> Bool {
    let settled = state.withLock { state -> Outcome? in
      if case .settled(let outcome) = state { return outcome }
      state = .awaited(task)
      return nil
    }
    guard let settled else { return true }
    task.resume(returning: settled)
    return false
  }

  /// Settles the answer and resumes a waiting task; returns false if the answer was settled before.
  @discardableResult
  private func settle(_ outcome: Outcome) -> Bool {
    let before = state.withLock { state -> State in
      if case .settled = state { return state }
      defer { state = .settled(outcome) }
      return state
    }
    if case .awaited(let task) = before { task.resume(returning: outcome) }
    if case .settled = before { return false }
    return true
  }
}

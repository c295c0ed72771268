public import Dispatch
internal import Glibc

/// The deadline of every wait in a test.
///
/// It is far away, since the machine may be busy; only a failing test waits so long.
public enum Patience {
  public static let seconds = 120

  /// The deadline of a wait that begins now.
  public static var deadline: DispatchTime { .now() + .seconds(seconds) }

  /// Waits until `holds` returns true; after the deadline, throws a failure that names `awaited`.
  public static func wait(
    for awaited: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line,
    until holds: () throws -> Bool
  ) throws {
    let deadline = deadline
    var turns = 0
    while try !holds() {
      guard DispatchTime.now() < deadline else {
        throw TestFailure(waitedFor: awaited(), file, line)
      }
      turns += 1
      // Sleeps in later turns, so that other threads get the processor.
      if turns < 300 { sched_yield() } else { usleep(1000) }
    }
  }

  /// Like `wait`, but suspends the task instead of blocking the thread.
  public static func suspend(
    for awaited: @autoclosure () -> String,
    file: String = #fileID,
    line: Int = #line,
    until holds: () async throws -> Bool
  ) async throws {
    let deadline = deadline
    var turns = 0
    while try await !holds() {
      guard DispatchTime.now() < deadline else {
        throw TestFailure(waitedFor: awaited(), file, line)
      }
      turns += 1
      if turns < 300 { await Task.yield() } else { try await Task.sleep(for: .milliseconds(1)) }
    }
  }
}

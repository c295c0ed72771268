public import Dispatch
internal import Glibc

/// How long a test waits for what should come at once.
///
/// Long, since the machine may be busy; only a wait for what never comes takes so long.
public enum Patience {
  public static let seconds = 120

  /// When a wait that begins now gives up.
  public static var deadline: DispatchTime { .now() + .seconds(seconds) }

  /// Waits until `holds` returns true; throws a failure that names `awaited` if it never does.
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
      // Later turns leave the processor to what is awaited.
      if turns < 300 { sched_yield() } else { usleep(1000) }
    }
  }

  /// Suspends the task until `holds` returns true; otherwise like `wait`, which blocks the thread.
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

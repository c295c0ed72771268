import Dispatch
import Synchronization

/// Runs `body` on four threads at once, with their numbers, and waits for all.
func onFourThreads(_ body: @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: 4, execute: body)
}

/// Counts how often something begins before its last run has ended.
final class Overlaps: Sendable {
  private let inside = Atomic<Int>(0)
  private let overlaps = Atomic<Int>(0)

  var count: Int { overlaps.load(ordering: .relaxed) }

  func during(_ body: () -> Void) {
    if inside.wrappingAdd(1, ordering: .relaxed).newValue > 1 {
      overlaps.wrappingAdd(1, ordering: .relaxed)
    }
    body()
    inside.wrappingSubtract(1, ordering: .relaxed)
  }
}

/// Counts its objects that are alive.
final class Counted: Sendable {
  final class Counter: Sendable {
    let alive = Atomic<Int>(0)
  }

  private let counter: Counter
  private let calls = Atomic<Int>(0)

  init(_ counter: Counter) {
    self.counter = counter
    counter.alive.wrappingAdd(1, ordering: .relaxed)
  }

  /// How often `count()` was called.
  var counts: Int { calls.load(ordering: .relaxed) }

  func count() { calls.wrappingAdd(1, ordering: .relaxed) }

  deinit { counter.alive.wrappingSubtract(1, ordering: .relaxed) }
}

/// Carries to another thread what is safe there for reasons that the compiler cannot see.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

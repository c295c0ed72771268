internal import Dispatch
public import Synchronization

/// Runs `body` on four threads at once, with their numbers, and waits for all.
public func onFourThreads(_ body: @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: 4, execute: body)
}

/// Counts how often something begins before its last run has ended.
public final class Overlaps: Sendable {
  private let inside = Atomic<Int>(0)
  private let overlaps = Atomic<Int>(0)

  public init() {}

  public var count: Int { overlaps.load(ordering: .relaxed) }

  public func during(_ body: () -> Void) {
    if inside.wrappingAdd(1, ordering: .relaxed).newValue > 1 {
      overlaps.wrappingAdd(1, ordering: .relaxed)
    }
    body()
    inside.wrappingSubtract(1, ordering: .relaxed)
  }
}

/// Counts its objects that are alive.
public final class Counted: Sendable {
  public final class Counter: Sendable {
    public let alive = Atomic<Int>(0)
    public init() {}
  }

  private let counter: Counter
  private let calls = Atomic<Int>(0)

  public init(_ counter: Counter) {
    self.counter = counter
    counter.alive.wrappingAdd(1, ordering: .relaxed)
  }

  /// How often `count()` was called.
  public var counts: Int { calls.load(ordering: .relaxed) }

  public func count() { calls.wrappingAdd(1, ordering: .relaxed) }

  deinit { counter.alive.wrappingSubtract(1, ordering: .relaxed) }
}

/// Carries to another thread what is safe there for reasons that the compiler cannot see.
public struct Unchecked<Value>: @unchecked Sendable {
  public let value: Value

  public init(_ value: Value) { self.value = value }
}

internal import Dispatch
public import Synchronization

/// Calls `body` on four threads at once, with 0 to 3, and waits for all.
public func onFourThreads(_ body: @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: 4, execute: body)
}

/// Counts the calls of `during` that begin while another runs.
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

/// An object that counts the living objects of its `Counter`.
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

  /// The number of calls of `count()`.
  public var counts: Int { calls.load(ordering: .relaxed) }

  public func count() { calls.wrappingAdd(1, ordering: .relaxed) }

  deinit { counter.alive.wrappingSubtract(1, ordering: .relaxed) }
}

/// Carries a value to another thread; the test must make sure that this is safe.
public struct Unchecked<Value>: @unchecked Sendable {
  public let value: Value

  public init(_ value: Value) { self.value = value }
}

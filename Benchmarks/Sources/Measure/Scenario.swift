import CAllocations
import Glibc

/// A piece of work on a number of elements, done again and again on the clock.
public struct Scenario {
  public typealias Work = (_ elements: Int) -> Int

  public let name: String
  /// Does the work on so many elements; returns a sum that shows that it was done.
  public let run: Work
  /// The same work, with the elements asked for from outside, `size` at a time.
  public let pulled: ((_ elements: Int, _ size: Int) -> Int)?

  public init(
    _ name: String,
    run: @escaping Work,
    pulled: ((_ elements: Int, _ size: Int) -> Int)? = nil
  ) {
    self.name = name
    self.run = run
    self.pulled = pulled
  }

  /// The work with the elements asked for `size` at a time, if it can be done so.
  public func inPieces(of size: Int) -> Scenario? {
    guard let pulled else { return nil }
    return Scenario("\(name), \(size) at a time", run: { pulled($0, size) })
  }
}

/// What a scenario has cost.
public struct Cost {
  /// Nanoseconds per element: the median of the rounds.
  public let nanoseconds: Double
  /// Allocated blocks per element.
  public let allocations: Double
  /// What the work summed up to.
  public let sum: Int
}

extension Scenario {
  /// Runs once to warm up, then some rounds on the clock, and once to count allocations.
  ///
  /// - Parameters:
  ///   - elements: how many elements a round has.
  ///   - rounds: how many rounds there are.
  ///   - now: the time in nanoseconds; that of the thread suits work on one thread better.
  public func measure(
    elements: Int,
    rounds: Int = 7,
    now: () -> Double = wallTime
  ) -> Cost {
    let sum = run(elements)
    let costs = (0..<rounds).map { _ in
      let start = now()
      precondition(run(elements) == sum, "\(name) does not do the same twice")
      return (now() - start) / Double(elements)
    }
    let before = allocations()
    count_allocations(1)
    _ = run(elements)
    count_allocations(0)
    return Cost(
      nanoseconds: costs.sorted()[rounds / 2],
      allocations: Double(allocations() - before) / Double(elements),
      sum: sum
    )
  }
}

/// Nanoseconds of a clock that never stands still.
public func wallTime() -> Double { nanoseconds(of: CLOCK_MONOTONIC) }

/// Nanoseconds that this thread has had of a processor: others on the machine do not count.
public func threadTime() -> Double { nanoseconds(of: CLOCK_THREAD_CPUTIME_ID) }

private func nanoseconds(of clock: clockid_t) -> Double {
  var time = timespec()
  clock_gettime(clock, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// What something costs to have, in memory.
public struct Holding {
  public let name: String
  private let make: (_ count: Int) -> Any

  /// `make` makes so many, and returns what keeps them.
  public init(_ name: String, make: @escaping (_ count: Int) -> Any) {
    self.name = name
    self.make = make
  }

  /// Bytes for each, as the allocator counts them.
  public func bytes(count: Int = 10_000) -> Double {
    count_allocations(1)
    defer { count_allocations(0) }
    let before = bytes_in_use()
    let kept = make(count)
    let bytes = bytes_in_use() - before
    withExtendedLifetime(kept) {}
    return Double(bytes) / Double(count)
  }
}

/// Somewhere to add values up, at no cost of its own: a class would check each access.
@frozen
public struct Total {
  @usableFromInline let sum = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  @inlinable
  public init() { sum.initialize(to: 0) }

  @inlinable
  public var value: Int {
    get { sum.pointee }
    nonmutating _modify { yield &sum.pointee }
  }

  /// The value, once nothing is added any more.
  public func take() -> Int {
    defer { sum.deallocate() }
    return sum.move()
  }
}

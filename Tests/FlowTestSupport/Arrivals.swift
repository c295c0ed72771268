import Dispatch
import Synchronization

/// Elements that other threads add, and a test can wait for; each wait has a deadline.
public final class Arrivals<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let changed = DispatchSemaphore(value: 0)

  public init() {}

  public var all: [Element] { elements.withLock { $0 } }

  public func add(_ element: Element) {
    elements.withLock { $0.append(element) }
    changed.signal()
  }

  /// Waits for `count` elements; returns all elements, also after the deadline.
  public func wait(for count: Int = 1) -> [Element] {
    let deadline = Patience.deadline
    // Without a copy of the elements, which the next one would have to copy once more.
    while elements.withLock({ $0.count < count }), changed.wait(timeout: deadline) == .success {}
    return all
  }

  /// Waits until `isEnough` returns true; returns all elements, also after the deadline.
  public func wait(until isEnough: ([Element]) -> Bool) -> [Element] {
    let deadline = Patience.deadline
    while !isEnough(all), changed.wait(timeout: deadline) == .success {}
    return all
  }
}

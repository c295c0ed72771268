import Dispatch
import Synchronization

/// Things that arrive from other threads, and who waits for them, with patience.
public final class Arrivals<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])
  private let changed = DispatchSemaphore(value: 0)

  public init() {}

  public var all: [Element] { elements.withLock { $0 } }

  public func add(_ element: Element) {
    elements.withLock { $0.append(element) }
    changed.signal()
  }

  /// Waits until there are `count`.
  public func wait(for count: Int = 1) -> [Element] {
    wait { $0.count >= count }
  }

  /// Waits until there are enough, and gives what there is.
  public func wait(until isEnough: ([Element]) -> Bool) -> [Element] {
    let deadline = Patience.deadline
    while !isEnough(all), changed.wait(timeout: deadline) == .success {}
    return all
  }
}

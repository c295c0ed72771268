public import FlowCore
public import Foundation

/// An operation queue runs each piece of work as an operation.
extension OperationQueue: Scheduler {
  /// A moment on the calendar's clock.
  public struct SchedulerTimeType: Strideable, Codable, Hashable, Sendable {
    /// The moment.
    public var date: Date

    public init(_ date: Date) { self.date = date }

    public func distance(to other: Self) -> Stride {
      Stride(other.date.timeIntervalSince(date))
    }

    public func advanced(by n: Stride) -> Self { Self(date + n.timeInterval) }

    /// A length of time in seconds.
    public struct Stride: _SecondsStride {
      public var magnitude: TimeInterval

      public init(_ timeInterval: TimeInterval) { magnitude = timeInterval }
    }
  }

  /// There is nothing else to say of a piece of work.
  public struct SchedulerOptions: Sendable {}

  public var now: SchedulerTimeType { SchedulerTimeType(Date()) }
  public var minimumTolerance: SchedulerTimeType.Stride { 0 }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let action = HandedOver(value: action)
    addOperation(BlockOperation { action.value() })
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    add(DelayedOperation(action), at: date.date)
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let repeating = Repeating(self, interval.timeInterval, action)
    repeating.addNext(at: date.date)
    return AnyCancellable(repeating)
  }

  private func add(_ operation: DelayedOperation, at date: Date) {
    addOperation(operation)
    operation.wait(until: date)
  }

  /// Adds an operation for each time, when the one before it has its turn.
  private final class Repeating: Cancellable, @unchecked Sendable {  // the lock guards all state
    private let queue: OperationQueue
    private let interval: TimeInterval
    private let lock = NSLock()
    /// There until it is cancelled.
    private var action: (() -> Void)?
    private var next: DelayedOperation?

    init(_ queue: OperationQueue, _ interval: TimeInterval, _ action: @escaping () -> Void) {
      self.queue = queue
      self.interval = interval
      self.action = action
    }

    func addNext(at date: Date) {
      let operation = DelayedOperation { self.run(date) }
      let isWanted = lock.withLock {
        guard action != nil else { return false }
        next = operation
        return true
      }
      if isWanted { queue.add(operation, at: date) }
    }

    private func run(_ date: Date) {
      guard let action = lock.withLock({ action }) else { return }
      addNext(at: max(date + interval, Date()))
      action()
    }

    func cancel() {
      let (action, next) = lock.withLock { (self.action.take(), self.next.take()) }
      next?.cancel()
      withExtendedLifetime(action) {}
    }
  }
}

/// Is ready at some moment, and then runs once.
private final class DelayedOperation: Operation, Cancellable, @unchecked Sendable {
  private let lock = NSLock()
  private var action: (() -> Void)?
  private var isDue = false

  init(_ action: @escaping () -> Void) { self.action = action }

  override var isReady: Bool { lock.withLock { isDue } && super.isReady }

  func wait(until date: Date) {
    let delay = max(0, date.timeIntervalSinceNow)
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { self.becomeReady() }
  }

  override func main() {
    let action = lock.withLock { self.action.take() }
    if !isCancelled { action?() }
  }

  /// Makes it ready, so that the queue can let it go.
  override func cancel() {
    super.cancel()
    let action = lock.withLock { self.action.take() }
    becomeReady()
    withExtendedLifetime(action) {}
  }

  private func becomeReady() {
    willChangeValue(for: \.isReady)
    lock.withLock { isDue = true }
    didChangeValue(for: \.isReady)
  }
}

public import Dispatch

extension DispatchQueue: Scheduler {
  /// A moment on the queue's clock, which stands still while the machine sleeps.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The moment as Dispatch has it.
    public var dispatchTime: DispatchTime

    public init(_ time: DispatchTime) { dispatchTime = time }

    /// How long it is from here to `other`; the longest there is if one of them is out of reach.
    public func distance(to other: Self) -> Stride {
      let start = dispatchTime.uptimeNanoseconds
      let end = other.dispatchTime.uptimeNanoseconds
      guard start != end else { return Stride(nanoseconds: 0) }
      guard let start = Int(exactly: start), let end = Int(exactly: end) else {
        return Stride(nanoseconds: .max)
      }
      return Stride(nanoseconds: end - start)
    }

    /// The moment `n` later, the distant future if it is out of reach.
    public func advanced(by n: Stride) -> Self {
      let start = Int(clamping: dispatchTime.uptimeNanoseconds)
      let (sum, overflow) = start.addingReportingOverflow(n.magnitude)
      guard !overflow else { return Self(.distantFuture) }
      return Self(DispatchTime(uptimeNanoseconds: UInt64(max(sum, 1))))
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }
  }
}

extension DispatchQueue.SchedulerTimeType: Codable {
  public init(from decoder: any Decoder) throws {
    let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
    self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(dispatchTime.uptimeNanoseconds)
  }
}

extension DispatchQueue {
  /// How a queue is to run a piece of work.
  public struct SchedulerOptions {
    public var qos: DispatchQoS
    public var flags: DispatchWorkItemFlags
    public var group: DispatchGroup?

    public init(
      qos: DispatchQoS = .unspecified,
      flags: DispatchWorkItemFlags = [],
      group: DispatchGroup? = nil
    ) {
      self.qos = qos
      self.flags = flags
      self.group = group
    }
  }

  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
  public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let work = ScheduledWork(action)
    async(
      group: options?.group,
      qos: options?.qos ?? .unspecified,
      flags: options?.flags ?? []
    ) { work.run() }
  }

  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    let work = ScheduledWork(action)
    let group = options?.group
    group?.enter()
    asyncAfter(
      deadline: date.dispatchTime,
      qos: options?.qos ?? .unspecified,
      flags: options?.flags ?? []
    ) {
      work.run()
      group?.leave()
    }
  }

  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    let source = DispatchSource.makeTimerSource(queue: self)
    source.schedule(
      deadline: date.dispatchTime,
      repeating: interval.timeInterval,
      leeway: tolerance.timeInterval
    )
    let work = ScheduledWork(action)
    source.setEventHandler(qos: options?.qos ?? .unspecified, flags: options?.flags ?? []) {
      work.run()
    }
    source.activate()
    return AnyCancellable { source.cancel() }
  }

  public func _schedule(
    _ line: _ActionLine,
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?
  ) {
    let due = Int64(clamping: date.dispatchTime.uptimeNanoseconds)
    guard let first = line.append(.init(due: due, order: 0)) else { return }
    run(line, at: first, tolerance, options)
  }

  /// Lets `line` come at `moment`, and then for all that is due, in one piece of work.
  private func run(
    _ line: _ActionLine,
    at moment: _ActionLine.Moment,
    _ tolerance: SchedulerTimeType.Stride,
    _ options: SchedulerOptions?
  ) {
    let date =
      moment.due == .max
      ? DispatchTime.distantFuture : DispatchTime(uptimeNanoseconds: UInt64(moment.due))
    schedule(after: SchedulerTimeType(date), tolerance: tolerance, options: options) {
      let now = Int64(clamping: DispatchTime.now().uptimeNanoseconds)
      line.isDue()
      while let next = line.next() {
        guard next.due <= now else { return self.run(line, at: next, tolerance, options) }
        line.isDue()
      }
    }
  }
}

/// Carries a closure to a queue: Combine asks no one's closures to be `Sendable`.
private final class ScheduledWork: @unchecked Sendable {  // handed over, then run by the queue
  private let action: () -> Void

  init(_ action: @escaping () -> Void) { self.action = action }

  func run() { action() }
}

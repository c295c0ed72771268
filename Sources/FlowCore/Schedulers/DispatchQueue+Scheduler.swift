public import Dispatch

extension DispatchQueue: Scheduler {
  /// A moment on the queue's clock, which stands still while the machine sleeps.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The moment as Dispatch has it.
    public var dispatchTime: DispatchTime

    /// Makes the moment that Dispatch tells as `time`.
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

    /// Hashes the moment as Dispatch has it.
    public func hash(into hasher: inout Hasher) { hasher.combine(dispatchTime.rawValue) }
  }
}

extension DispatchQueue.SchedulerTimeType: Codable {
  /// Decodes a number of nanoseconds.
  public init(from decoder: any Decoder) throws {
    let nanoseconds = try decoder.singleValueContainer().decode(UInt64.self)
    self.init(DispatchTime(uptimeNanoseconds: nanoseconds))
  }

  /// Encodes the moment as its number of nanoseconds.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(dispatchTime.uptimeNanoseconds)
  }
}

extension DispatchQueue {
  /// How a queue is to run a piece of work.
  public struct SchedulerOptions {
    /// The quality of service that the work is run with.
    public var qos: DispatchQoS
    /// How the work is run, for instance as a barrier.
    public var flags: DispatchWorkItemFlags
    /// What waits for the work; a repeated action does not count in it.
    public var group: DispatchGroup?

    /// Makes options; by default they are those of the queue, with nobody waiting.
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

  /// The present moment, on the clock of Dispatch.
  public var now: SchedulerTimeType { SchedulerTimeType(.now()) }
  /// 0: work that is due is run at once.
  public var minimumTolerance: SchedulerTimeType.Stride { .nanoseconds(0) }

  /// Runs `action` on this queue, asynchronously.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    let work = ScheduledWork(action)
    async(
      group: options?.group,
      qos: options?.qos ?? .unspecified,
      flags: options?.flags ?? []
    ) { work.run() }
  }

  /// Runs `action` on this queue at `date`; `tolerance` plays no part.
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

  /// Runs `action` on this queue at `date` and then every `interval`, each up to `tolerance` late.
  ///
  /// Cancel or release the result to stop it; an action that is running goes on.
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

  /// A timer costs so much here that it goes on, and another is started when it has come too early.
  public func _postpone(_ timer: _Timer, to date: SchedulerTimeType) -> Bool { true }

  /// Keeps what `line` is to come for in the line, with one piece of work at a time on this queue.
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

  /// Has `line` come in one piece of work for all that waits by then.
  public func _schedule(_ line: _ActionLine, options: SchedulerOptions?) {
    guard line.append(.init(due: 0, order: 0)) != nil else { return }
    schedule(options: options) { self.runDue(line, self.minimumTolerance, options) }
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
      self.runDue(line, tolerance, options)
    }
  }

  /// Lets `line` come now, and for what waits already and is due; the rest has to wait for another
  /// piece of work, so that those who send while it runs do not keep the queue.
  private func runDue(
    _ line: _ActionLine,
    _ tolerance: SchedulerTimeType.Stride,
    _ options: SchedulerOptions?
  ) {
    let now = Int64(clamping: DispatchTime.now().uptimeNanoseconds)
    var waiting = line.waitingCount
    line.isDue()
    while let next = line.next() {
      guard next.due <= now, waiting > 0 else { return run(line, at: next, tolerance, options) }
      waiting -= 1
      line.isDue()
    }
  }
}

/// Carries a closure to a queue: Combine asks no one's closures to be `Sendable`.
private final class ScheduledWork: @unchecked Sendable {  // handed over, then run by the queue
  private let action: () -> Void

  init(_ action: @escaping () -> Void) { self.action = action }

  func run() { action() }
}

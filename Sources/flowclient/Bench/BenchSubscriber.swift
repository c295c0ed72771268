import FlowCore
import FlowRemote
import FlowTransport
import FlowWire

/// A connection that subscribes, and checks and times each value.
final class BenchSubscriber: BenchClient {
  private var plan: DemandPlan
  private(set) var checks: SequenceChecks
  /// Values of this bench that came, duplicates included.
  private(set) var received: UInt64 = 0
  /// Values that came and that no bench has sent, or another one.
  private(set) var foreign: UInt64 = 0
  /// Values that the server says it has missed.
  private(set) var missed: UInt64 = 0
  private(set) var isComplete = false
  private(set) var isFenced = false
  private var streamHasEnded = false
  /// When a slow reader reads again; `nil` while it reads.
  private(set) var wakes: UInt64?
  private let delay: UInt64?
  private let limit: UInt64?

  init(_ run: BenchRun, isSlow: Bool) {
    let request = run.request
    delay = isSlow ? UInt64(request.delay.inNanoseconds) : nil
    if request.form == .sub, case .values(let count) = request.length {
      limit = count
    } else {
      limit = nil
    }
    plan = DemandPlan(window: isSlow ? request.slowWindow : request.window, limit: limit)
    checks = SequenceChecks(startsAtZero: request.form.publishes)
    super.init(run)
  }

  override var opening: Command {
    let demand = plan.next().onWire
    return .subscribe(Expression(run.target.subject), demand: demand, id: Self.stream, window: nil)
  }

  override func handle(_ line: TaggedServerLine) {
    switch line.line {
    case .drop(_, let count, _):
      missed += count
      checkCompletion()
    case .done: endStream()
    case .fail(_, let code, let text):
      run.failed(.failed(code: code, text: text))
      endStream()
    case .ok(.cancel(_, _, let untold, _, _)):
      missed += UInt64(untold)
      endFence()
    case .ok(.ended(.cancel, _)): endFence()
    default: break
    }
  }

  private func endStream() {
    streamHasEnded = true
    checkCompletion()
    endFence()
  }

  // MARK: Values

  override var isReading: Bool { wakes == nil }

  override func receive(_ place: Range<Int>, from start: Int, in input: inout BenchInput) {
    let now = run.clock.now
    let first = unsafe UnsafeRawBufferPointer(rebasing: input.buffer[place])
    unsafe withUnsafePointer(to: first) {
      unsafe receive(UnsafeBufferPointer(start: $0, count: 1), at: now)
    }
    if let delay, run.isMeasuring {
      wakes = now + delay
      connection?.pauseReading()
      return run.schedule.sleeps(until: now + delay)
    }
    let batch = run.batch
    repeat {
      input.next(like: place, from: start, into: batch)
      unsafe receive(batch[0..<batch.count], at: now)
    } while batch.count == ValueBatch.capacity
  }

  private func receive(_ payloads: UnsafeBufferPointer<UnsafeRawBufferPointer>, at time: UInt64) {
    let now = BenchTime(nanoseconds: time)
    let senders = run.senders
    // Values in order are counted and entered together, and so are those sent at the same moment.
    var (sender, number) = (checks.sender, checks.expected)
    var inOrder: UInt64 = 0
    var others: UInt64 = 0
    var moment = (due: BenchTime(ticks: 0), lateness: UInt64(0))
    var alike: UInt64 = 0
    for index in payloads.indices {
      let payload = unsafe payloads[index]
      guard let value = unsafe BenchValue(payload), senders.contains(value.sender) else {
        others += 1
        continue
      }
      if value.number == number, value.sender == sender {
        inOrder += 1
        number &+= 1
      } else {
        checks.advance(by: inOrder)
        inOrder = 0
        checks.receive(value.number, of: value.sender)
        (sender, number) = (checks.sender, checks.expected)
      }
      if value.due == moment.due, value.lateness == moment.lateness {
        alike += 1
      } else {
        run.add(alike, due: moment.due, lateness: moment.lateness, at: now)
        moment = (value.due, value.lateness)
        alike = 1
      }
    }
    checks.advance(by: inOrder)
    run.add(alike, due: moment.due, lateness: moment.lateness, at: now)
    foreign += others
    received += UInt64(payloads.count) - others
    plan.receive(payloads.count)
    run.received(UInt64(payloads.count) - others, at: time)
  }

  override func inputRead() {
    checkCompletion()
    let demand = plan.next()
    if demand != .none, !streamHasEnded {
      say(.request(.stream(Self.stream), .demand(demand.onWire)))
    }
  }

  /// Reads again, if its time has come or no reader is to be slow any more.
  func wake(at now: UInt64) {
    guard let wakes, wakes <= now || !run.isMeasuring else { return }
    self.wakes = nil
    connection?.resumeReading()
  }

  // MARK: The end

  func checkCompletion() {
    guard !isComplete, isGone || streamHasEnded || hasAll else { return }
    isComplete = true
    run.completed(self)
  }

  private var hasAll: Bool {
    if let limit { return plan.received >= limit }
    return run.allSent.map { received + missed >= $0 } ?? false
  }

  /// Sends a command whose answer comes behind all values.
  func fence() {
    guard !streamHasEnded, !isGone else { return endFence() }
    say(.cancel(.stream(Self.stream)))
  }

  private func endFence() {
    guard run.isFencing, !isFenced else { return }
    isFenced = true
    run.fenced(self)
  }

  override func leave(_ error: RemoteError) {
    super.leave(error)
    checkCompletion()
    endFence()
  }
}

import Dispatch
import FlowCore
import FlowLanguage
import FlowRemote
import FlowTransport
import Synchronization

/// Prints the values of a subscription, and requests more as they are printed.
///
/// Unchecked: it is used on the connection's queue. A blocked standard output blocks the queue, so
/// that it requests and in the end reads nothing more.
final class ValueReader: RemoteSubscriptionHandler, @unchecked Sendable {  // see above
  /// The missed values that the server reported.
  struct Misses: Equatable {
    /// The missed values by reason, a word of the protocol.
    var reasons: [String: UInt64] = [:]
    /// The values in transit when the stream was cancelled.
    var undelivered: UInt64 = 0
  }

  let outcome: Outcome<ExitCode>

  private let platform: any Platform
  private var plan: DemandPlan
  private let delay: Duration?
  private var printer: ValuePrinter
  private let status: StatusLine?
  private let notes: Remarks
  private weak var remote: FlowRemote?
  private var expression = ""
  private var subscription: RemoteSubscription?
  private var isDurable = false
  private var isCancelled = false
  /// Signalled to end a delay early.
  private let stopped = DispatchSemaphore(value: 0)
  private let isStopping = Atomic(false)
  private let account = Mutex(Account())

  private struct Account {
    var misses = Misses()
    var hasFreeFlow = false
    var received = 0
    var remarks: [String] = []
  }

  init(plan: DemandPlan, delay: Duration?, session: ClientSession, showsStatus: Bool) {
    self.plan = plan
    self.delay = delay
    platform = session.platform
    outcome = Outcome(on: platform)
    printer = ValuePrinter(session)
    notes = session.remarks
    status = showsStatus ? StatusLine(session) : nil
  }

  var misses: Misses { account.withLock { $0.misses } }
  /// Whether no subject with `flow=slowest` waits for it.
  var hasFreeFlow: Bool { account.withLock { $0.hasFreeFlow } }
  var received: Int { account.withLock { $0.received } }
  /// The values and members that the output format cannot show, as text.
  var remarks: [String] { account.withLock { $0.remarks } }

  struct Durable {
    let name: String
    let window: UInt64
  }

  func start(on remote: FlowRemote, expression: String, tap: TapPlace?, durable: Durable?) {
    remote.perform {
      self.isDurable = durable != nil
      self.remote = remote
      self.expression = expression
      self.plan.adapt(at: self.platform.monotonicNanoseconds, roundTrip: remote.roundTrip)
      let first = self.plan.next()
      if let tap {
        self.subscription = remote.tap(tap.name, stage: tap.stage, demand: first, handler: self)
        return
      }
      self.subscription = remote.subscribe(
        expression,
        demand: first,
        durable: durable?.name,
        window: Int(clamping: durable?.window ?? 1),
        handler: self
      )
      self.status?.show(self.plan)
    }
  }

  /// Requests `count` more values by hand; `nil` is all.
  func ask(for count: UInt64?, on remote: FlowRemote) {
    remote.perform {
      self.subscription?.request(self.plan.add(count))
      self.status?.show(self.plan)
    }
  }

  /// Ends when all requested values have arrived.
  func askNoMore(on remote: FlowRemote) {
    remote.perform {
      self.plan.endAtAsked()
      self.cancelIfComplete()
    }
  }

  /// Ends the stream and reads the server's counts.
  func stop(on remote: FlowRemote) {
    isStopping.store(true, ordering: .relaxed)
    stopped.signal()
    remote.perform { self.cancel() }
  }

  /// Whether no more values are printed or requested.
  private var isEnding: Bool { isCancelled || isStopping.load(ordering: .relaxed) }

  private func cancelIfComplete() {
    if plan.isComplete { cancel() }
  }

  private func cancel() {
    guard !isCancelled else { return }
    isCancelled = true
    acknowledge()
    subscription?.cancel { fence in
      if let fence { self.add(fence) }
      self.settle(.success(.done))
    }
  }

  /// Adds the figures of the answer to CANCEL; values after the last one of `-n` are not missed.
  private func add(_ fence: RemoteSubscription.Fence) {
    let isComplete = plan.isComplete && !plan.isByHand
    account.withLock { account in
      account.misses.undelivered = fence.undelivered
      guard !isComplete else { return }
      var reasons = fence.reasons
      // Undelivered values were requested, so they did not lack demand.
      let unasked = reasons[DropReason.noDemand.rawValue] ?? 0
      reasons[DropReason.noDemand.rawValue] = unasked - min(unasked, fence.undelivered)
      for (reason, count) in reasons where count > 0 {
        account.misses.reasons[reason, default: 0] &+= count
      }
    }
  }

  func note(_ text: String, on remote: FlowRemote) {
    guard let status else { return notes.note(text) }
    remote.perform {
      status.clear()
      self.notes.note(text)
      status.show(self.plan)
    }
  }

  /// Acknowledges the printed values of a durable subscription.
  private func acknowledge() {
    guard isDurable else { return }
    printer.flush()
    subscription?.acknowledge()
  }

  private func settle(_ result: Result<ExitCode, ClientError>) {
    status?.clear()
    printer.flush()
    keepAccount()
    outcome.settle(result)
  }

  private func keepAccount() {
    account.withLock { account in
      account.received = plan.received
      account.remarks = printer.remarks
    }
  }

  // MARK: Events

  func subscription(_ s: RemoteSubscription, received payload: UnsafeRawBufferPointer) {
    guard !isEnding else { return }
    plan.receive(bytes: payload.count)
    unsafe printer.print(payload)
    if let delay { pause(delay, s) }
    cancelIfComplete()
  }

  /// Blocks the queue, like a slow reader, and requests what the value made room for.
  private func pause(_ delay: Duration, _ s: RemoteSubscription) {
    printer.flush()
    _ = platform.wait(for: stopped, until: platform.moment(after: delay))
    guard !isEnding, !plan.isComplete else { return }
    ask(s)
    s.flush()
  }

  private func ask(_ s: RemoteSubscription) {
    // Acknowledges each value as it is printed, because publishers may wait for it.
    if isDurable, !plan.isByHand { return s.acknowledge() }
    plan.adapt(at: platform.monotonicNanoseconds, roundTrip: remote?.roundTrip)
    let more = plan.next()
    if more > .none { s.request(more) }
  }

  func subscriptionPassedValues(_ s: RemoteSubscription) {
    status?.clear()
    printer.flush()
    keepAccount()
    if !isEnding { ask(s) }
    status?.show(plan)
  }

  func subscription(_ s: RemoteSubscription, missed count: UInt64, reason: String) {
    let before = account.withLock { account in
      defer { account.misses.reasons[reason, default: 0] &+= count }
      return account.misses.reasons[reason]
    }
    guard before == nil, reason == DropReason.failed.rawValue, let remote else { return }
    note("left out a value that a closure has no answer for; SHOW says why", on: remote)
  }

  func subscriptionHasFreeFlow(_ s: RemoteSubscription) {
    let isKnown = account.withLock { account in
      defer { account.hasFreeFlow = true }
      return account.hasFreeFlow
    }
    guard !isKnown, let remote else { return }
    note("flow=free: this token lacks the right hold, so publishers do not wait for it", on: remote)
  }

  func subscription(_ s: RemoteSubscription, ended error: RemoteError?) {
    let result: Result<ExitCode, ClientError> =
      error.map { .failure(ClientError($0, in: expression)) } ?? .success(.done)
    guard isDurable, let remote else { return settle(result) }
    acknowledge()
    // The answer shows that the server has received the acknowledgement.
    remote.command("PING") { _ in self.settle(result) }
  }
}

internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// The last subscriber of a run's pipeline.
final class RunSubscriber: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  /// `nil` while the run is tapped, so that values take the slow path.
  private weak var run: Run?
  private weak var tappedRun: Run?
  private var tap: Tap?
  private var subscription: (any Subscription)?
  private var isCancelled = false

  init(_ run: Run) { self.run = run }

  func tap(_ tap: Tap?) {
    let run = run ?? tappedRun
    self.tap = tap
    tappedRun = tap == nil ? nil : run
    self.run = tap == nil ? run : nil
  }

  func receive(subscription: any Subscription) {
    guard !isCancelled, self.subscription == nil else { return subscription.cancel() }
    self.subscription = subscription
    subscription.mayHandPayloads(to: self)
  }

  func receive(_ input: Value) -> Subscribers.Demand { run?.receive(input) ?? receiveApart(input) }

  func room(for largest: Int) -> Int {
    run?.room(for: largest) ?? tappedRun?.room(for: largest) ?? 0
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    run?.receive(payloads) ?? receiveApart(payloads)
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe run?.receive(payload) ?? receiveApart(payload)
  }

  /// Other pipelines may lead to its subject, too.
  var reach: PayloadReach { .shared }

  func isOnlyWay(in search: Int) -> Bool {
    run?.isOnlyWay(in: search) ?? tappedRun?.isOnlyWay(in: search) ?? false
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    subscription = nil
    (run ?? tappedRun)?.finish(completion)
  }

  func request(_ count: Demand) {
    subscription?.request(count.max.map { .max(Int(clamping: $0)) } ?? .unlimited)
  }

  func cancel() {
    isCancelled = true
    let old = subscription
    subscription = nil
    old?.cancel()
  }

  private func receiveApart(_ input: Value) -> Subscribers.Demand {
    guard let run = tappedRun else { return .none }
    unsafe input.withBytes { unsafe pass($0, of: run) }
    return run.receive(input)
  }

  private func receiveApart(_ payloads: Payloads) -> Subscribers.Demand {
    guard let run = tappedRun else { return .none }
    if run.isSending { tap?.pass(run.engine.batch, payloads.places) }
    return run.receive(payloads)
  }

  private func receiveApart(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard let run = tappedRun else { return .none }
    unsafe pass(payload, of: run)
    return unsafe run.receive(payload)
  }

  private func pass(_ bytes: UnsafeRawBufferPointer, of run: Run) {
    guard run.isSending, bytes.count <= run.engine.configuration.valueLimit else { return }
    unsafe tap?.pass(bytes)
  }
}

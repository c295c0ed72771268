import FlowCore

/// Whoever looks on at what a stage sends; nobody waits for it.
///
/// It is told where the pipeline runs, before the value goes on.
public protocol StageViewer: AnyObject {
  /// Sees one value; the bytes are valid until this returns.
  func sees(_ value: UnsafeRawBufferPointer)

  /// Sees payloads of the present batch.
  func sees(_ payloads: Payloads)
}

/// The end of a counted stage in one subscription: where it hands on what it sends.
///
/// Whoever looks on stands in between, in place of the subscriber. So nothing has to ask whether
/// anybody does: without one the way of a value is the same to the instruction.
class StageExit {
  // memory 6: touched where the pipeline runs only, and changed between its signals.
  @safe @exclusivity(unchecked) private final var downstream: AnySubscriber<Value, PipelineFailure>
  /// The subscriber, if it takes payloads.
  @safe @exclusivity(unchecked) final private(set) var receiver: (any PayloadReceiver)?
  private final var between: StageShow?

  init(_ downstream: AnySubscriber<Value, PipelineFailure>) { self.downstream = downstream }

  /// Hands on a value; returns how many more are wanted.
  @inline(__always)
  final func hand(_ value: Value) -> Subscribers.Demand { sendBorrowed(value, to: &downstream) }

  /// Hands on the subscription.
  final func hand(_ subscription: any Subscription) {
    let downstream = downstream
    downstream.receive(subscription: subscription)
  }

  /// Hands on the end.
  final func hand(_ completion: Subscribers.Completion<PipelineFailure>) {
    let downstream = downstream
    downstream.receive(completion: completion)
  }

  /// Whether `receiver` is the very subscriber, which is given payloads from now on.
  final func takes(_ receiver: any PayloadReceiver) -> Bool {
    guard let between else {
      guard downstream.hides(receiver) else { return false }
      self.receiver = receiver
      return true
    }
    guard between.downstream.hides(receiver) else { return false }
    between.receiver = receiver
    self.receiver = between
    return true
  }

  /// Hands on no payloads any more.
  final func forgetReceiver() { receiver = nil }

  /// Has `viewer` look on from now on, or nobody; between signals only.
  final func show(to viewer: (any StageViewer)?) {
    if let between {
      downstream = between.downstream
      if receiver != nil { receiver = between.receiver }
      self.between = nil
    }
    guard let viewer else { return }
    let between = StageShow(downstream, receiver, viewer)
    self.between = between
    downstream = AnySubscriber(between)
    if receiver != nil { receiver = between }
  }
}

/// Stands between a stage and its subscriber: shows what comes, and hands it on as it is.
private final class StageShow: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  let downstream: AnySubscriber<Value, PipelineFailure>
  var receiver: (any PayloadReceiver)?
  private let viewer: any StageViewer

  init(
    _ downstream: AnySubscriber<Value, PipelineFailure>,
    _ receiver: (any PayloadReceiver)?,
    _ viewer: any StageViewer
  ) {
    self.downstream = downstream
    self.receiver = receiver
    self.viewer = viewer
  }

  func receive(subscription: any Subscription) { downstream.receive(subscription: subscription) }

  func receive(_ input: Value) -> Subscribers.Demand {
    unsafe input.withBytes { unsafe viewer.sees($0) }
    return downstream.receive(input)
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    downstream.receive(completion: completion)
  }

  func room(for largest: Int) -> Int { receiver?.room(for: largest) ?? 0 }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    viewer.sees(payloads)
    return receiver?.receive(payloads) ?? .none
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe viewer.sees(payload)
    return unsafe receiver?.receive(payload) ?? .none
  }

  var reach: PayloadReach { receiver?.reach ?? .anywhere }

  func isOnlyWay(in search: Int) -> Bool { receiver?.isOnlyWay(in: search) ?? false }
}

extension Pipeline {
  /// Has `viewer` look on at what a stage sends in a run, now and whenever the stage begins anew; nil
  /// for nobody.
  ///
  /// What is before a `share` runs once for all. To be called where the pipeline runs, between signals.
  public func show(_ stage: Int, of run: StageCounters, to viewer: (any StageViewer)?) {
    (sharedCounters(at: stage) ?? run)[stage].show(to: viewer)
  }

  /// Has those who look on at its stages look on at a run that is to begin.
  package func showStages(of run: StageCounters) {
    for (stage, viewer) in viewers { show(stage, of: run, to: viewer) }
  }
}

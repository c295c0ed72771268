internal import FlowCore
internal import FlowLanguage
internal import FlowWire

/// A standing pipeline: it sends to a subject what its pipeline makes, and needs no client.
///
/// It asks the pipeline for what the subject grants, as a publication of a client would be.
final class Run: PipelineOwner {
  enum State {
    case running
    case finished
    case failed(PipelineFailure)
  }

  let name: String
  let standing: StandingPipeline
  private let engine: Engine
  private(set) var state = State.running
  private(set) var values = 0
  private(set) var misses: [DropReason: Int] = [:]
  /// What counts its stages.
  let counters: StageCounters

  private var publication: Publication?
  private var subscriber: RunSubscriber?
  private var context: RunningContext?
  /// The demand not yet met by values: granted by the subject, and asked of the pipeline.
  private(set) var demand = Demand.none

  init(name: String, standing: StandingPipeline, engine: Engine) {
    self.name = name
    self.standing = standing
    self.engine = engine
    counters = StageCounters(count: standing.pipeline.stages.count)
  }

  var label: String { "run=\(name)" }

  /// It has no client.
  var isUnread: Bool { false }

  /// Values that wait for room at the subject.
  var held: Int { publication?.held ?? 0 }

  var isRunning: Bool { if case .running = state { true } else { false } }

  func missed(_ count: Int, _ reason: DropReason) { misses[reason, default: 0] += count }

  /// Subscribes; values may flow before this returns.
  func start() {
    guard let subject = engine.registry.subject(standing.target) else {
      return end(.failed(Self.deleted(standing.target)))
    }
    guard subject.completion == nil else { return end(.failed(Self.completed(subject.name))) }
    let publication = Publication(
      id: 0,
      subject: subject,
      owner: self,
      limit: engine.configuration.grant,
      over: .hold,
      ownsSubject: standing.ending == .subscribe
    )
    self.publication = publication
    subject.add(publication)
    let subscriber = RunSubscriber(self)
    self.subscriber = subscriber
    let context = RunningContext(engine: engine, owner: self, counters: counters)
    self.context = context
    standing.pipeline.publisher(in: context).subscribe(subscriber)
    grant(publication.firstGrant())
  }

  /// Stops it, as DELETE does.
  func stop() {
    for (reason, count) in misses { engine.counters.countMissed(count, reason) }
    subscriber?.cancel()
    subscriber = nil
    letGo()
    let publication = publication
    self.publication = nil
    publication?.leave()
  }

  private static func deleted(_ subject: String) -> PipelineFailure {
    PipelineFailure(code: "deleted", message: "subject \(subject) was deleted")
  }

  private static func completed(_ subject: String) -> PipelineFailure {
    PipelineFailure(code: "completed", message: "subject \(subject) has completed")
  }

  // MARK: Demand

  private func grant(_ count: Demand) {
    guard count != .none, let subscriber else { return }
    demand += count
    subscriber.request(count)
  }

  // MARK: The pipeline

  fileprivate func receive(_ value: Value) -> Subscribers.Demand {
    guard let publication, isRunning else { return .none }
    if let count = demand.max, count > 0 { demand = .max(count - 1) }
    values += 1
    value.withOctets { octets in
      guard octets.count <= engine.configuration.valueLimit else {
        return fail("limit", engine.tooLong(octets.count))
      }
      _ = publication.publish(octets)
    }
    return .none
  }

  fileprivate func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    subscriber = nil
    let publication = publication
    switch completion {
    case .finished: end(.finished)
    case .failure(let failure): end(.failed(failure))
    }
    publication?.end(completion)
  }

  /// Ends it, and its subject if that is passed the end, with an error of its own.
  private func fail(_ code: String, _ message: String) {
    subscriber?.cancel()
    finish(.failure(PipelineFailure(code: code, message: message)))
  }

  private func letGo() {
    context?.leave()
    context = nil
  }

  private func end(_ state: State) {
    guard isRunning else { return }
    self.state = state
    demand = .none
    letGo()
    let (reason, text) =
      if case .failed(let failure) = state { (failure.code, failure.message) } else { ("done", "") }
    engine.note(.stopped(name: name, reason: reason, text: text))
    if case .failed(let failure) = state {
      engine.log("run \(name) failed: \(failure.code) \(failure.message)")
    }
  }
}

extension Run: PublicationOwner {
  func publication(_ publication: Publication, isGranted count: Int) {
    grant(.max(UInt64(count)))
  }

  /// Never happens: a run sends no more than it was granted, and holds what has no room.
  func publication(_ publication: Publication, dropped count: Int) {}

  func publication(_ publication: Publication, isCancelledFor reason: String) {
    subscriber?.cancel()
    subscriber = nil
    let target = standing.target
    end(.failed(reason == "completed" ? Self.completed(target) : Self.deleted(target)))
  }

  func publicationHasRoom(_ publication: Publication) {}

  func forget(_ publication: Publication) { self.publication = nil }
}

/// The end of a run's pipeline.
private final class RunSubscriber: Subscriber {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private weak var run: Run?
  private var subscription: (any Subscription)?
  private var isCancelled = false

  init(_ run: Run) { self.run = run }

  func receive(subscription: any Subscription) {
    guard !isCancelled, self.subscription == nil else { return subscription.cancel() }
    self.subscription = subscription
  }

  func receive(_ input: Value) -> Subscribers.Demand { run?.receive(input) ?? .none }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    subscription = nil
    run?.finish(completion)
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
}

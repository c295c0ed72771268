import FlowCore

/// A stage of FlowCore that lets payloads past it as long as it would only hand them on.
///
/// What the stage has to hold, and what comes when it holds something already, goes through it as a
/// value. It counts what it sends itself.
struct Bypass: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  /// What bounds what is inside the stage.
  enum Inside {
    case nothing
    case values(HeldValues)
    case publishers(MemoryBudget)
  }

  let upstream: Stream
  var inside = Inside.nothing
  let counter: StageCounter?
  /// Whether what follows its upstream may read a subject: then values go through it singly.
  var readsAnew = false
  /// Puts the stage between the two.
  let stage: (Entrance, Exit) -> Void

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    // A retry subscribes anew: what was inside before is gone.
    inside.held?.clear()
    let way = BypassWay(AnySubscriber(subscriber), self)
    stage(Entrance(upstream: upstream, way: way), Exit(way: way))
  }

  /// What the stage subscribes to.
  struct Entrance: Publisher {
    typealias Output = Value
    typealias Failure = PipelineFailure

    fileprivate let upstream: Stream
    fileprivate let way: BypassWay

    func receive<S: Subscriber>(subscriber: S)
    where S.Input == Value, S.Failure == PipelineFailure {
      way.stage = AnySubscriber(subscriber)
      upstream.subscribe(way)
    }
  }

  /// What subscribes to the stage.
  struct Exit: Subscriber {
    typealias Input = Value
    typealias Failure = PipelineFailure

    fileprivate let way: BypassWay

    var combineIdentifier: CombineIdentifier { way.combineIdentifier }

    func receive(subscription: any Subscription) { way.stageSubscribed(subscription) }

    func receive(_ input: Value) -> Subscribers.Demand { way.stageSent(input) }

    func receive(completion: Subscribers.Completion<PipelineFailure>) {
      way.stageEnded(completion)
    }
  }
}

extension Bypass.Inside {
  /// What counts the values inside, where there can be some.
  fileprivate var held: HeldValues? {
    if case .values(let held) = self { held } else { nil }
  }

  /// Whether a value of so many bytes would be kept.
  fileprivate func hasRoom(for bytes: Int) -> Bool {
    switch self {
    case .nothing: true
    case .values(let held): held.hasRoom(for: bytes)
    case .publishers(let memoryBudget): memoryBudget.refusalOfInner == nil
    }
  }
}

/// One subscription of a stage with a bypass, before the stage and behind it: the subscriber of what
/// is before, and the subscription of what is behind.
private final class BypassWay: StageExit, Subscriber, PayloadSource, PayloadReceiver,
  CustomStringConvertible
{
  typealias Input = Value
  typealias Failure = PipelineFailure

  /// The stage as a subscriber, until nothing more can come to it.
  var stage: AnySubscriber<Value, PipelineFailure>?
  private var upstream: _HeldSubscription?
  /// The stage as a subscription, until it ends.
  private var subscription: _HeldSubscription?
  /// The stage, where payloads may go past it.
  private var passable: (any Passable)?
  private let inside: Bypass.Inside
  private let counter: StageCounter?
  private let readsAnew: Bool
  private var isOver = false

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ bypass: Bypass) {
    inside = bypass.inside
    counter = bypass.counter
    readsAnew = bypass.readsAnew
    super.init(downstream)
  }

  var description: String { subscription.map { String(describing: $0.subscription) } ?? "" }

  // MARK: Before the stage

  func receive(subscription: any Subscription) {
    guard !isOver else { return subscription.cancel() }
    upstream = subscription._held
    if receiver != nil { subscription.mayHandPayloads(to: self) }
    // The stage asks its upstream itself.
    stage?.receive(subscription: subscription)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    guard let stage else { return .none }
    do throws(PipelineFailure) {
      try inside.held?.enter(input)
      return stage.receive(input)
    } catch {
      upstream?.cancel()
      receive(completion: .failure(error))
      return .none
    }
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    let stage = stage
    closeEntrance()
    stage?.receive(completion: completion)
  }

  private func closeEntrance() {
    stage = nil
    upstream = nil
  }

  // MARK: Past the stage

  /// The stage may subscribe to what is before it, or to what is behind it, first.
  func handPayloads(to receiver: any PayloadReceiver) {
    guard !readsAnew, let passable = subscription?.subscription as? any Passable, takes(receiver)
    else { return }
    self.passable = passable
    upstream?.subscription.mayHandPayloads(to: self)
  }

  func room(for largest: Int) -> Int {
    guard stage != nil, let passable, let receiver, case let room = passable.room, room > 0,
      inside.hasRoom(for: largest)
    else { return 0 }
    return min(room, receiver.room(for: largest))
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    guard let passable, let receiver else { return .none }
    let count = payloads.places.count
    return passable.letPast(count) { self.count(count) { receiver.receive(payloads) } }
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    guard stage != nil, let passable, let receiver, passable.room > 0,
      inside.hasRoom(for: payload.count)
    else {
      return unsafe receive(Value(bytes: payload))
    }
    return passable.letPast(1) { count(1) { unsafe receiver.receive(payload) } }
  }

  var reach: PayloadReach { receiver?.reach ?? .anywhere }

  func isOnlyWay(in search: Int) -> Bool { receiver?.isOnlyWay(in: search) ?? false }

  // MARK: Behind the stage

  func stageSubscribed(_ subscription: any Subscription) {
    self.subscription = subscription._held
    counter?.holder = subscription as? any ValueHolder
    counter?.begins(self)
    hand(self as any Subscription)
  }

  func stageSent(_ input: Value) -> Subscribers.Demand {
    inside.held?.leave(input)
    return count(1) { hand(input) }
  }

  func stageEnded(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard !isOver else { return }
    close()
    hand(completion)
  }

  func request(_ demand: Subscribers.Demand) {
    guard let subscription else { return }
    counter?.ask(demand)
    subscription.request(demand)
  }

  func cancel() {
    guard let subscription else { return }
    close()
    inside.held?.clear()
    subscription.cancel()
  }

  private func close() {
    isOver = true
    subscription = nil
    passable = nil
    forgetReceiver()
    counter?.end(self)
    closeEntrance()
  }

  @inline(__always)
  private func count(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    counter?.send(count)
    let more = handOn()
    counter?.ask(more)
    return more
  }
}

extension Compiler {
  /// A stage of FlowCore with a bypass, which keeps nothing.
  ///
  /// `make` reads what it is given, and says how to put the stage between the two. A publisher of
  /// `branches` may follow the upstream.
  func passing(
    _ call: StageCall,
    publishes kinds: Kinds? = nil,
    below branches: [Compiled] = [],
    readsAnew: Bool = false,
    make:
      @escaping (inout Locals, any PipelineContext) throws(EvaluationError) -> (
        Bypass.Entrance, Bypass.Exit
      ) -> Void
  ) -> CompiledStage {
    let readsAnew = readsAnew || branches.contains { $0.mentions.readsAny || $0.readsAnew }
    return call.stage(publishes: kinds ?? call.kinds, below: branches) {
      [number = call.number] (upstream, locals, context) throws(EvaluationError) in
      Bypass(
        upstream: upstream,
        counter: number.counter(in: context),
        readsAnew: readsAnew,
        stage: try make(&locals, context)
      )
      .eraseToAnyPublisher()
    }
    .countingItself
  }
}

extension BypassWay: ValueHolder {
  /// What the stage holds.
  var heldCount: Int { (subscription?.subscription as? any ValueHolder)?.heldCount ?? 0 }
  var publisherCount: Int? {
    (subscription?.subscription as? any ValueHolder)?.publisherCount
  }
}

import FlowCore

/// The values of several publishers as they come: `merge`, or a pattern of subjects.
///
/// As FlowCore's, it asks each for one value at a time, or for everything once that is asked of it. It
/// hands on payloads that would not wait.
///
/// Used where the clock runs, as all of a running pipeline is.
struct MergedPublisher: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  var publishers: [Stream] = []
  let memoryBudget: MemoryBudget
  let counter: StageCounter?
  /// Whether one of the publishers may come to read a subject later.
  var readsAnew = false
  /// What is told the name of each value, if anybody asks for it.
  var names: Work?
  /// Gives publishers with their names, then more as they come to be.
  ///
  /// With it, it never ends by itself, and a publisher that ends just leaves.
  var joining: Joining?

  typealias Joining = (@escaping (Stream, String) -> Void) -> AnyCancellable

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    MergedSubscription(AnySubscriber(subscriber), self).begin(publishers, joining)
  }
}

private final class MergedSubscription: StageExit, Subscription, PayloadSource, ValueHolder,
  CustomStringConvertible
{
  // memory 6: touched where the pipeline runs only.
  private(set) var isOver = false
  private let memoryBudget: MemoryBudget
  private let counter: StageCounter?
  private let readsAnew: Bool
  /// The publishers that have not ended, or of which a value waits.
  private var inputs: [MergeInput] = []
  /// Whether all publishers have been subscribed to.
  private var hasAll = false
  /// Whether publishers join it as they come to be.
  private let isOpenEnded: Bool
  private let names: Work?
  private var joining: AnyCancellable?
  private var failure: PipelineFailure?
  /// Values that wait for demand, in order of arrival: one at most of each who was asked for one.
  @safe @exclusivity(unchecked) private var waiting = Fifo<(value: Value, input: MergeInput)>()
  /// Values that may be sent; `Int.max` is no limit.
  private var demand = 0
  /// Whether something is being sent; what comes meanwhile waits.
  private var isSending = false
  /// The search that has come here last.
  private var search = 0

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ publisher: MergedPublisher) {
    memoryBudget = publisher.memoryBudget
    counter = publisher.counter
    readsAnew = publisher.readsAnew
    isOpenEnded = publisher.joining != nil
    names = publisher.names
    super.init(downstream)
  }

  var description: String { "Merge" }

  var heldCount: Int { waiting.count }

  func begin(_ publishers: [Stream], _ joining: MergedPublisher.Joining?) {
    counter?.holder = self
    counter?.begins(self)
    hand(self as any Subscription)
    for publisher in publishers { join(publisher) }
    if let joining, !isOver {
      // What is made later is of no use to one that nobody subscribes to any more.
      self.joining = joining { [weak self] publisher, name in self?.join(publisher, name) }
      if isOver { self.joining = nil }
    }
    hasAll = !isOpenEnded
    settle()
  }

  private func join(_ publisher: Stream, _ name: String? = nil) {
    guard !isOver else { return }
    if isOpenEnded { memoryBudget.charge(MergeInput.cost) }
    let input = MergeInput(self, at: inputs.count)
    if names != nil { input.name = name.map(Value.string) }
    inputs.append(input)
    publisher.subscribe(input)
  }

  // MARK: Downstream

  func request(_ more: Subscribers.Demand) {
    guard !isOver else { return }
    counter?.ask(more)
    let wasUnlimited = isUnlimited
    add(more)
    settle()
    if isUnlimited, !wasUnlimited { for input in inputs { input.requestAll() } }
  }

  var isUnlimited: Bool { demand == .max }

  private func add(_ more: Subscribers.Demand) {
    if more > .none { demand = addDemand(demand, more.max ?? .max) }
  }

  func cancel() {
    guard !isOver else { return }
    close()
  }

  private func close() {
    counter?.end(self)
    let (old, inputs) = (waiting, inputs)
    waiting = Fifo()
    self.inputs = []
    isOver = true
    forgetReceiver()
    joining = nil
    for (value, _) in old.elements { memoryBudget.release(value.footprint) }
    if isOpenEnded { memoryBudget.release(inputs.count * MergeInput.cost) }
    guard inputs.count > MemoryBudget.many else {
      for input in inputs { input.cancel() }
      return
    }
    // Until they are cancelled, their values go nowhere.
    var rest = inputs[...]
    memoryBudget.cancel(each: {
      rest.popFirst()?.cancel()
      return !rest.isEmpty
    })
  }

  // MARK: Values

  /// Takes a value of a publisher; returns how many more that may send.
  func receive(_ value: Value, from input: MergeInput) -> Subscribers.Demand {
    guard mayPass else {
      if !isOver {
        waiting.append((value, input))
        input.waiting += 1
        memoryBudget.charge(value.footprint)
      }
      return .none
    }
    pass(1, of: input) { hand(value) }
    return input.isUnlimited ? .none : .max(1)
  }

  /// Whether a value that came now would be handed on at once.
  private var mayPass: Bool {
    demand > 0 && !isSending && waiting.isEmpty && failure == nil && !isOver
  }

  /// Hands on values for which there is demand, or which are asked for again as they are taken.
  @inline(__always)
  private func send(_ count: Int, of input: MergeInput, _ handOn: () -> Subscribers.Demand) {
    isSending = true
    if demand != .max { demand -= count }
    counter?.send(count)
    let more = if let names { names.naming(input.name, handOn) } else { handOn() }
    counter?.ask(more)
    add(more)
    isSending = false
  }

  @inline(__always)
  private func pass(_ count: Int, of input: MergeInput, _ handOn: () -> Subscribers.Demand) {
    send(count, of: input, handOn)
    // What has come meanwhile.
    if failure != nil || inputs.isEmpty || !waiting.isEmpty { settle() }
  }

  /// Sends what waits, as far as there is demand, then the end if it has come.
  private func settle() {
    guard !isSending else { return }
    while failure == nil, demand > 0, !isOver, let (value, input) = waiting.popFirst() {
      memoryBudget.release(value.footprint)
      send(1, of: input) { hand(value) }
      input.waiting -= 1
      if isOver { return }
      if input.isDone { forget(input) } else { input.requestNext() }
    }
    guard !isOver, failure != nil || (hasAll && inputs.isEmpty) else { return }
    let completion = failure.map { Subscribers.Completion.failure($0) } ?? .finished
    close()
    hand(completion)
  }

  /// A publisher has ended.
  func receive(
    completion: Subscribers.Completion<PipelineFailure>,
    from input: MergeInput
  ) {
    guard !isOver else { return }
    if case .failure(let error) = completion, failure == nil, !isOpenEnded || error.isOfReader {
      failure = error
    }
    forget(input)
    settle()
  }

  /// Takes a publisher out that has ended, if nothing of it waits: the last one gets its place.
  private func forget(_ input: MergeInput) {
    guard input.waiting == 0 else { return }
    if isOpenEnded { memoryBudget.release(MergeInput.cost) }
    let last = inputs.removeLast()
    guard last !== input else { return }
    last.place = input.place
    inputs[input.place] = last
  }

  // MARK: Payloads

  func handPayloads(to receiver: any PayloadReceiver) {
    guard !isOver, takes(receiver) else { return }
    for input in inputs { input.mayHandPayloads() }
  }

  func room(for largest: Int) -> Int { mayPass ? receiver?.room(for: largest) ?? 0 : 0 }

  /// Takes payloads for all of which there is room.
  func receive(_ payloads: Payloads, from input: MergeInput) -> Subscribers.Demand {
    guard let receiver else { return .none }
    let count = payloads.places.count
    pass(count, of: input) { receiver.receive(payloads) }
    return input.isUnlimited ? .none : .max(count)
  }

  func receive(_ payload: UnsafeRawBufferPointer, from input: MergeInput) -> Subscribers.Demand {
    guard mayPass, let receiver else {
      return unsafe receive(Value(bytes: payload), from: input)
    }
    pass(1, of: input) { unsafe receiver.receive(payload) }
    return input.isUnlimited ? .none : .max(1)
  }

  var reach: PayloadReach {
    readsAnew || receiver?.reach ?? .anywhere == .anywhere ? .anywhere : .shared
  }

  func isOnlyWay(in search: Int) -> Bool {
    guard search != self.search, let receiver else { return false }
    self.search = search
    return receiver.reach == .alone || receiver.isOnlyWay(in: search)
  }
}

/// What comes from one of the publishers of a merge.
private final class MergeInput: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let merge: MergedSubscription
  private var upstream: _HeldSubscription?
  /// Whether everything was asked for; otherwise one value at a time.
  private(set) var isUnlimited = false
  private(set) var isDone = false
  /// About what it takes in memory, with its subscription.
  static let cost = 304

  /// Its name, where somebody asks for it.
  var name: Value?
  /// How many of its values wait.
  var waiting = 0
  /// Where the merge has it.
  var place: Int

  init(_ merge: MergedSubscription, at place: Int) {
    self.merge = merge
    self.place = place
  }

  func receive(subscription: any Subscription) {
    guard upstream == nil, !isDone, !merge.isOver else { return subscription.cancel() }
    upstream = subscription._held
    isUnlimited = merge.isUnlimited
    if merge.receiver != nil { mayHandPayloads() }
    subscription.request(isUnlimited ? .unlimited : .max(1))
  }

  func mayHandPayloads() { upstream?.subscription.mayHandPayloads(to: self) }

  func receive(_ input: Value) -> Subscribers.Demand {
    isDone ? .none : merge.receive(input, from: self)
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard !isDone else { return }
    isDone = true
    upstream = nil
    merge.receive(completion: completion, from: self)
  }

  func room(for largest: Int) -> Int { isDone ? 0 : merge.room(for: largest) }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    isDone ? .none : merge.receive(payloads, from: self)
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    isDone ? .none : unsafe merge.receive(payload, from: self)
  }

  var reach: PayloadReach { merge.reach }

  func isOnlyWay(in search: Int) -> Bool { merge.isOnlyWay(in: search) }

  func requestNext() {
    if !isUnlimited { upstream?.request(.max(1)) }
  }

  /// Asks for everything, now that the merge has been.
  func requestAll() {
    guard !isUnlimited, !isDone, let upstream else { return }
    isUnlimited = true
    upstream.request(.unlimited)
  }

  func cancel() {
    isDone = true
    let old = upstream
    upstream = nil
    old?.cancel()
  }
}

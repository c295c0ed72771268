import FlowCore

/// What a stage makes of what comes in.
enum StepResult {
  /// Publish it as it is.
  case pass
  case publish(Value)
  case leaveOut
  /// Publish nothing and ask for nothing in its place: everything was asked for.
  case takeIn
  /// Publish it as it is and finish.
  case last
  case finish
}

/// What a stage does with each value of one subscription; what that costs it charges.
typealias Transform = (Incoming, Work?) throws(PipelineFailure) -> StepResult

/// A stage that looks at one value after the other.
struct Stage: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  let upstream: AnyPublisher<Value, PipelineFailure>
  /// Counts what it sends and what is asked of it.
  var counter: StageCounter?
  /// Whether its step passes everything.
  var passesAll = false
  /// Whether it makes all that it publishes of what it finds in a payload, and passes none on.
  var makesAll = false
  /// What its values are charged to, and may have to wait for.
  var work: Work?
  /// Told of a value that it leaves out since its closure has no answer for it; a stage without it fails.
  var leave: ((LeftOut) -> Void)?
  /// What it makes of a failure of its upstream.
  var mapFailure: ((PipelineFailure) -> PipelineFailure)?
  /// What it publishes when its upstream has finished, if anything.
  var result: (() -> Value?)?
  /// Makes the step of a new subscription.
  let step: () -> Transform

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    upstream.subscribe(TransformSubscriber(AnySubscriber(subscriber), self))
  }
}

private final class TransformSubscriber: StageExit, Subscriber, PayloadSource, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private let step: Transform
  private var upstream: _HeldSubscription?
  private let counter: StageCounter?
  private let passesAll: Bool
  private let makesAll: Bool
  private let work: Work?
  private let leave: ((LeftOut) -> Void)?
  private let mapFailure: ((PipelineFailure) -> PipelineFailure)?
  private let result: (() -> Value?)?
  /// The values that wait for a later turn, if there are some.
  private var line: ValueLine?
  private var ended = false

  init(_ downstream: AnySubscriber<Value, PipelineFailure>, _ stage: Stage) {
    counter = stage.counter
    passesAll = stage.passesAll
    makesAll = stage.makesAll
    work = stage.work
    leave = stage.leave
    mapFailure = stage.mapFailure
    result = stage.result
    step = stage.step()
    super.init(downstream)
  }

  func receive(subscription: any Subscription) {
    upstream = subscription._held
    counter?.begins(self)
    hand(self as any Subscription)
    // It takes payloads, too, where what is behind it does not: it passes on none.
    if makesAll, receiver == nil { upstream?.subscription.mayHandPayloads(to: self) }
  }

  func handPayloads(to receiver: any PayloadReceiver) {
    guard takes(receiver) else { return }
    upstream?.subscription.mayHandPayloads(to: self)
  }

  func request(_ demand: Subscribers.Demand) {
    guard let upstream else { return }
    counter?.ask(demand)
    upstream.request(demand)
  }

  func cancel() {
    ended = true
    line = nil
    counter?.end(self)
    let old = upstream
    upstream = nil
    old?.cancel()
  }

  // MARK: Values

  func receive(_ input: Value) -> Subscribers.Demand { handle(.value(input)) }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    unsafe handle(.payload(payload))
  }

  func room(for largest: Int) -> Int {
    passesAll && !ended ? receiver?.room(for: largest) ?? 0 : 0
  }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    count(payloads.places.count) { receiver?.receive(payloads) ?? .none }
  }

  var reach: PayloadReach { receiver?.reach ?? .anywhere }

  func isOnlyWay(in search: Int) -> Bool { receiver?.isOnlyWay(in: search) ?? false }

  private func handle(_ input: Incoming) -> Subscribers.Demand {
    guard !ended else { return .none }
    if let work, work.hasToWait || line != nil {
      letWait(input.value, work)
      return .none
    }
    return process(input)
  }

  @inline(__always)
  private func process(_ input: Incoming) -> Subscribers.Demand {
    do {
      switch try step(input, work) {
      case .pass: return send(input)
      case .publish(let value): return count(1) { hand(value) }
      case .leaveOut: return .max(1)
      case .takeIn: return .none
      case .last:
        _ = send(input)
        end(.finished)
      case .finish: end(.finished)
      }
    } catch {
      return fail(error, at: input)
    }
    return .none
  }

  /// Leaves out the value if the failure is about that alone, and asks for another; ends otherwise.
  @inline(never)
  private func fail(_ failure: PipelineFailure, at input: Incoming) -> Subscribers.Demand {
    guard let leave, let leftOut = failure.leftOut(input.value) else {
      end(.failure(failure))
      return .none
    }
    leave(leftOut)
    return ended ? .none : .max(1)
  }

  private func send(_ input: Incoming) -> Subscribers.Demand {
    switch input {
    case .value(let value): count(1) { hand(value) }
    case .payload(let payload): count(1) { unsafe receiver?.receive(payload) ?? .none }
    }
  }

  @inline(__always)
  private func count(_ count: Int, _ handOn: () -> Subscribers.Demand) -> Subscribers.Demand {
    // Not bound to a name, which would hold it over the call.
    counter?.send(count)
    let more = handOn()
    counter?.ask(more)
    return more
  }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    guard !ended else { return }
    if let line {
      line.completion = completion
      upstream = nil
      return
    }
    ended = true
    counter?.end(self)
    upstream = nil
    switch completion {
    case .finished:
      if let value = result?() { _ = hand(value) }
      hand(.finished)
    case .failure(let failure): hand(.failure(mapFailure?(failure) ?? failure))
    }
  }

  // MARK: Values that wait

  private func letWait(_ value: Value, _ work: Work) {
    let name = work.nameOfSource
    if let line { return line.append(value, name, or: end) }
    let line = ValueLine(work.memoryBudget)
    self.line = line
    counter?.holder = line
    work.wait { self.resume() }
    line.append(value, name, or: end)
  }

  /// Takes what waits, as far as the turn allows, and then the end.
  private func resume() {
    guard let work, let line, !ended else { return }
    repeat {
      guard let (value, name) = line.next() else { break }
      work.delivered(0)
      let more = work.naming(name) { process(.value(value)) }
      if ended { return }
      if more > .none, let upstream { upstream.request(more) }
      if ended { return }
    } while !work.hasToWait
    guard line.isEmpty else { return work.wait { self.resume() } }
    self.line = nil
    counter?.holder = nil
    if let completion = line.completion { receive(completion: completion) }
  }

  private func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard !ended else { return }
    ended = true
    line = nil
    counter?.end(self)
    upstream?.cancel()
    upstream = nil
    hand(completion)
  }
}

/// Values that wait in front of a stage, and the end behind them.
private final class ValueLine: ValueHolder {
  private var values = Fifo<(value: Value, name: Value?)>()
  private let held: HeldValues?
  var completion: Subscribers.Completion<PipelineFailure>?

  var isEmpty: Bool { values.isEmpty }
  var heldCount: Int { values.count }

  init(_ memoryBudget: MemoryBudget?) {
    held = memoryBudget.map { HeldValues(of: "what waits for its turn", in: $0) }
  }

  /// Appends a value with its name; if that is too much, says that it ends.
  func append(
    _ value: Value,
    _ name: Value?,
    or end: (Subscribers.Completion<PipelineFailure>) -> Void
  ) {
    do throws(PipelineFailure) {
      try held?.enter(value)
      values.append((value, name))
    } catch {
      end(.failure(error))
    }
  }

  func next() -> (value: Value, name: Value?)? {
    guard let next = values.popFirst() else { return nil }
    held?.leave(next.value)
    return next
  }
}

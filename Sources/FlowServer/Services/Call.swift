package import FlowCore
package import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// A call of a service: the subscription to an inner publisher whose values a worker sends.
///
/// Values beyond the pipeline's demand wait in an inbox; while it is full the worker's connection
/// is not read.
package final class Call: Subscription, CustomStringConvertible {
  package let argument: Value
  private let name: String
  private unowned let engine: Engine
  private var subscriber: AnySubscriber<Value, PipelineFailure>?
  private var place = Place.nowhere

  // Its neighbours in the list of waiting calls.
  var next: Call?
  // memory 3
  @safe unowned(unsafe) var previous: Call?  // the list holds it: it is before this one

  /// The pipeline's demand; `Int.max` is no limit.
  private var wanted = 0
  /// The part of `wanted` that the worker was not told.
  private var untold = 0
  private(set) var values = 0
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) private var inbox: CallInbox
  /// The completion that follows once the inbox is empty.
  private var end: Subscribers.Completion<PipelineFailure>?
  private var isDelivering = false
  private var isScheduled = false

  private enum Place {
    /// Not made yet, or over.
    case nowhere
    case waiting(Service)
    case running(Worker, UInt64)
    /// A worker of another server has it.
    case elsewhere(any CallOffer, Service)
  }

  /// Offers the waiting call to other servers.
  @safe @exclusivity(unchecked) package var offer: (any CallOffer)?  // memory 6
  /// Whether it came from another server, so that it is not offered again.
  let isTaken: Bool

  package init(
    _ argument: Value,
    of name: String,
    in engine: Engine,
    for memoryBudget: MemoryBudget,
    isTaken: Bool = false,
    subscriber: AnySubscriber<Value, PipelineFailure>
  ) {
    self.isTaken = isTaken
    self.argument = argument
    self.name = name
    self.engine = engine
    inbox = CallInbox(memoryBudget)
    self.subscriber = subscriber
  }

  package var description: String { "ask(\(name))" }

  var demand: Demand { wanted == .max ? .unlimited : .max(UInt64(wanted)) }

  /// The stream or run of the calling pipeline; nil if that is on another server.
  var owner: (any PipelineOwner)? { (inbox.memoryBudget as? RunningContext)?.served }

  var held: Int { inbox.count }

  /// Makes the call, unless it is already cancelled.
  package func begin() {
    guard subscriber != nil else { return }
    let service = engine.services.service(name, in: engine)
    place = .waiting(service)
    service.submit(self)
  }

  package func request(_ demand: Subscribers.Demand) {
    precondition(demand > 0, "demand is 0, expected 1 or more")
    guard subscriber != nil else { return }
    want(demand)
    deliverHeld()
  }

  package func cancel() {
    guard subscriber != nil else { return }
    subscriber = nil
    end = nil
    inbox.removeAll()
    let old = place
    place = .nowhere
    withdrawOffer()
    switch old {
    case .nowhere: break
    case .waiting(let service): service.withdraw(self)
    case .elsewhere(let offer, let service):
      offer.cancel()
      service.leftElsewhere()
    case .running(let worker, let number):
      worker.cancel(number)
      worker.client?.endWait(.credit)
    }
  }

  private func want(_ demand: Subscribers.Demand) {
    guard wanted != .max, demand > 0 else { return }
    wanted = addDemand(wanted, demand.max ?? .max)
    untold = wanted == .max ? .max : untold + (demand.max ?? 0)
    guard !isScheduled else { return }
    switch place {
    case .nowhere, .waiting: break
    case .running(let worker, _):
      isScheduled = true
      worker.client?.scheduleRequest(by: self)
    case .elsewhere(let offer, _):
      isScheduled = true
      offer.scheduleRequest()
    }
  }

  func given(to worker: Worker, as number: UInt64) {
    withdrawOffer()
    place = .running(worker, number)
    sendRequest()
  }

  private func withdrawOffer() {
    guard let offer = offer.take() else { return }
    offer.withdraw()
  }

  /// The service in whose queue it waits.
  package var waitsFor: Service? { if case .waiting(let service) = place { service } else { nil } }

  /// Gives the call to a worker of another server; returns false if it no longer waits.
  package func goElsewhere(_ offer: any CallOffer) -> Bool {
    guard case .waiting(let service) = place, self.offer === offer else { return false }
    self.offer = nil
    place = .elsewhere(offer, service)
    service.giveElsewhere(self)
    return true
  }

  /// Makes the call wait again, because no worker elsewhere has seen it.
  package func comesBack(unsent count: Int) {
    guard case .elsewhere(let offer, let service) = place else { return }
    if untold != .max { untold = addDemand(untold, count) }
    self.offer = offer
    place = .waiting(service)
    service.takeBack(self)
  }

  /// Returns new demand for the worker elsewhere, at most `room`, to keep what comes small.
  package func request(atMost room: Int) -> Int {
    isScheduled = false
    let more = min(untold, room)
    if untold != .max { untold -= more }
    return more
  }

  /// Sends new demand to the worker.
  func sendRequest() {
    isScheduled = false
    guard untold > 0, case .running(let worker, let number) = place else { return }
    worker.request(number, untold == .max ? .unlimited : .max(UInt64(untold)))
    untold = 0
  }

  package enum Outcome {
    case delivered
    case held
    /// The inbox is full; do not read the worker until there is room.
    case full
  }

  package func receive(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    if wanted > 0, inbox.count == 0, !isDelivering {
      unsafe deliver(Value(bytes: bytes))
      return .delivered
    }
    let limits = engine.configuration.demand
    guard inbox.count < limits.grant,
      inbox.count == 0 || inbox.bytes + bytes.count <= limits.inboxLimit
    else { return .full }
    if case .running(let worker, _) = place, let account = worker.client?.charged {
      guard account.hasRoom(for: CallInbox.size(bytes.count)) else { return .full }
      inbox.account = account
    }
    unsafe inbox.append(bytes)
    return .held
  }

  private func deliver(_ value: Value) {
    if wanted != .max { wanted -= 1 }
    values += 1
    isDelivering = true
    let more = subscriber?.receive(value) ?? .none
    isDelivering = false
    if subscriber != nil { want(more) }
    deliverHeld()
  }

  private func deliverHeld() {
    guard !isDelivering else { return }
    if inbox.count > 0, wanted > 0 {
      if case .running(let worker, _) = place { worker.client?.endWait(.credit) }
      isDelivering = true
      while wanted > 0, let subscriber, let value = inbox.popFirst() {
        if wanted != .max { wanted -= 1 }
        values += 1
        want(subscriber.receive(value))
      }
      isDelivering = false
    }
    if inbox.count == 0, let end { finish(end) }
  }

  /// Ends the call for the worker; waiting values go out before the end.
  package func end(_ completion: Subscribers.Completion<PipelineFailure>) {
    switch place {
    case .running(let worker, let number):
      place = .nowhere
      worker.ended(number)
    case .elsewhere(_, let service):
      place = .nowhere
      service.leftElsewhere()
    case .nowhere, .waiting: break
    }
    finishWhenTaken(completion)
  }

  /// Fails the call because its worker is gone.
  package func lost() {
    if case .elsewhere(_, let service) = place { service.leftElsewhere() }
    place = .nowhere
    let text = "the worker of \(name) has stopped or disconnected"
    finishWhenTaken(.failure(PipelineFailure(.workerLost, text)))
  }

  private func finishWhenTaken(_ completion: Subscribers.Completion<PipelineFailure>) {
    guard subscriber != nil else { return }
    end = completion
    deliverHeld()
  }

  private func finish(_ completion: Subscribers.Completion<PipelineFailure>) {
    end = nil
    place = .nowhere
    let subscriber = subscriber
    self.subscriber = nil
    subscriber?.receive(completion: completion)
  }
}

internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// What pipelines call by a name: the workers that answer it, and the calls that wait for one.
///
/// The worker with most spare demand gets the next call; of several, the one that was given none
/// for longest.
final class Service {
  let name: String
  private unowned let engine: Engine
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) private(set) var workers: [Worker] = []
  @safe @exclusivity(unchecked) private var ready = WorkerHeap()
  @safe @exclusivity(unchecked) private var waiting = CallList()
  private var turns: UInt64 = 0
  /// Calls that workers are at.
  private(set) var running = 0
  /// Calls that workers of other servers are at.
  private(set) var elsewhere = 0
  /// Whether it is known that calls of other servers can be taken, or no more.
  var isNoted = false
  /// Calls that workers ended, with DONE or FAIL.
  private(set) var answered = 0

  init(name: String, engine: Engine) {
    self.name = name
    self.engine = engine
  }

  /// Calls that its workers take more.
  var demand: Demand { workers.reduce(.none) { $0 + $1.demand } }

  deinit {
    // One by one: the calls hold each other.
    while let call = waiting.first { waiting.remove(call) }
  }

  /// Calls that wait for a worker.
  var waitingCount: Int { waiting.count }
  /// The call that has waited longest; `next` leads to the others.
  var firstWaiting: Call? { waiting.first }

  /// Lets go of the name if there is nothing left to know about it.
  func forgetIfUnused() {
    guard workers.isEmpty, waiting.count == 0, running == 0, elsewhere == 0 else { return }
    engine.services.forget(self)
    engine.stores.calls?.note(self)
  }

  // MARK: Workers

  func add(_ worker: Worker) {
    worker.slot = workers.count
    workers.append(worker)
  }

  func remove(_ worker: Worker) {
    ready.remove(worker)
    let last = workers.removeLast()
    if last !== worker {
      workers[worker.slot] = last
      last.slot = worker.slot
    }
  }

  /// A worker's demand or the room on its connection has changed: it may get what waits.
  func changed(_ worker: Worker) {
    place(worker)
    while let call = waiting.first, let worker = ready.first {
      waiting.remove(call)
      give(call, to: worker)
    }
    engine.stores.calls?.note(self)
  }

  /// How many calls more its workers can take now, at most `limit`.
  func spare(atMost limit: Int) -> Int {
    var count = 0
    for worker in workers where worker.isReady {
      count = min(limit, addDemand(count, worker.spare))
      if count == limit { break }
    }
    return count
  }

  private func place(_ worker: Worker) {
    if worker.isReady {
      ready.update(worker)
    } else {
      ready.remove(worker)
      worker.scheduleIfFull()
    }
  }

  private func give(_ call: Call, to worker: Worker) {
    turns += 1
    worker.turn = turns
    running += 1
    worker.give(call)
    place(worker)
  }

  // MARK: Calls

  /// Hands a call to a worker, or lets it wait for one.
  func submit(_ call: Call) {
    if waiting.count == 0, let worker = ready.first {
      give(call, to: worker)
    } else if waiting.count < engine.configuration.waitingCallLimit {
      waiting.append(call)
      if !call.isTaken { engine.stores.calls?.waits(call, at: self) }
    } else {
      let text = "the limit of \(waiting.count) waiting calls of \(name) is reached"
      call.end(.failure(PipelineFailure(.limit, text)))
    }
  }

  /// Forgets a call that waits.
  func withdraw(_ call: Call) {
    waiting.remove(call)
    forgetIfUnused()
  }

  /// A worker of another server takes a call that waits.
  func giveElsewhere(_ call: Call) {
    waiting.remove(call)
    elsewhere += 1
  }

  /// A call waits again that no worker of another server has seen.
  func takeBack(_ call: Call) {
    elsewhere -= 1
    if let worker = ready.first { give(call, to: worker) } else { waiting.append(call) }
  }

  /// A call is over that a worker of another server had.
  func leftElsewhere() {
    elsewhere -= 1
    forgetIfUnused()
  }

  /// A worker is done with a call, or gone.
  func left(answered isAnswered: Bool) {
    running -= 1
    if isAnswered {
      answered += 1
      engine.counters.calls += 1
    }
    forgetIfUnused()
  }
}

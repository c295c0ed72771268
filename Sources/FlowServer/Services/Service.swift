internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects
internal import FlowWire

/// A service that pipelines call by name: its workers, and the calls that wait.
///
/// The worker with most spare demand gets the next call; among equals, the one that has had none
/// for longest.
package final class Service {
  package let name: String
  private unowned let engine: Engine
  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) private(set) var workers: [Worker] = []
  @safe @exclusivity(unchecked) private var ready = WorkerHeap()
  @safe @exclusivity(unchecked) private var waiting = CallList()
  private var turns: UInt64 = 0
  /// Calls that workers are answering.
  private(set) var running = 0
  /// Calls that workers of other servers are answering.
  private(set) var elsewhere = 0
  /// Whether the exchange already knows of changed capacity.
  package var isChanged = false
  /// Calls that ended with DONE or FAIL.
  private(set) var answered = 0

  init(name: String, engine: Engine) {
    self.name = name
    self.engine = engine
  }

  /// The workers' demand for calls.
  var demand: Demand { workers.reduce(.none) { $0 + $1.demand } }

  deinit {
    // One by one: releasing the list at once would recurse.
    while let call = waiting.first { waiting.remove(call) }
  }

  package var hasWorkers: Bool { !workers.isEmpty }

  var waitingCount: Int { waiting.count }
  /// The oldest waiting call; `next` leads to the others.
  var firstWaiting: Call? { waiting.first }

  /// Removes the service if it has neither workers nor calls.
  func forgetIfUnused() {
    guard !hasWorkers, waiting.count == 0, running == 0, elsewhere == 0 else { return }
    engine.services.forget(self)
    engine.stores.calls?.capacityChanged(of: self)
  }

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

  /// Offers waiting calls to a worker whose demand or output has changed.
  func changed(_ worker: Worker) {
    place(worker)
    while let call = waiting.first, let worker = ready.first {
      waiting.remove(call)
      give(call, to: worker)
    }
    engine.stores.calls?.capacityChanged(of: self)
  }

  /// How many more calls its workers can take now, at most `limit`.
  package func spare(atMost limit: Int) -> Int {
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

  /// Gives a call to a worker, or queues it.
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

  func withdraw(_ call: Call) {
    waiting.remove(call)
    forgetIfUnused()
  }

  /// Gives a waiting call to a worker of another server.
  func giveElsewhere(_ call: Call) {
    waiting.remove(call)
    elsewhere += 1
  }

  /// Queues a call again that no worker of another server has seen.
  func takeBack(_ call: Call) {
    elsewhere -= 1
    if let worker = ready.first { give(call, to: worker) } else { waiting.append(call) }
  }

  /// Counts the end of a call on another server.
  func leftElsewhere() {
    elsewhere -= 1
    forgetIfUnused()
  }

  /// Counts the end of a call on this server.
  func left(answered isAnswered: Bool) {
    running -= 1
    if isAnswered {
      answered += 1
      engine.counters.calls += 1
    }
    forgetIfUnused()
  }
}

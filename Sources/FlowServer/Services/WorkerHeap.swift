/// A heap of the workers that can take a call; the next one is first.
struct WorkerHeap {
  private var workers: [Worker] = []

  var first: Worker? { workers.first }

  /// Inserts a worker, or moves it to its new place.
  mutating func update(_ worker: Worker) {
    if worker.place < 0 {
      worker.place = workers.count
      workers.append(worker)
    }
    rise(from: worker.place)
    sink(from: worker.place)
  }

  mutating func remove(_ worker: Worker) {
    let place = worker.place
    guard place >= 0 else { return }
    swap(place, workers.count - 1)
    workers.removeLast()
    worker.place = -1
    guard place < workers.count else { return }
    rise(from: place)
    sink(from: place)
  }

  private mutating func rise(from start: Int) {
    var place = start
    while place > 0, workers[place].precedes(workers[(place - 1) / 2]) {
      swap(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func sink(from start: Int) {
    var place = start
    while true {
      var best = place
      for child in 2 * place + 1...2 * place + 2
      where child < workers.count && workers[child].precedes(workers[best]) {
        best = child
      }
      guard best != place else { return }
      swap(place, best)
      place = best
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    workers.swapAt(a, b)
    workers[a].place = a
    workers[b].place = b
  }
}

extension Worker {
  /// Whether this worker gets the next call before `other`.
  fileprivate func precedes(_ other: Worker) -> Bool {
    spare == other.spare ? turn < other.turn : spare > other.spare
  }
}

import Dispatch
import Measure

/// The scenarios, in words that both engines understand.
nonisolated(unsafe) public let scenarios =
  [floor, request] + fromSequences + flatMaps + fromSubjects + buffers + others + everyday

/// What a sink costs by itself.
nonisolated(unsafe) private let floor = Scenario("floor: a closure called in a loop") { n in
  let total = Total()
  call(n) { total.value ^= $0 }
  return total.take()
}

/// What it costs to ask: a puller copies its subscription, and calls it.
nonisolated(unsafe) private let request = Scenario("floor: a request that nobody answers") { n in
  let total = Total()
  let puller = Puller(total)
  puller.receive(subscription: Idle())
  for _ in 0..<n { puller.request(1) }
  return total.take()
}

private final class Idle: Subscription {
  func request(_ demand: Subscribers.Demand) {}
  func cancel() {}
}

@inline(never)
private func call(_ count: Int, _ closure: (Int) -> Void) {
  for value in 1...count { closure(value) }
}

nonisolated(unsafe) private let fromSequences = [
  ofSequence("sequence-map-filter") {
    (1...$0).publisher.map { $0 &* 2 &+ 1 }.filter { $0 & 6 != 0 }
  },
  ofSequence("sequence-scan") { (1...$0).publisher.scan(0, &+) },
  ofSequence("sequence-5-erased-maps") { n in
    var publisher = (1...n).publisher.eraseToAnyPublisher()
    for _ in 0..<5 { publisher = publisher.map { $0 &+ 1 }.eraseToAnyPublisher() }
    return publisher
  },
  ofSequence("sequence-compactMap") {
    (1...$0).publisher.compactMap { $0 & 7 == 0 ? nil : $0 &+ 1 }
  },
  ofSequence("sequence-map×10") { tenMaps((1...$0).publisher) },
]

nonisolated(unsafe) private let flatMaps = [
  ofSequence("flatMap { Just }") { (1...$0).publisher.flatMap { Just($0 ^ 5) } },
  ofSequence("flatMap(max 1) { Just }") {
    (1...$0).publisher.flatMap(maxPublishers: .max(1)) { Just($0 ^ 5) }
  },
  ofSequence("flatMap(max 3) { Just }") {
    (1...$0).publisher.flatMap(maxPublishers: .max(3)) { Just($0 ^ 5) }
  },
  ofSequence("flatMap(max 16) { Just }") {
    (1...$0).publisher.flatMap(maxPublishers: .max(16)) { Just($0 ^ 5) }
  },
  ofSequence("flatMap { 1000 values }") {
    (0..<$0 / 1000).publisher.flatMap { (start: Int) in thousand(start) }
  },
  ofSequence("flatMap(max 3) { 5 values }") {
    (0..<$0 / 5).publisher.flatMap(maxPublishers: .max(3)) { (start: Int) in five(start) }
  },
  // It asks its upstream for everything, so pulled, a sequence would come to its last one at once.
  ofSequence("switchToLatest { 1000 values }", isPulled: false) {
    (0..<$0 / 1000).publisher.map { (start: Int) in thousand(start) }.switchToLatest()
  },
]

nonisolated(unsafe) private let fromSubjects = [
  ofSubject("subject") { $0 },
  ofSubject("subject-map") { $0.map { $0 &* 2 &+ 1 } },
  ofSubject("subject-map×10") { tenMaps($0) },
  ofSubject("subject-flatMap { Just }") { $0.flatMap { Just($0) } },
  ofSubject("subject-flatMap(max 3) { Just }") { $0.flatMap(maxPublishers: .max(3)) { Just($0) } },
  ofSubject("subject-switchToLatest { Just }") { $0.map { Just($0) }.switchToLatest() },
  of("current value-map", CurrentValueSubject<Int, Never>(0)) {
    $0.map { $0 &* 2 &+ 1 }
  } send: {
    $0.send($1)
  },
  Scenario("subject, demand returned 1 by 1") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    subject.subscribe(OneByOne(total))
    for value in 1...n { subject.send(value) }
    subject.send(completion: .finished)
    return total.take()
  },
  Scenario("subject fan-out to 100") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let links = (0..<100).map { _ in subject.sink { total.value &+= $0 } }
    for value in 1...n / 100 { subject.send(value) }
    for link in links { link.cancel() }
    return total.take()
  },
  Scenario("4 threads into one subject") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let link = subject.sink { total.value &+= $0 }
    let box = Unchecked(subject)
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for value in 1...n / 4 { box.value.send(value) }
    }
    link.cancel()
    return total.take()
  },
]

nonisolated(unsafe) private let buffers = [
  ofSubject("subject-buffer(1024, .byRequest, .dropOldest)", isHeld: true) {
    $0.buffer(size: 1024, prefetch: .byRequest, whenFull: .dropOldest)
  },
  ofSubject("subject-buffer(128, .keepFull)", isHeld: true) {
    $0.buffer(size: 128, prefetch: .keepFull, whenFull: .dropOldest)
  },
  ofSubject("subject-buffer-flatMap(max 3) { Just }", isHeld: true) {
    $0.buffer(size: 1024, prefetch: .byRequest, whenFull: .dropOldest)
      .flatMap(maxPublishers: .max(3)) { Just($0) }
  },
]

nonisolated(unsafe) private let others = [
  Scenario("receive(on:)") { n in
    let total = Total()
    let done = DispatchSemaphore(value: 0)
    let link = onQueue(n).sink { _ in
      done.signal()
    } receiveValue: {
      total.value ^= $0
    }
    done.wait()
    link.cancel()
    return total.take()
  } pulled: { n, size in
    let total = Total()
    let done = DispatchSemaphore(value: 0)
    let puller = Puller(total)
    onQueue(n).handleEvents(receiveCompletion: { _ in done.signal() }).subscribe(puller)
    for _ in 0...n / size { puller.request(size) }
    done.wait()
    return total.take()
  },
  ofPair("zip (pair)") { $0.zip($1).map { $0 &* $1 } },
  ofPair("zip of 3") { $0.zip($1, $0).map { $0 &* $1 &+ $2 } },
  Scenario("subscribe and cancel") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    for _ in 0..<n {
      let link = subject.map { $0 &+ 1 }.filter { $0 > 0 }.sink { total.value &+= $0 }
      link.cancel()
    }
    return total.take()
  },
]

private func onQueue(_ n: Int) -> some Publisher<Int, Never> {
  (1...n).publisher.receive(on: scheduler(DispatchQueue(label: "benchmark")))
}

@inline(__always)
private func tenMaps<P: Publisher>(_ source: P) -> some Publisher<Int, Never>
where P.Output == Int, P.Failure == Never {
  let half = source.map { $0 &+ 1 }.map { $0 &* 3 }.map { $0 &+ 2 }.map { $0 ^ 5 }.map { $0 &- 3 }
  return half.map { $0 &+ 7 }.map { $0 &* 5 }.map { $0 &- 4 }.map { $0 ^ 9 }.map { $0 &+ 8 }
}

private func five(_ start: Int) -> Publishers.Sequence<Range<Int>, Never> {
  (start..<start + 5).publisher
}

private func thousand(_ start: Int) -> Publishers.Sequence<Range<Int>, Never> {
  (start..<start + 1000).publisher
}

/// What things cost to have.
nonisolated(unsafe) public let holdings = [
  Holding("a live subscription, bytes") { n in
    let subject = PassthroughSubject<Int, Never>()
    return (subject, (0..<n).map { _ in subject.map { $0 &+ 1 }.filter { $0 > 0 }.sink { _ in } })
  }
]

/// Asks for one value at a time, with the answer to each.
private final class OneByOne: Subscriber {
  private let total: Total

  init(_ total: Total) { self.total = total }

  func receive(subscription: any Subscription) { subscription.request(.max(1)) }

  func receive(_ input: Int) -> Subscribers.Demand {
    total.value &+= input
    return .max(1)
  }

  func receive(completion: Subscribers.Completion<Never>) {}
}

/// Carries to other threads what is safe there: a subject.
private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}

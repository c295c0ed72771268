import Dispatch
import Measure

/// The scenarios, in words that both engines understand.
nonisolated(unsafe) public let scenarios =
  fromSequences + flatMaps + fromSubjects + others + everyday

nonisolated(unsafe) private let fromSequences = [
  Scenario("sequence-map-filter-sink") { n in
    let total = Total()
    let link = (1...n).publisher
      .map { $0 &* 2 &+ 1 }
      .filter { $0 & 6 != 0 }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("sequence-scan-sink") { n in
    let total = Total()
    let link = (1...n).publisher.scan(0, &+).sink { total.value ^= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("sequence-5-erased-maps-sink") { n in
    let total = Total()
    var publisher = (1...n).publisher.eraseToAnyPublisher()
    for _ in 0..<5 { publisher = publisher.map { $0 &+ 1 }.eraseToAnyPublisher() }
    let link = publisher.sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("sequence-compactMap-sink") { n in
    let total = Total()
    let link = (1...n).publisher.compactMap { $0 & 7 == 0 ? nil : $0 &+ 1 }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("sequence-map×10-sink") { n in
    let total = Total()
    let link = sinkBehindTenMaps((1...n).publisher, total)
    link.cancel()
    return total.take()
  },
]

// The optimiser sums plain numbers up by a formula: so these are not plain.
nonisolated(unsafe) private let flatMaps = [
  Scenario("flatMap { Just }") { n in
    let total = Total()
    let link = (1...n).publisher.flatMap { Just($0 ^ 5) }.sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap(max 3) { Just }") { n in
    let total = Total()
    let link = (1...n).publisher
      .flatMap(maxPublishers: .max(3)) { Just($0 ^ 5) }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap { 1000 values }") { n in
    let total = Total()
    let link = (0..<n / 1000).publisher
      .flatMap { (start: Int) in thousand(start) }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap(max 1) { Just }") { n in
    let total = Total()
    let link = (1...n).publisher
      .flatMap(maxPublishers: .max(1)) { Just($0 ^ 5) }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap(max 16) { Just }") { n in
    let total = Total()
    let link = (1...n).publisher
      .flatMap(maxPublishers: .max(16)) { Just($0 ^ 5) }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap(max 3) { 5 values }") { n in
    let total = Total()
    let starts = (0..<n / 5).publisher
    let link =
      starts
      .flatMap(maxPublishers: .max(3)) { five($0) }
      .sink { (value: Int) in total.value &+= value }
    link.cancel()
    return total.take()
  },
]

nonisolated(unsafe) private let fromSubjects = [
  Scenario("subject-map-sink") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let link = subject.map { $0 &* 2 &+ 1 }.sink { total.value &+= $0 }
    for value in 1...n { subject.send(value) }
    link.cancel()
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
  Scenario("subject, demand 1 by 1") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    subject.subscribe(OneByOne(total))
    for value in 1...n { subject.send(value) }
    subject.send(completion: .finished)
    return total.take()
  },
  Scenario("current value-map-sink") { n in
    let total = Total()
    let subject = CurrentValueSubject<Int, Never>(0)
    let link = subject.map { $0 &* 2 &+ 1 }.sink { total.value &+= $0 }
    for value in 1...n { subject.send(value) }
    link.cancel()
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
  Scenario("subject-map×10-sink") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let link = sinkBehindTenMaps(subject, total)
    for value in 1...n { subject.send(value) }
    link.cancel()
    return total.take()
  },
  Scenario("subject-buffer(1024), demand in 64s") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let buffer = subject.buffer(size: 1024, prefetch: .byRequest, whenFull: .dropOldest)
    buffer.subscribe(InBatches(of: 64, total))
    for value in 1...n { subject.send(value) }
    subject.send(completion: .finished)
    return total.take()
  },
]

nonisolated(unsafe) private let others = [
  Scenario("receive(on:)") { n in
    let total = Total()
    let queue = DispatchQueue(label: "benchmark")
    let done = DispatchSemaphore(value: 0)
    let link = (1...n).publisher.receive(on: scheduler(queue))
      .sink { _ in
        done.signal()
      } receiveValue: {
        total.value &+= $0
      }
    done.wait()
    link.cancel()
    return total.take()
  },
  Scenario("zip (pair)") { n in
    let total = Total()
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let link = a.zip(b).sink { total.value &+= $0 &* $1 }
    for value in 1...n {
      a.send(value)
      b.send(value)
    }
    link.cancel()
    return total.take()
  },
  Scenario("switchToLatest, 1000 each") { n in
    let total = Total()
    let link = (0..<n / 1000).publisher
      .map { (start: Int) in thousand(start) }
      .switchToLatest()
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("switchToLatest { Just }") { n in
    let total = Total()
    let link = (1...n).publisher.map { Just($0) }.switchToLatest().sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
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

private func sinkBehindTenMaps<P: Publisher>(_ source: P, _ total: Total) -> AnyCancellable
where P.Output == Int, P.Failure == Never {
  let half = source.map { $0 &+ 1 }.map { $0 &* 3 }.map { $0 &+ 2 }.map { $0 ^ 5 }.map { $0 &- 3 }
  return half.map { $0 &+ 7 }.map { $0 &* 5 }.map { $0 &- 4 }.map { $0 ^ 9 }.map { $0 &+ 8 }
    .sink { total.value &+= $0 }
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

/// Asks for a number of values at once, each time they have all come.
private final class InBatches: Subscriber {
  private let size: Int
  private let total: Total
  private var subscription: (any Subscription)?
  private var left = 0

  init(of size: Int, _ total: Total) {
    self.size = size
    self.total = total
  }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    left = size
    subscription.request(.max(size))
  }

  func receive(_ input: Int) -> Subscribers.Demand {
    total.value &+= input
    left -= 1
    guard left == 0 else { return .none }
    left = size
    return .max(size)
  }

  func receive(completion: Subscribers.Completion<Never>) { subscription = nil }
}

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

import Dispatch
import Measure

/// The scenarios, in words that both engines understand.
nonisolated(unsafe) public let scenarios = [
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
  Scenario("flatMap { Just }") { n in
    let total = Total()
    let link = (1...n).publisher.flatMap { Just($0) }.sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap(max 3) { Just }") { n in
    let total = Total()
    let link = (1...n).publisher
      .flatMap(maxPublishers: .max(3)) { Just($0) }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
  Scenario("flatMap { 1000 values }") { n in
    let total = Total()
    let link = (0..<n / 1000).publisher
      .flatMap { ($0..<$0 + 1000).publisher }
      .sink { total.value &+= $0 }
    link.cancel()
    return total.take()
  },
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

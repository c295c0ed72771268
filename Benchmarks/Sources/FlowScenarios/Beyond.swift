import Dispatch
import Measure

/// What the peer does not have.
nonisolated(unsafe) public let scenariosBeyond = [
  Scenario("merge of 2") { n in
    let total = Total()
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let link = a.merge(with: b).sink { total.value &+= $0 }
    for value in 1...n / 2 {
      a.send(value)
      b.send(value)
    }
    link.cancel()
    return total.take()
  },
  Scenario("combineLatest of 2") { n in
    let total = Total()
    let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    let link = a.combineLatest(b).sink { total.value &+= $0 &* $1 }
    for value in 1...n / 2 {
      a.send(value)
      b.send(value)
    }
    link.cancel()
    return total.take()
  },
  Scenario("subject-flatMap { Just }") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let link = subject.flatMap { Just($0) }.sink { total.value &+= $0 }
    for value in 1...n { subject.send(value) }
    link.cancel()
    return total.take()
  },
  Scenario("ReplaySubject(1)") { n in
    let total = Total()
    let subject = ReplaySubject<Int, Never>(bufferSize: 1)
    let link = subject.sink { total.value &+= $0 }
    for value in 1...n { subject.send(value) }
    link.cancel()
    return total.take()
  },
  Scenario("share(replay: 1)") { n in
    let total = Total()
    let subject = PassthroughSubject<Int, Never>()
    let link = subject.share(replay: 1).sink { total.value &+= $0 }
    for value in 1...n { subject.send(value) }
    link.cancel()
    return total.take()
  },
]

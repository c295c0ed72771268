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
  }
]

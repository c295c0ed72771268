import FlowCore
import FlowTestSupport
import Testing

@Suite("Sequence.publisher")
struct SequenceTests {
  @Test("sends all elements when everything is asked for")
  func unlimited() {
    #expect([1, 2, 3].publisher.line() == "[1, 2, 3] 1 2 3 |")
    #expect((1...3).publisher.line() == "1...3 1 2 3 |")
    #expect("ab".publisher.line() == "ab a b |")
  }

  @Test("sends as much as is asked for, and the end with the last element")
  func demand() {
    let log = [1, 2, 3].publisher.record(.max(1))
    #expect(log.line == "[1, 2, 3] 1")
    log.request(1)
    #expect(log.line == "[1, 2, 3] 1 2")
    log.request(1)
    #expect(log.line == "[1, 2, 3] 1 2 3 |")
    log.request(1)
    #expect(log.line == "[1, 2, 3] 1 2 3 |")
  }

  @Test("publishes ranges with more than Int.max elements")
  func longest() {
    let log = (0...Int.max).publisher.record(.max(2))
    #expect(log.line == "0...9223372036854775807 0 1")
    let unsigned = (0...UInt64.max).publisher.record(.max(2))
    #expect(unsigned.line == "0...18446744073709551615 0 1")
    var seen: [Int] = []
    let subject = PassthroughSubject<Int, Never>()
    let link = subject.flatMap { ($0...Int.max).publisher }.prefix(3).sink { seen.append($0) }
    subject.send(7)
    #expect(seen == [7, 8, 9])
    link.cancel()
  }

  @Test("finishes without demand if there is nothing to send")
  func nothing() {
    #expect([Int]().publisher.line(.none) == "Empty |")
  }

  @Test("adds the demand that is returned, and goes over to unlimited")
  func returnedDemand() {
    let two = (1...9).publisher.record(.max(1)) { _, value in value == 1 ? .max(2) : .none }
    #expect(two.line == "1...9 1 2 3")
    let all = (1...5).publisher.record(.max(1)) { _, value in value == 1 ? .unlimited : .none }
    #expect(all.line == "1...5 1 2 3 4 5 |")
  }

  @Test("a request from inside a delivery does not recurse, however often")
  func requestInsideDelivery() {
    var depth = 0
    var deepest = 0
    let log = (1...100_000).publisher.record(.max(1)) { log, _ in
      depth += 1
      deepest = max(deepest, depth)
      log.request(1)
      depth -= 1
      return .none
    }
    #expect(log.values.count == 100_000)
    #expect(deepest == 1)
  }

  @Test("stops when cancelled", arguments: [Subscribers.Demand.unlimited, .max(9)])
  func cancel(_ demand: Subscribers.Demand) {
    let log = (1...9).publisher.record(demand) { log, value in
      if value == 3 { log.cancel() }
      return .none
    }
    log.request(1)
    #expect(log.line == "1...9 1 2 3")
  }

  @Test("cancelled by its last element, it does not finish")
  func cancelAtLastElement() {
    let log = [1].publisher.record { log, _ in
      log.cancel()
      return .none
    }
    #expect(log.line == "[1] 1")
  }

  @Test("takes no more from an endless sequence than it needs")
  func endless() {
    var taken = 0
    let endless = sequence(first: 1) { last in
      taken += 1
      return last + 1
    }
    #expect(endless.stream.prefix(3).line() == "Output 1 2 3 |")
    #expect(taken == 3)
  }
}

import FlowCore
import FlowTestSupport
import Testing

@Suite("reduce, collect, count, last")
struct ReducingTests {
  @Test("sends one result at the end, when it is asked for")
  func reduce() {
    let log = [1, 2, 3].stream.reduce(10, +).record(.none)
    #expect(log.line == "Reduce")
    log.request(1)
    #expect(log.line == "Reduce 16 |")
  }

  @Test("sends nothing before the end")
  func notBeforeTheEnd() {
    let subject = PassthroughSubject<Int, Oops>()
    let log = subject.reduce(0, +).record()
    subject.send(1)
    subject.send(2)
    #expect(log.values == [])
    subject.send(completion: .finished)
    #expect(log.line == "Reduce 3 |")
  }

  @Test("of nothing, is the initial result; there is no last value")
  func ofNothing() {
    #expect([Int]().stream.reduce(7, +).line() == "Reduce 7 |")
    #expect([Int]().stream.collect().line() == "Collect [] |")
    #expect([Int]().stream.count().line().hasSuffix(" 0 |"))
    #expect([Int]().stream.last().line() == "Last |")
  }

  @Test("collect, count and last")
  func others() {
    #expect([1, 2, 3].stream.collect().line() == "Collect [1, 2, 3] |")
    #expect([1, 2, 3].stream.count().line().hasSuffix(" 3 |"))
    #expect([1, 2, 3].stream.last().line() == "Last 3 |")
  }

  @Test("a failure passes through without a result")
  func failure() {
    let subject = PassthroughSubject<Int, Oops>()
    let log = subject.collect().record(.none)
    subject.send(1)
    subject.send(completion: .failure(Oops()))
    #expect(log.line == "Collect ✕oops")
  }

  @Test("an error thrown is the failure, and the upstream is cancelled")
  func tryReduce() {
    let subject = PassthroughSubject<Int, Oops>()
    var seen: [Int] = []
    let log = subject.tryReduce(0) { sum, value in
      seen.append(value)
      if value == 2 { throw Oops(word: "two") }
      return sum + value
    }
    .record()
    for value in 1...3 { subject.send(value) }
    #expect(log.line == "TryReduce ✕two")
    #expect(seen == [1, 2])
  }

  @Test("cancelled while it waits for demand, it sends nothing")
  func cancel() {
    let log = [1, 2].stream.reduce(0, +).record(.none)
    log.cancel()
    log.request(1)
    #expect(log.line == "Reduce")
  }
}

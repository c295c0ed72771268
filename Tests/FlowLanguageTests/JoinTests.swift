import FlowCore
import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("join by key")
struct JoinTests {
  private let host = TestHost(subjects: "a", "b")

  private func joined(
    _ text: String = "a.join(b, on: \\.id, within: .seconds(10))",
    demand: Subscribers.Demand = .unlimited
  ) throws -> Recorder {
    let recorder = Recorder(host.clock, demand: demand)
    try host.pipeline(text).publisher(in: host).subscribe(recorder)
    return recorder
  }

  private func send(_ id: Int, _ number: Int, to name: String) {
    host.send("{\"id\":\(id),\"n\":\(number)}", to: name)
  }

  private func end(_ name: String) { host.subjects[name]?.send(completion: .finished) }

  @Test("each value goes with each of the other's that has its key, first come first")
  func pairs() throws {
    let recorder = try joined("a.join(b, on: { $0.id }, within: 10) { [$0.n, $1.n] }")
    send(1, 1, to: "a")
    send(2, 2, to: "a")
    send(1, 3, to: "a")
    #expect(recorder.joined == "")
    send(1, 10, to: "b")
    #expect(recorder.joined == "[1,10] [3,10]")
    send(2, 20, to: "b")
    send(1, 4, to: "a")
    #expect(recorder.joined == "[1,10] [3,10] [2,20] [4,10]")
    #expect(host.drops == [:])
  }

  @Test("without a closure pairs are arrays, the left one first")
  func arrays() throws {
    let recorder = try joined("a.join(b, on: { $0 % 10 }, within: 10)")
    host.send("11", to: "b")
    host.send("1", to: "a")
    host.send("21", to: "b")
    #expect(recorder.joined == "[1,11] [1,21]")
  }

  @Test(
    "what is at hand on both sides takes turns",
    arguments: [
      ("(1...3).publisher.join((1...3).publisher, on: { $0 }, within: 9)", "[1,1] [2,2] [3,3]"),
      ("(1...2).publisher.join([4, 2, 1].publisher, on: { $0 }, within: 9)", "[2,2] [1,1]"),
      ("Just(1).join(Just(1), on: { $0 }, within: 9) { $0 + $1 }", "2"),
      ("Empty().join((1...3).publisher, on: { $0 }, within: 9)", ""),
      ("(1...3).publisher.join(Empty(), on: { $0 }, within: 9)", ""),
    ]
  )
  func atHand(_ text: String, _ expected: String) throws {
    let recorder = try host.run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("values that are further apart find each other no more, and are counted")
  func expiry() throws {
    let recorder = try joined("a.join(b, on: { $0 % 10 }, within: .seconds(3))")
    host.send("1", to: "a")
    host.send("2", to: "a")
    host.wait(until: 3)
    host.send("11", to: "b")
    #expect(recorder.joined == "[1,11]")
    host.wait(until: 3.5)
    host.send("12", to: "b")
    #expect(recorder.joined == "[1,11]")
    // 1 had a partner; 2 had none.
    #expect(host.drops == [.unmatched: 1])
    host.wait(until: 60)
    #expect(host.drops == [.unmatched: 2])
    #expect(host.memoryBudget.bytes == 0)
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("null is no key")
  func nullKey() throws {
    let recorder = try joined()
    host.send("{}", to: "a")
    host.send("{\"n\":1}", to: "b")
    #expect(recorder.joined == "")
    #expect(host.drops == [.unmatched: 2])
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("equal keys are equal values, as in group(by:)")
  func keys() throws {
    let recorder = try joined("a.join(b, on: { $0.k }, within: 9) { $0.n + $1.n }")
    host.send(#"{"k":1,"n":1}"#, to: "a")
    host.send(#"{"k":1.0,"n":10}"#, to: "b")
    host.send(#"{"k":{"x":1,"y":2},"n":2}"#, to: "a")
    host.send(#"{"k":{"y":2,"x":1},"n":20}"#, to: "b")
    host.send(#"{"k":"1","n":5}"#, to: "b")
    #expect(recorder.joined == "11 22")
  }

  @Test("pairs wait for demand, and hold up whose they are")
  func demand() throws {
    let recorder = try joined("probe.join(b, on: { $0 % 10 }, within: 10)", demand: .max(1))
    for number in [11, 21, 31] { host.send("\(number)", to: "b") }
    #expect(host.probe.send(.int(1)))
    #expect(recorder.joined == "[1,11]")
    #expect(!host.probe.send(.int(1)))
    host.send("2", to: "b")
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "[1,11] [1,21]")
    #expect(!host.probe.send(.int(2)))
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "[1,11] [1,21] [1,31]")
    #expect(host.probe.send(.int(2)))
    #expect(recorder.values.count == 3)
    recorder.cancel()
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("it ends when nothing more can have a partner")
  func ends() throws {
    let recorder = try joined("a.join(b, on: { $0 }, within: 5)")
    host.send("1", to: "a")
    end("a")
    #expect(recorder.completions == [])
    host.send("1", to: "b")
    host.send("2", to: "b")
    #expect(recorder.joined == "[1,1]")
    #expect(host.drops == [.unmatched: 1])
    host.wait(until: 5.5)
    #expect(recorder.completions == [.finished])
    #expect(host.drops == [.unmatched: 1])
    #expect(host.memoryBudget.bytes == 0)
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("it ends at once when one side ends and has nothing kept, or both end")
  func endsAtOnce() throws {
    let first = try joined("a.join(b, on: { $0 }, within: 5)")
    host.send("7", to: "b")
    end("a")
    #expect(first.completions == [.finished])
    #expect(host.drops == [.unmatched: 1])

    let other = TestHost(subjects: "a", "b")
    let second = try other.run("a.join(b, on: { $0 }, within: 5)")
    other.send("7", to: "b")
    other.subjects["b"]?.send(completion: .finished)
    #expect(second.completions == [])
    other.subjects["a"]?.send(completion: .finished)
    #expect(second.completions == [.finished])
    #expect(other.drops == [.unmatched: 1])
    #expect(other.memoryBudget.bytes == 0)
  }

  @Test("the end comes behind the pairs that wait")
  func endBehindPairs() throws {
    let recorder = try joined("a.join(b, on: { $0 % 10 }, within: 5)", demand: .max(1))
    host.send("11", to: "b")
    host.send("21", to: "b")
    host.send("1", to: "a")
    end("a")
    end("b")
    #expect(recorder.completions == [])
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "[1,11] [1,21]")
    #expect(recorder.completions == [.finished])
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("a failure of either ends it, and cancels the other", arguments: ["a", "b"])
  func failure(_ name: String) throws {
    let recorder = try joined()
    send(1, 1, to: "a")
    let failure = PipelineFailure(code: "broken", message: "no more")
    host.subjects[name]?.send(completion: .failure(failure))
    #expect(recorder.completions == [.failure(failure)])
    #expect(host.memoryBudget.bytes == 0)
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("a value whose key cannot be computed is left out")
  func noKey() throws {
    let recorder = try joined("a.join(b, on: { 1 / $0 }, within: 5)")
    host.send("0", to: "b")
    #expect(host.omissions.map(\.reason) == ["division by zero"])
    for name in ["a", "b"] { host.send("1", to: name) }
    #expect(recorder.values == ["[1,1]"])
  }

  @Test("it keeps 65536 values, and beyond them drops the oldest")
  func full() throws {
    let recorder = try joined("a.join(b, on: { $0 }, within: 1000)")
    for number in 0..<65_540 { host.subjects["a"]?.send(.int(number)) }
    #expect(host.drops == [.bufferOldest: 4])
    host.send("3", to: "b")
    #expect(recorder.joined == "")
    #expect(host.drops == [.bufferOldest: 5])
    host.send("70", to: "b")
    #expect(recorder.joined == "[70,70]")
    recorder.cancel()
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("many pairs of one value come over several turns, all of them")
  func turns() throws {
    let text = "(1...3000).publisher.join(b, on: { _ in 1 }, within: 9).count()"
    let recorder = Recorder(host.clock)
    try host.pipeline(text).publisher(in: host).subscribe(recorder)
    for _ in 0..<10_000 where host.isTurnDue { host.turn() }
    for number in 1...3 { host.send("\(number)", to: "b") }
    end("b")
    for _ in 0..<100_000 where host.isTurnDue { host.turn() }
    #expect(recorder.joined == "9000")
  }
}

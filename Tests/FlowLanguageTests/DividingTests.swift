import FlowCore
import FlowLanguage
import FlowTestSupport
import Testing

@Suite("group and window")
struct DividingTests {
  @Test(
    "each part is a publisher of its own",
    arguments: [
      (
        "[[\"c\": \"a\", \"n\": 1], [\"c\": \"b\", \"n\": 5], [\"c\": \"a\", \"n\": 2]].publisher"
          + ".group(by: { $0.c }) { $0.reduce(0) { $0 + $1.n } }",
        "3 5"
      ),
      (
        "[[\"c\": \"a\", \"n\": 1], [\"c\": \"b\", \"n\": 5]].publisher"
          + ".group(by: \\.c) { orders, name in orders.map { [name, $0.n] } }",
        "[\"a\",1] [\"b\",5]"
      ), ("(1...6).publisher.group(by: { $0 % 3 }) { $0.first() }", "1 2 3"),
      ("(1...6).publisher.group(by: { $0 % 2 }) { $0.collect() }", "[1,3,5] [2,4,6]"),
      ("(1...6).publisher.group(by: { $0 % 2 }) { g in g.count().zip(g.max()) }", "[3,5] [3,6]"),
      ("[1, 1.0, 2].publisher.group(by: { $0 }) { $0.count() }", "2 1"),
      ("[[1, 2], [1.0, 2], [2, 1]].publisher.group(by: { $0 }) { $0.count() }", "2 1"),
      (
        "[[\"a\": 1, \"b\": 2], [\"b\": 2, \"a\": 1]].publisher.group(by: { $0 }) { $0.count() }",
        "2"
      ), ("(1...5).publisher.window(2) { $0.collect() }", "[1,2] [3,4] [5]"),
      ("(1...4).publisher.window(2) { $0.collect() }", "[1,2] [3,4]"),
      ("(1...4).publisher.window(2) { $0.prefix(1) }", "1 3"),
      ("Empty().window(2) { $0.count() }", ""), ("Empty().group(by: { $0 }) { $0.count() }", ""),
      (
        "(1...4).publisher.group(by: { $0 % 2 }) { g in g.flatMap { n in Just(n * 10) } }",
        "10 20 30 40"
      ),
      (
        "(1...2).publisher.flatMap { n in (1...3).publisher.group(by: { $0 % 2 }) "
          + "{ $0.map { $0 * n } } }",
        "1 2 3 2 4 6"
      ),
      (
        "(1...4).publisher.group(by: { $0 % 2 }) { a in a.window(1) { b in b.merge(with: Just(0)) } }",
        "0 1 0 2 0 3 0 4"
      ),
    ] as [(String, String)]
  )
  func parts(_ text: String, _ expected: String) throws {
    let recorder = try TestHost().run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test("a share inside is one for each part")
  func share() throws {
    let recorder = try TestHost().run(
      "(1...4).publisher.group(by: { $0 % 2 }) { $0.share().collect() }"
    )
    #expect(recorder.joined == "[1,3] [2,4]")
  }

  @Test("more keys than allowed fail the stage")
  func tooManyKeys() throws {
    let recorder = try TestHost().run(
      "(1...4).publisher.group(by: { $0 }, maxGroups: 3) { $0 }"
    )
    #expect(recorder.joined == "1 2 3")
    #expect(
      recorder.failure?.message
        == "group(by: { $0 }, maxGroups: 3) { $0 }: more than 3 keys (maxGroups:); "
        + "the value is 4"
    )
  }

  @Test("a value whose key cannot be made is left out")
  func noKey() throws {
    let host = TestHost()
    let recorder = try host.run("[1, 0, 1].publisher.group(by: { 1 / $0 }) { $0 }")
    #expect(recorder.joined == "1 1")
    #expect(host.omissions.map(\.reason) == ["division by zero"])
  }

  @Test("a value whose part does not ask holds up the others, and none is lost")
  func backpressure() throws {
    let host = TestHost()
    let recorder = try host.run(
      "probe.group(by: { $0 % 2 }) { $0.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 2) } }"
    )
    for payload in ["1", "2"] { #expect(host.probe.send(value(payload))) }
    #expect(host.probe.send(value("3")))
    #expect(!host.probe.send(value("4")))
    host.wait(until: 1.9)
    #expect(recorder.values == [])
    host.wait(until: 2)
    #expect(recorder.joined == "1 2")
    #expect(host.probe.send(value("4")))
    host.probe.send(completion: .finished)
    host.wait(until: 4)
    #expect(recorder.joined == "1 2 3 4")
    #expect(recorder.completions == [.finished])
    #expect(host.drops.isEmpty)
  }

  @Test("windows of a time begin with the subscription, and a full second belongs to the next")
  func windows() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(
      "Timer.publish(every: 0.5).autoconnect().window(.seconds(1)) { $0.collect() }"
    )
    host.wait(until: 3)
    #expect(recorder.joined == "[1] [2,3] [4,5]")
    #expect(recorder.times == [1, 2, 3])
    recorder.cancel()
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("the end of the upstream ends the window and its timer")
  func windowEnd() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.window(.seconds(10)) { $0.count() }")
    host.send("1", to: "taps")
    host.wait(until: 3)
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.joined == "1")
    #expect(recorder.completions == [.finished])
    #expect(host.clock.nextDeadline == nil)
  }

  @Test("a value that nobody has subscribed for is dropped and told")
  func unheard() throws {
    let host = TestHost()
    let recorder = try host.run("(1...3).publisher.window(3) { w in Just(0).delay(for: 1) }")
    host.wait(until: 2)
    #expect(recorder.joined == "0")
    #expect(host.drops == [.noDemand: 3])
  }

  @Test("a failure inside ends all")
  func innerFailure() throws {
    let host = TestHost()
    let recorder = try host.run(
      "probe.group(by: { $0 % 2 }) { $0.map { $0 == 3 ? fail(\"no\") : $0 } }"
    )
    for payload in ["1", "2", "3"] { host.probe.send(value(payload)) }
    #expect(recorder.joined == "1 2")
    #expect(recorder.failure?.message == "no")
    #expect(host.probe.cancels == 1)
  }
}

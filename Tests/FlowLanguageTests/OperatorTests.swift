import FlowCore
import FlowLanguage
import Testing

@Suite("Operators")
struct OperatorTests {
  @Test(
    "a pipeline that finishes by itself publishes",
    arguments: [
      ("Just(3)", "3"), ("Empty()", ""), ("[1, \"a\", null].publisher", "1 \"a\" null"),
      ("(1..<4).publisher", "1 2 3"), ("(1...5).publisher.filter { $0 % 2 == 1 }", "1 3 5"),
      ("(1...4).publisher.scan(0) { $0 + $1 }", "1 3 6 10"),
      ("(1...4).publisher.scan(0) { sum, next in sum + next }", "1 3 6 10"),
      ("(1...4).publisher.reduce(0) { $0 + $1 }", "10"),
      ("Empty().reduce(7) { $0 + $1 }", "7"),
      ("[[\"a\": 1], [\"b\": 2]].publisher.compactMap(\\.a)", "1"),
      ("(1...9).publisher.first()", "1"), ("(1...9).publisher.first { $0 > 4 }", "5"),
      ("(1...9).publisher.first(where: { $0 > 4 })", "5"), ("(1...9).publisher.prefix(2)", "1 2"),
      ("(1...9).publisher.prefix(0)", ""), ("(1...9).publisher.prefix(while: { $0 < 3 })", "1 2"),
      ("(1...4).publisher.dropFirst()", "2 3 4"), ("(1...4).publisher.dropFirst(3)", "4"),
      ("(1...2).publisher.merge(with: Just(3), Just(4))", "1 2 3 4"),
      ("Fail(\"x\").replaceError(with: 0)", "0"),
      ("Just(0).map { 1 / $0 }.replaceError(with: 0)", "0"),
      ("Fail(\"x\").merge(with: Just(1)).replaceError(with: 0)", "0"),
      ("Fail(\"x\").catch { Just($0.message) }", "\"x\""),
      (
        "Just(1).eraseToAnyPublisher().setFailureType(to: Error).receive(on: DispatchQueue.main)",
        "1"
      ),
      ("(1...3).publisher.flatMap { n in Just(n).map { $0 * n } }", "1 4 9"),
      ("(1...3).publisher.flatMap { n in let m = n + 1; Just(m).map { $0 * n } }", "2 6 12"),
      ("Just(2).flatMap { a in Just(3).flatMap { b in Just(4).map { [a, b, $0] } } }", "[2,3,4]"),
      ("(1...3).publisher.map { $0 }.share()", "1 2 3"),
    ] as [(String, String)]
  )
  func finite(text: String, expected: String) throws {
    let recorder = try TestHost().run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test("mapError gives a failure other words")
  func mapError() throws {
    let recorder = try TestHost().run("Fail(\"x\").mapError { \"orders: \\($0.message)\" }")
    #expect(recorder.failure == PipelineFailure(code: "stage", message: "orders: x"))
  }

  @Test("a tick that finds no demand is dropped and told")
  func timerDemand() throws {
    let host = TestHost()
    let recorder = Recorder(host.clock, demand: .max(2))
    try host.pipeline("Timer.publish(every: 1).autoconnect()").publisher(in: host)
      .subscribe(recorder)
    host.wait(until: 5)
    #expect(recorder.joined == "1 2")
    #expect(host.drops == [.noDemand: 3])
    recorder.subscription?.request(.max(1))
    host.wait(until: 6)
    #expect(recorder.joined == "1 2 6")
  }

  @Test("share is one subscription for all calls")
  func share() throws {
    let host = TestHost(subjects: "taps")
    host.pipelines["shared"] = try host.pipeline("taps.print(\"up\").share()")
    let first = try host.run("shared.map { $0 }")
    let second = try host.run("shared")
    host.send("1", to: "taps")
    #expect(first.joined == "1")
    #expect(second.joined == "1")
    #expect(host.lines.filter { $0.hasPrefix("up: receive subscription") }.count == 1)
    #expect(host.lines.contains("up: receive value: (1)"))
  }

  @Test("what can be known of a pipeline before it runs")
  func description() throws {
    let host = TestHost(subjects: "taps", "my-taps")
    host.pipelines["p"] = try host.pipeline("taps.merge(with: my-taps).map { $0 - 1 }")
    let pipeline = try host.pipeline("p .filter { $0 > 1 }.prefix(3)")
    #expect(pipeline.subjects == ["taps", "my-taps"])
    #expect(
      pipeline.stages.map(\.text) == [
        "taps", "merge(with: my-taps)", "map { $0 - 1 }", "filter { $0 > 1 }", "prefix(3)",
      ]
    )
    #expect(pipeline.isPlainSubject == nil)
    #expect(try host.pipeline(" my-taps ").isPlainSubject == "my-taps")
  }

  @Test(
    "arguments are checked when the pipeline is defined",
    arguments: [
      ("taps.prefix(-1)", "a whole number from 0 on is needed"),
      ("taps.delay(for: \"a\")", "a time is needed, as in 0.5 or .milliseconds(500)"),
      (
        "taps.delay(for: .second(1))",
        "there is no unit of time \"second\"; did you mean \"seconds\"?"
      ),
      (
        "taps.buffer(sise: 1)",
        "there is no argument of buffer called \"sise\"; did you mean \"size\"?"
      ),
      (
        "taps.buffer(size: 1, prefetch: .keepful, whenFull: .dropOldest)",
        "there is no prefetch \".keepful\"; did you mean \".keepFull\"?"
      ),
      ("taps.flatMap(maxPublishers: 0) { Just($0) }", "a whole number from 1 on is needed"),
      (
        "taps.flatMap { $0 }",
        "a publisher is needed here, and this is a value; did you mean \"Just($0)\"?"
      ),
      (
        "taps.flatMap { x in x }",
        "\"x\" is a value, and a publisher is needed here; did you mean \"Just(x)\"?"
      ),
      (
        "taps.delay(for: 1, scheduler: Main.queue)",
        "there is no such scheduler; did you mean \"DispatchQueue.main\"?"
      ),
    ] as [(String, String)]
  )
  func arguments(text: String, message: String) {
    let host = TestHost(subjects: "taps")
    let diagnostic = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(diagnostic?.text == message)
  }
}

import FlowCore
import FlowLanguage
import FlowTestSupport
import Testing

@Suite("Operators")
struct OperatorTests {
  @Test(
    "a pipeline that finishes by itself publishes",
    arguments: [
      ("Just(3)", "3"), ("Empty()", ""), ("[1, \"a\", null].publisher", "1 \"a\" null"),
      ("(1...9223372036854775807).publisher.prefix(2)", "1 2"),
      ("(1...).publisher.prefix(1)", "1"),
      ("(-9223372036854775808...9223372036854775807).publisher.first()", "-9223372036854775808"),
      (
        "(9223372036854775806...9223372036854775807).publisher",
        "9223372036854775806 9223372036854775807"
      ), ("(9223372036854775700...9223372036854775807).publisher.count()", "108"),
      ("Empty().append(9223372036854775807...9223372036854775807)", "9223372036854775807"),
      ("(1...0).publisher", ""), ("(1..<1).publisher", ""),
      ("(1..<4).publisher", "1 2 3"), ("Just(-9223372036854775808)", "-9223372036854775808"),
      ("Just(1).map { $0 + -9223372036854775808 }", "-9223372036854775807"),
      ("(-1...9223372036854775806).publisher.prefix(2)", "-1 0"),
      ("(-9223372036854775807..<9223372036854775807).publisher.first()", "-9223372036854775807"),
      ("(9223372036854775800..<9223372036854775807).publisher.count()", "7"),
      ("Just(1).append(-1...9223372036854775806).prefix(2)", "1 -1"),
      ("(1...3).publisher.output(at: 9223372036854775807)", ""),
      ("(1...5).publisher.filter { $0 % 2 == 1 }", "1 3 5"),
      ("(1...4).publisher.scan(0) { $0 + $1 }", "1 3 6 10"),
      ("(1...4).publisher.scan(0) { sum, next in sum + next }", "1 3 6 10"),
      (
        #"(1...6).publisher.scan(0) { $1 % 3 == 0 ? "\($0)" : $1 == 4 ? 40 : $0 + $1 }"#,
        #"1 3 "3" 40 45 "45""#
      ),
      ("(1...4).publisher.reduce(0) { $0 + $1 }", "10"),
      ("Empty().reduce(7) { $0 + $1 }", "7"),
      ("[[\"a\": 1], [\"b\": 2]].publisher.compactMap(\\.a)", "1"),
      ("(1...9).publisher.first()", "1"), ("(1...9).publisher.first { $0 > 4 }", "5"),
      ("(1...9).publisher.first(where: { $0 > 4 })", "5"), ("(1...9).publisher.prefix(2)", "1 2"),
      ("(1...9).publisher.prefix(0)", ""), ("(1...9).publisher.prefix(while: { $0 < 3 })", "1 2"),
      ("(1...4).publisher.dropFirst()", "2 3 4"), ("(1...4).publisher.dropFirst(3)", "4"),
      ("(1...2).publisher.merge(with: Just(3), Just(4))", "1 2 3 4"),
      ("Fail(\"x\").replaceError(with: 0)", "0"),
      ("Just(0).map { 1 / $0 }.append(2)", "2"),
      ("Just(0).tryMap { 1 / $0 }.replaceError(with: 0)", "0"),
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
      ("[1, null, 3].publisher.replaceNil(with: 0)", "1 0 3"),
      ("[1, 1, 2, 2, 1].publisher.removeDuplicates()", "1 2 1"),
      ("[1, 1.0, \"1\"].publisher.removeDuplicates()", "1 \"1\""),
      ("[1, 3, 4, 6].publisher.removeDuplicates(by: { a, b in a % 2 == b % 2 })", "1 4"),
      ("[1, 3, 4].publisher.removeDuplicates { $0 % 2 == $1 % 2 }", "1 4"),
      (
        "[[\"k\": 1], [\"k\": 1, \"n\": 2], [\"n\": 3]].publisher.removeDuplicates(by: \\.k)",
        "{\"k\":1} {\"n\":3}"
      ),
      ("(1...9).publisher.last()", "9"), ("(1...9).publisher.last { $0 < 4 }", "3"),
      ("(1...9).publisher.last(where: { $0 > 9 })", ""), ("Empty().last()", ""),
      ("(1...5).publisher.drop(while: { $0 < 4 })", "4 5"),
      ("(1...5).publisher.drop { $0 != 5 }", "5"),
      ("(1...3).publisher.drop(untilOutputFrom: Just(0))", "1 2 3"),
      ("(1...3).publisher.drop(untilOutputFrom: Empty())", ""),
      ("(1...3).publisher.prefix(untilOutputFrom: Just(0))", ""),
      ("(1...3).publisher.prefix(untilOutputFrom: Just(0)).append(7)", "7"),
      ("taps.prefix(untilOutputFrom: Just(0)).append(7)", "7"),
      ("taps.prefix(untilOutputFrom: Just(0).append(1)).append(Just(7)).append(8)", "7 8"),
      ("(1...3).publisher.prefix(untilOutputFrom: Empty())", "1 2 3"),
      ("(1...5).publisher.output(at: 2)", "3"), ("(1...5).publisher.output(in: 1...2)", "2 3"),
      ("(1...5).publisher.output(in: 1..<2)", "2"), ("(1...5).publisher.output(at: 9)", ""),
      ("(1...5).publisher.ignoreOutput()", ""), ("(1...5).publisher.collect()", "[1,2,3,4,5]"),
      ("Empty().collect()", "[]"), ("(1...5).publisher.collect(2)", "[1,2] [3,4] [5]"),
      ("(1...5).publisher.contains(3)", "true"), ("(1...5).publisher.contains(3.0)", "true"),
      ("(1...5).publisher.contains(9)", "false"), ("(1...5).publisher.contains { $0 > 4 }", "true"),
      ("(1...5).publisher.contains(where: { $0 > 5 })", "false"),
      ("(1...5).publisher.allSatisfy { $0 < 6 }", "true"),
      ("(1...5).publisher.allSatisfy { $0 < 5 }", "false"), ("Empty().allSatisfy { $0 }", "true"),
      ("(1...5).publisher.count()", "5"), ("[2, 1.5, 3].publisher.min()", "1.5"),
      ("[\"b\", \"c\", \"a\"].publisher.max()", "\"c\""), ("Empty().min()", ""),
      ("[[\"p\": 2], [\"p\": 1]].publisher.min(by: \\.p)", "{\"p\":1}"),
      ("[[\"p\": 2], [\"p\": 1]].publisher.max(by: { $0.p < $1.p })", "{\"p\":2}"),
      ("(1...2).publisher.append(3, 4)", "1 2 3 4"),
      ("(1...2).publisher.append([3, 4])", "1 2 3 4"),
      ("(1...2).publisher.append(3...4)", "1 2 3 4"), ("Just(1).append(Just([3, 4]))", "1 [3,4]"),
      ("(1...2).publisher.append((3...4).publisher.map { $0 * 10 })", "1 2 30 40"),
      ("(1...2).publisher.prepend(3, 4)", "3 4 1 2"), ("Just(1).prepend(Just(0))", "0 1"),
      ("(1...2).publisher.flatMap { Just($0).append($0 * 10) }", "1 10 2 20"),
      ("(1...3).publisher.zip((4...5).publisher)", "[1,4] [2,5]"),
      ("(1...3).publisher.zip((4...5).publisher) { $0 * $1 }", "4 10"),
      ("Just(1).zip(Just(2), Just(3), Just(4)) { a, b, c, d in a + b + c + d }", "10"),
      ("Just(1).zip(Just(2), Just(3))", "[1,2,3]"),
      ("Just(1).combineLatest((2...3).publisher)", "[1,2] [1,3]"),
      ("Just(1).combineLatest(Just(2), Just(3)) { $0 + $1 + $2 }", "6"),
      ("(1...2).publisher.withLatest(from: Just(\"x\"))", "[1,\"x\"] [2,\"x\"]"),
      ("(1...2).publisher.withLatest(from: Just(5)) { $0 * $1 }", "5 10"),
      ("(1...3).publisher.concatMap { Just($0) }", "1 2 3"),
      ("(1...3).publisher.flatMapLatest { Just($0) }", "1 2 3"),
      ("(1...3).publisher.map { Just($0) }.switchToLatest()", "1 2 3"),
      ("Empty().replaceEmpty(with: 7)", "7"), ("Just(1).replaceEmpty(with: 7)", "1"),
      ("Deferred { (1...3).publisher }", "1 2 3"),
      ("Fail(error: \"x\").catch { Just($0.message) }", "\"x\""),
      ("Empty(completeImmediately: true)", ""), ("(1...3).publisher.share(replay: 2)", "1 2 3"),
      ("(1...3).publisher.tryFilter { $0 > 1 }.tryMap { $0 * 2 }", "4 6"),
      ("(1...3).publisher.tryReduce(0) { $0 + $1 }.tryCatch { Just($0) }", "6"),
      ("Fail(\"x\").retry(2).replaceError(with: 0)", "0"),
      ("taps.flatMap { Just($0) }.merge(with: taps).prefix(0)", ""),
    ] as [(String, String)]
  )
  func finite(text: String, expected: String) throws {
    let recorder = try TestHost(subjects: "taps").run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test(
    "a stage that cannot go on says why, with the value",
    arguments: [
      (
        "[1, \"a\"].publisher.tryMin()",
        "tryMin(): min cannot compare a String with an Int; the value is [\"a\",1]"
      ),
      (
        "[[1], 2].publisher.tryMax()",
        "tryMax(): max cannot compare an array with an Int; the value is [[1],2]"
      ),
      (
        "[1, 2].publisher.tryMax(by: { [$0, $1].first })",
        "tryMax(by: { [$0, $1].first }): max needs a Bool, not an Int; the value is [1,2]"
      ),
      (
        "[[1], [2]].publisher.map { $0[0] }.tryRemoveDuplicates { a, b in a }",
        "tryRemoveDuplicates { a, b in a }: removeDuplicates needs a Bool, not an Int; the value is [1,2]"
      ),
      (
        "Just([1]).map { $0[0] }.tryContains { $0 }",
        "tryContains { $0 }: contains needs a Bool, not an Int; the value is 1"
      ),
      (
        "Just(1).tryAllSatisfy { $0 / 0 > 1 }",
        "tryAllSatisfy { $0 / 0 > 1 }: division by zero; the value is 1"
      ),
      ("Just(1).drop { fail(\"no\") }", "no"),
      (
        "Just(1).tryMap { Just($0 / 0) }.switchToLatest()",
        "tryMap { Just($0 / 0) }.switchToLatest(): division by zero; the value is 1"
      ),
      (
        "(0...65536).publisher.collect()",
        "collect(): more than 65536 values wait"
      ),
      (
        "(0...70000).publisher.zip(Empty(completeImmediately: false))",
        "zip(Empty(completeImmediately: false)): more than 65536 values wait"
      ),
    ] as [(String, String)]
  )
  func failing(text: String, message: String) throws {
    let recorder = try TestHost().run(text)
    #expect(recorder.failure?.message == message)
    #expect(recorder.completions.count == 1)
  }

  @Test("mapError gives a failure other words")
  func mapError() throws {
    let recorder = try TestHost().run("Fail(\"x\").mapError { \"orders: \\($0.message)\" }")
    #expect(recorder.failure == PipelineFailure(code: "stage", message: "orders: x"))
  }

  @Test("first ends with a value and cancels its upstream")
  func first() throws {
    let host = TestHost()
    let recorder = try host.run("probe.mapError { $0.message }.first()")
    host.probe.send(value("1"))
    #expect(recorder.joined == "1")
    #expect(recorder.completions == [.finished])
    #expect(host.probe.cancels == 1)
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
}

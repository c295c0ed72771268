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
    "a stage that can not go on says why, with the value",
    arguments: [
      (
        "[1, \"a\"].publisher.min()",
        "min(): min does not compare a String with an Int; the value is [\"a\",1]"
      ),
      (
        "[[1], 2].publisher.max()",
        "max(): max does not compare an array with an Int; the value is [[1],2]"
      ),
      (
        "[1, 2].publisher.max(by: { [$0, $1].first })",
        "max(by: { [$0, $1].first }): max needs a Bool, not an Int; the value is [1,2]"
      ),
      (
        "[[1], [2]].publisher.map { $0[0] }.removeDuplicates { a, b in a }",
        "removeDuplicates { a, b in a }: removeDuplicates needs a Bool, not an Int; the value is [1,2]"
      ),
      (
        "Just([1]).map { $0[0] }.contains { $0 }",
        "contains { $0 }: contains needs a Bool, not an Int; the value is 1"
      ),
      (
        "Just(1).allSatisfy { $0 / 0 > 1 }",
        "allSatisfy { $0 / 0 > 1 }: division by zero; the value is 1"
      ),
      ("Just(1).drop { fail(\"no\") }", "no"),
      (
        "Just(1).zip(Just(0)) { $0 / $1 }",
        "zip(Just(0)) { $0 / $1 }: division by zero; the value is [1,0]"
      ),
      (
        "Just(1).flatMapLatest { Just($0 / 0) }",
        "flatMapLatest { Just($0 / 0) }: division by zero; the value is 1"
      ),
      ("Just(0).flatMap { n in Deferred { Just(1 / n) } }", "Deferred: division by zero"),
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
      ("taps.flatMap { Just($0).prefix(-1) }", "a whole number from 0 on is needed"),
      ("taps.flatMap { Just($0).delay(for: -1) }", "a time from 0 to 90 years is needed"),
      ("taps.collect(0)", "a whole number from 1 to 65536 is needed"),
      ("taps.collect(65537)", "a whole number from 1 to 65536 is needed"),
      (
        "taps.collect(.byTim(DispatchQueue.main, 1))",
        "there is no way to collect \".byTim\"; did you mean \".byTime\"?"
      ),
      ("taps.collect(.byTime(DispatchQueue.main, 0))", "a time above 0 is needed"),
      (
        "taps.collect(.byTimeOrCount(DispatchQueue.main, 1))",
        "byTimeOrCount takes DispatchQueue.main, a time and a count"
      ),
      ("taps.collect(.byTime(1, 2, 3))", "byTime takes DispatchQueue.main and a time"),
      ("taps.output(at: -1)", "a whole number from 0 on is needed"),
      ("taps.output(in: 3)", "a range is needed here, as in 1...3"),
      ("taps.output(in: 3...1)", "a range can not go down"),
      ("taps.output()", "output needs \"at:\" or \"in:\": output(at: index) or output(in: 1...3)"),
      ("taps.drop(2)", "drop takes a closure; did you mean \"dropFirst(2)\"?"),
      ("taps.dropFirst(\"a\")", "a whole number from 0 on is needed"),
      ("(3...1).publisher", "a range can not go down"),
      ("\"abc\".publisher", "publisher needs an array or a range, not a String"),
      ("Timer.publish(every: 0).autoconnect()", "a time of at least 1 ms is needed"),
      (
        "Timer.publish(every: 1, on: 3).autoconnect()",
        "there is no such scheduler; did you mean \"DispatchQueue.main\"?"
      ),
      ("Timer.publish(every: 1, in: 3).autoconnect()", "a mode is needed here, as in .common"),
      (
        "Timer.publish(evry: 1).autoconnect()",
        "there is no argument of Timer called \"evry\"; did you mean \"every\"?"
      ),
      (
        "taps.throttle(for: 1)",
        "throttle needs \"latest:\": throttle(for: time, scheduler: DispatchQueue.main, latest: true)"
      ),
      ("taps.throttle(for: 1, latest: 1)", "true or false is needed"),
      ("taps.timeout(0)", "a time above 0 is needed"),
      (
        "taps.timeout()",
        "timeout needs a time: timeout(time, scheduler: DispatchQueue.main, customError: { text })"
      ),
      (
        "taps.measureInterval()",
        "measureInterval needs \"using:\": measureInterval(using: DispatchQueue.main)"
      ),
      ("taps.retry(-1)", "a whole number from 0 on is needed"),
      (
        "taps.retry(3, backoff: .linear(1))",
        "there is no backoff \".linear\""
      ),
      (
        "taps.retry(3, backoff: .exponential(from: 1))",
        "exponential takes from:, upTo: and maybe factor:"
      ),
      (
        "taps.retry(3, backoff: 1)",
        "a backoff is needed here, as in .exponential(from: 1, upTo: 60) or .constant(1)"
      ),
      (
        "taps.retry(3, from: 1)",
        "there is no argument of retry called \"from\""
      ),
      ("taps.share(replay: -1)", "a whole number from 0 to 65536 is needed"),
      (
        "taps.share(replays: 1)",
        "there is no argument of share called \"replays\"; did you mean \"replay\"?"
      ),
      ("taps.zip()", "zip needs one, two or three publishers: zip(publisher, …) { a, b in … }"),
      (
        "taps.zip(taps, taps, taps, taps)",
        "zip needs one, two or three publishers: zip(publisher, …) { a, b in … }"
      ),
      ("taps.zip(3)", "a publisher is needed here, and this is a value; did you mean \"Just(3)\"?"),
      ("taps.zip(taps) { $0 + $1 + $2 }", "there is no value \"$2\"; did you mean \"$0\"?"),
      ("taps.zip(taps) { a in a }", "the closure is given 2 parameters, not 1"),
      ("taps.combineLatest(taps, taps) { a, b in a }", "the closure is given 3 parameters, not 2"),
      (
        "taps.withLatest(taps)",
        "withLatest needs \"from:\": withLatest(from: publisher) { a, b in … }"
      ),
      ("taps.append(1, taps)", "one publisher is needed here, or values"),
      (
        "taps.append()", "append needs values or a publisher: append(value, …) or append(publisher)"
      ),
      (
        "taps.switchToLatest()",
        "switchToLatest needs a map right before it whose closure ends in a publisher"
      ),
      (
        "taps.map { $0 }.switchToLatest()",
        "a publisher is needed here, and this is a value; did you mean \"Just($0)\"?"
      ),
      (
        "taps.flatMapLatest { 3 }",
        "a publisher is needed here, and this is a value; did you mean \"Just(3)\"?"
      ),
      (
        "Deferred { 3 }",
        "a publisher is needed here, and this is a value; did you mean \"Just(3)\"?"
      ),
      ("Deferred { x in Just(x) }", "the closure is given no parameters, not 1"),
      ("Empty(completeImmediately: 3)", "true or false is needed"),
      (
        "taps.replaceEmpty(3)",
        "a label is missing: replaceEmpty(with: value)"
      ),
      ("taps.removeDuplicates(by: { a in a })", "the closure is given 2 parameters, not 1"),
      ("taps.min(by: 3)", "min needs a closure here"),
      (
        "taps.contains()",
        "contains needs a closure: contains(value) or contains(where: { value in … })"
      ),
      ("taps.contains(taps)", "\"taps\" is a publisher, and a value is needed here"),
      (
        "taps.group { $0 }",
        "group needs \"by:\": group(by: { value in … }, maxGroups: 1024) { group, key in … }"
      ),
      ("taps.group(by: 3) { $0 }", "group needs a closure or key path here"),
      (
        "taps.group(by: { $0 }) { $0 + 1 }",
        "a publisher is needed here, and this is a value; did you mean \"Just($0 + 1)\"?"
      ),
      (
        "taps.group(by: { $0 }) { g in g.map { g } }",
        "\"g\" is a publisher, and a value is needed here"
      ),
      (
        "taps.group(by: { $0 }) { a, b, c in a }",
        "the closure is given a publisher and a key, not 3 values"
      ),
      ("taps.group(by: { $0 }, maxGroups: 0) { $0 }", "a whole number from 1 to 65536 is needed"),
      ("taps.window(0) { $0 }", "a whole number from 1 on is needed"),
      ("taps.window(.seconds(0)) { $0 }", "a time above 0 is needed"),
      (
        "taps.window(.second(1)) { $0 }",
        "there is no unit of time \"second\"; did you mean \"seconds\"?"
      ),
      (
        "taps.window { $0 }",
        "window needs a count or a time, and a closure: window(count) { window in … } or window(.seconds(number)) { window in … }"
      ),
      ("taps.window(2) { a, b in a }", "the closure is given a publisher, not 2 values"),
      ("taps.sink { $0 }", "there is no sink in a pipeline: SUB subscribes to it"),
      (
        "taps.handleEvents()",
        "there is no handleEvents in a pipeline: print(\"label\") writes what passes into the log"
      ),
      ("taps.setFailureType()", "setFailureType needs \"to:\": setFailureType(to: Error)"),
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

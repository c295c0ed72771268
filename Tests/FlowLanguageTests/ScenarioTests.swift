import FlowCore
import FlowLanguage
import FlowTestSupport
import Testing

@Suite("Scenarios in the language, in virtual time")
struct ScenarioTests {
  @Test("three at a time, what finds no demand is missed")
  func threeAtATime() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(
      "taps.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3.05) }"
    )
    host.send(1...12, to: "taps")
    host.wait(until: 30)
    #expect(recorder.joined == "1 2 3 5 6 7 9 10 11")
  }

  @Test("one publisher more than a flatMap may hold is a failure of that stage")
  func tooManyPublishers() throws {
    let host = TestHost(subjects: "taps")
    host.innerPublisherLimit = 3
    let text = "taps.flatMap { if $0 < 0 { Just($0) } else { Just($0).delay(for: 10) } }"
    let recorder = try host.run(text)
    for value in ["1", "2", "-1", "3", "-2"] { host.send(value, to: "taps") }
    #expect(recorder.joined == "-1 -2")
    #expect(recorder.failure == nil)
    host.send("4", to: "taps")
    #expect(recorder.failure?.code == "stage")
    let message = "the limit of 3 open inner publishers is reached; set maxPublishers:"
    #expect(recorder.failure?.message.hasSuffix(message) == true, "\(recorder.completions)")
    #expect(recorder.failure?.message.hasPrefix("flatMap { if ") == true)
  }

  @Test("behind a buffer none is missed")
  func buffered() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(
      """
      taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)
        .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3.05) }
      """
    )
    host.send(1...12, to: "taps")
    host.wait(until: 60)
    #expect(recorder.joined == "1 2 3 4 5 6 7 8 9 10 11 12")
    #expect(host.drops.isEmpty)
  }

  @Test(
    "a fast timer behind a small buffer",
    arguments: [
      (".dropNewest", "2.15", 18, "1 2 3 4 5 12 23 34"), (".dropOldest", "2.1", 8.65, "1 8 18 29"),
    ] as [(String, String, Double, String)]
  )
  func fastTimer(whenFull: String, delay: String, end: Double, expected: String) throws {
    let host = TestHost()
    let recorder = try host.run(
      """
      Timer.publish(every: .milliseconds(200)).autoconnect()
        .buffer(size: 4, prefetch: .byRequest, whenFull: \(whenFull))
        .flatMap(maxPublishers: .max(1)) { Just($0).delay(for: \(delay)) }
      """
    )
    host.wait(until: end)
    #expect(recorder.joined == expected)
    let reason: DropReason = whenFull == ".dropNewest" ? .bufferNewest : .bufferOldest
    #expect(Array(host.drops.keys) == [reason])
    recorder.cancel()
  }

  @Test("one at a time without a buffer, and with one")
  func oneAtATime() throws {
    for (buffer, expected, times) in [
      ("", "1 11", [2, 5]),
      (
        ".buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)", "1 2 3 4 5 11",
        [2, 4, 6, 8, 10, 12]
      ),
    ] as [(String, String, [Double])] {
      let host = TestHost(subjects: "taps")
      let recorder = try host.run(
        "taps\(buffer).flatMap(maxPublishers: 1) { Just($0).delay(for: 2) }"
      )
      for number in 1...10 { host.send("\(number)", to: "taps") }
      host.wait(until: 3)
      host.send("11", to: "taps")
      host.wait(until: 30)
      #expect(recorder.joined == expected)
      #expect(recorder.times == times)
    }
  }

  @Test("a full buffer with an error of its own fails once")
  func customError() throws {
    let host = TestHost(subjects: "taps")
    let recorder = Recorder(host.clock, demand: .none)
    try host.pipeline(
      "taps.buffer(size: 2, prefetch: .byRequest, whenFull: .customError(\"too many\"))"
    ).publisher(in: host).subscribe(recorder)
    for number in 1...5 { host.send("\(number)", to: "taps") }
    recorder.subscription?.request(.unlimited)
    host.send("6", to: "taps")
    #expect(recorder.failure?.message == "too many")
    #expect(recorder.completions.count == 1)
    #expect(!recorder.values.contains("6"))
  }

  @Test("two at once, then one after the other")
  func sequence() throws {
    for (most, times) in [(".unlimited", [10, 10]), (".max(1)", [10, 20])] as [(String, [Double])] {
      let host = TestHost()
      let recorder = try host.run(
        "[1, 2].publisher.flatMap(maxPublishers: \(most)) { Just($0).delay(for: 10) }"
      )
      host.wait(until: 30)
      #expect(recorder.joined == "1 2")
      #expect(recorder.times == times)
      #expect(recorder.completions == [.finished])
    }
  }

  @Test("each of two values starts a timer of its own")
  func timers() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(
      "taps.flatMap { tap in Timer.publish(every: 1).autoconnect().map { \"\\(tap)\\($0)\" } }"
    )
    host.send("a", to: "taps")
    host.wait(until: 0.5)
    host.send("b", to: "taps")
    host.wait(until: 2.6)
    #expect(recorder.joined == "\"a1\" \"b1\" \"a2\" \"b2\"")
    recorder.cancel()
    host.wait(until: 10)
    #expect(recorder.values.count == 4)
  }

  @Test("the outer goes on when an inner finishes, and all end with the last")
  func innerFinishes() throws {
    let host = TestHost(subjects: "taps", "other")
    let recorder = try host.run("taps.flatMap { if $0 == 1 { Just(1) } else { other } }")
    host.send("1", to: "taps")
    host.send("2", to: "taps")
    host.subjects["taps"]?.send(completion: .finished)
    host.send("3", to: "other")
    #expect(recorder.completions.isEmpty)
    host.subjects["other"]?.send(completion: .finished)
    #expect(recorder.joined == "1 3")
    #expect(recorder.completions == [.finished])
  }

  @Test("an inner that fails ends all")
  func innerFails() throws {
    let host = TestHost(subjects: "taps", "other")
    let recorder = try host.run("taps.flatMap { $0 == 1 ? other : Fail(\"broken\") }")
    host.send("1", to: "taps")
    host.send("2", to: "taps")
    host.send("3", to: "other")
    #expect(recorder.values.isEmpty)
    #expect(recorder.failure?.message == "broken")
  }

  @Test(
    "three fetches of which the second fails",
    arguments: [
      ("FETCH", "10", "no 2"), ("FETCH.replaceError(with: null)", "10 null", nil),
      ("INSIDE.replaceError(with: null)", "10 null 30", nil),
      ("INSIDE.catch { Just([\"error\": $0.message]) }", "10 {\"error\":\"no 2\"} 30", nil),
    ] as [(String, String, String?)]
  )
  func fetches(form: String, values: String, failure: String?) throws {
    let fetch = "Just($0).tryMap { $0 == 2 ? fail(\"no \\($0)\") : $0 * 10 }"
    let all = "(1...3).publisher.flatMap(maxPublishers: .max(1)) { "
    let text =
      form.hasPrefix("FETCH")
      ? all + fetch + " }" + form.dropFirst(5) : all + fetch + form.dropFirst(6) + " }"
    let recorder = try TestHost().run(text)
    #expect(recorder.joined == values)
    #expect(recorder.failure?.message == failure)
    #expect(recorder.completions.count == 1)
  }

  @Test("answers come in the order of the requests, one at a time")
  func inOrder() throws {
    let host = TestHost()
    let recorder = try host.run(
      "[3, 1, 2].publisher.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: $0) }"
    )
    host.wait(until: 10)
    #expect(recorder.joined == "3 1 2")
    #expect(recorder.times == [3, 4, 6])
  }

  @Test("retry(3) subscribes four times to what always fails")
  func retry() throws {
    let host = TestHost()
    let recorder = try host.run("Just(1).print(\"try\").map { fail(\"no\") }.retry(3)")
    #expect(recorder.failure?.message == "no")
    #expect(host.lines.filter { $0.hasPrefix("try: receive subscription") }.count == 4)
  }

  @Test("a timer the first time, and nothing after that")
  func firstOnly() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(
      """
      taps.scan(0) { count, _ in count + 1 }
        .flatMap { $0 == 1 ? Timer.publish(every: 1).autoconnect() : Empty() }
      """
    )
    for second in [0.0, 0.5, 2.5] {
      host.wait(until: second)
      host.send("tap", to: "taps")
    }
    host.wait(until: 4)
    #expect(recorder.joined == "1 2 3 4")
    recorder.cancel()
  }

  @Test("a branch asks only where it needs to")
  func branch() throws {
    let host = TestHost(subjects: "lookups")
    host.pipelines["create"] = try host.pipeline("Just(\"new\").print(\"create\")")
    let recorder = try host.run(
      "lookups.flatMap { found in if found.exists { Just(found.zone) } else { create } }"
    )
    host.send("{\"exists\":true,\"zone\":\"a\"}", to: "lookups")
    #expect(host.lines.isEmpty)
    host.send("{\"exists\":false}", to: "lookups")
    #expect(recorder.joined == "\"a\" \"new\"")
    #expect(host.lines.filter { $0.hasPrefix("create: receive subscription") }.count == 1)
  }

  @Test("the first value or failure of an endless publisher ends it, and cancels upstream")
  func first() throws {
    let host = TestHost()
    let recorder = try host.run("probe.mapError { $0.message }.first()")
    host.probe.send(value("1"))
    #expect(recorder.joined == "1")
    #expect(recorder.completions == [.finished])
    #expect(host.probe.cancels == 1)
  }

  @Test("a subscriber of a subject has only what comes later")
  func late() throws {
    let host = TestHost(subjects: "taps")
    host.send("1", to: "taps")
    let recorder = try host.run("taps")
    host.send("2", to: "taps")
    #expect(recorder.joined == "2")
  }

  @Test("progress, then the end, and nothing after it", arguments: [true, false])
  func progress(fails: Bool) throws {
    let host = TestHost(subjects: "progress")
    let recorder = try host.run("progress.map { \"\\($0) %\" }.replaceError(with: \"failed\")")
    host.send("50", to: "progress")
    let failure = PipelineFailure(code: "broken", message: "")
    host.subjects["progress"]?.send(completion: fails ? .failure(failure) : .finished)
    host.send("60", to: "progress")
    #expect(recorder.joined == "\"50 %\"" + (fails ? " \"failed\"" : ""))
    #expect(recorder.completions == [.finished])
  }
}

import FlowFiles
import FlowLanguage
import FlowWire
import Testing

/// Tries a pipeline, for which time stands still.
func tape(
  _ expression: String,
  _ rows: [String] = [],
  ask: String = "u",
  ticks: Int = 40,
  change: (inout Trial) -> Void = { _ in }
) throws -> Tape {
  var trial = Trial(expression)
  trial.rows = rows
  trial.ask = ask
  trial.ticks = ticks
  change(&trial)
  return try trial.run { 0 }
}

func trialError(
  _ expression: String,
  _ rows: [String] = [],
  ask: String = "u",
  change: (inout Trial) -> Void = { _ in }
) -> TrialError? {
  do {
    _ = try tape(expression, rows, ask: ask, change: change)
    return nil
  } catch {
    return error as? TrialError
  }
}

private func text(_ events: [Tape.Event]) -> String {
  events.map { "\($0.tick):\($0.text)" }.joined(separator: " ")
}

private func text(_ states: [Tape.State]) -> String {
  states.map { state in
    let asked = state.asked.map(String.init) ?? "max"
    return "\(state.tick):\(state.held)/\(state.publishers)/\(asked)"
  }
  .joined(separator: " ")
}

/// A pipeline with a buffer that is soon full, in front of a slow stage.
let slowPipeline =
  "taps.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)"
  + ".flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.3) }"

@Suite("Trying a pipeline")
struct TrialTests {
  @Test("records what each stage sends, drops, holds and is asked for")
  func stages() throws {
    let tape = try tape(slowPipeline, ["taps 12345--"])
    #expect(tape.stages.map(\.op) == ["subject", "buffer", "flatMap"])
    #expect(
      tape.stages.map { text($0.out) } == [
        "0:1 1:2 2:3 4:5", "0:1 3:2 6:3 9:5", "3:1 6:2 9:3 12:5",
      ]
    )
    #expect(tape.stages.map { text($0.dropped) } == ["3:4", "", ""])
    #expect(
      text(tape.stages[0].state) == "0:0/0/2 1:0/0/1 2:0/0/0 3:0/0/1 4:0/0/0 6:0/0/1 9:0/0/2"
    )
    #expect(
      text(tape.stages[1].state)
        == "0:0/0/0 1:1/0/0 2:2/0/0 3:1/0/0 4:2/0/0 6:1/0/0 9:0/0/0 12:0/0/1"
    )
    #expect(text(tape.stages[2].state) == "0:0/1/max 12:0/0/max")
    #expect(tape.inner.map(\.op) == ["Just", "delay"])
    #expect(tape.inner.map { text($0.out) } == ["0:1 3:2 6:3 9:5", "3:1 6:2 9:3 12:5"])
    #expect(text(tape.inner[1].state) == "0:1/1/max 12:0/0/0")
    #expect(
      tape.inner[1].place.map { [$0.stage, $0.branch, $0.begun, $0.finished] } == [2, 0, 4, 4]
    )
    #expect(tape.stages[1].holds == .values(2))
    #expect(tape.stages[2].publisherLimit == 1)
    #expect(tape.end == nil)
  }

  @Test("is the JSON that the page reads")
  func json() throws {
    let tape = try tape("taps.map { $0 * 2 }", ["taps 1-|"], ask: "1-u", ticks: 5)
    #expect(
      tape.json == #"{"tick":100,"ticks":5,"end":[2,"done"],"stages":["#
        + #"{"text":"taps","op":"subject","out":[[0,"1"]],"dropped":[],"#
        + #""state":[[0,0,0,0]]},"#
        + #"{"text":"map { $0 * 2 }","op":"map","out":[[0,"2"]],"dropped":[],"#
        + #""state":[[0,0,0,0]]}]}"#
    )
  }

  @Test("writes the test with all that it needs")
  func testFile() throws {
    let tape = try tape(
      "taps\n  .map { $0 + 1 }",
      ["taps 12-3|"],
      ask: "2---'12'"
    )
    #expect(
      tape.testFile == """
        SUBJECT taps passthrough flow=free
        PIPELINE tried = taps.map { $0 + 1 }

        test "tried" tick 100ms
            taps     12-3|
            tried ⇠  2---'12'
            tried    23--|
            tried ⇣  1

        """
    )
    #expect(tape.testFile(until: 2).hasSuffix("    tried    23\n    tried ⇣  0\n"))
  }

  @Test(
    "to ask for more later leaves the past as it is",
    arguments: [slowPipeline, "taps", "taps.collect(2)"]
  )
  func pastStays(_ expression: String) throws {
    let rows = ["taps 123456789123456789|"]
    let short = try tape(expression, rows, ask: "2")
    for more in ["2-------5", "2-------u", "2--------1-1;"] {
      let long = try tape(expression, rows, ask: more)
      for (a, b) in zip(short.stages + short.inner, long.stages + long.inner) {
        #expect(a.out.filter { $0.tick < 8 } == b.out.filter { $0.tick < 8 })
        #expect(a.dropped.filter { $0.tick < 8 } == b.dropped.filter { $0.tick < 8 })
        #expect(a.state.filter { $0.tick < 8 } == b.state.filter { $0.tick < 8 })
      }
      #expect(long.json == (try tape(expression, rows, ask: more).json))
    }
  }

  @Test("has boxes of their own for the stages of branches")
  func branches() throws {
    let tape = try tape(
      "taps.merge(with: keys.map { $0 * 2 }, [7].publisher).flatMap { tap in let one = Just(tap); one.merge(with: one) }",
      ["taps 1-2", "keys -4-"]
    )
    #expect(tape.stages.map(\.op) == ["subject", "merge", "flatMap"])
    let boxes = tape.inner.map {
      "\($0.place?.stage ?? -1).\($0.place?.branch ?? -1) \($0.op) \(text($0.out))"
    }
    #expect(
      boxes == [
        "1.0 subject 1:4", "1.0 map 1:8", "1.1 publisher 0:7",
        "2.0 Just 0:7 0:1 1:8 2:2", "2.0 merge 0:7 0:7 0:1 0:1 1:8 1:8 2:2 2:2",
        "7.0 Just 0:7 0:1 1:8 2:2",
      ]
    )
  }

  @Test("knows the names of the server, with what is said of them there")
  func names() throws {
    let server = try definitions(
      """
      SUBJECT taps flow=slowest
      SUBJECT keys current 5 stall=2s
      PIPELINE plus = taps.map { $0 + 1 }
      PIPELINE more = plus.filter { $0 > 2 }
      RUN sums = taps.assign(to: keys)
      """
    )
    func change(_ trial: inout Trial) {
      trial.look(up: server)
      trial.names = server.all.map(\.name)
    }
    let one = try tape("more.merge(with: keys, more)", ["taps 123|"], ask: "1-1-u", change: change)
    #expect(one.stages.map(\.text).prefix(3) == ["taps", "map { $0 + 1 }", "filter { $0 > 2 }"])
    #expect(one.inner.map(\.text) == ["keys", "taps", "map { $0 + 1 }", "filter { $0 > 2 }"])
    #expect(text(one.inner[0].out) == "0:5")
    #expect(text(one.inner[3].out) == text(one.stages[2].out))
    #expect(
      one.testFile.hasPrefix(
        """
        SUBJECT taps passthrough flow=slowest
        SUBJECT keys current 5 flow=free stall=2s
        PIPELINE plus = taps.map { $0 + 1 }
        PIPELINE more = plus.filter { $0 > 2 }
        PIPELINE tried = more.merge(with: keys, more)
        """
      )
    )
    let wrong: [(String, [String], String)] = [
      ("tips", [], #"there is no subject or pipeline "tips"; did you mean "taps"?"#),
      ("sums", [], "sums is a run; read keys, where its values go"),
      ("taps", ["plus 1"], "plus is a pipeline; only subjects are sent to"),
    ]
    for (expression, rows, text) in wrong {
      #expect(trialError(expression, rows, change: change)?.text == text)
    }
    #expect(try tape("tried", ["tried 1"]).testFile.contains("PIPELINE tried2 = tried\n"))
  }

  @Test("what a service is asked")
  func calls() throws {
    let tape = try tape(
      "taps.flatMap { ask(work, $0) }",
      ["taps 1-2", "serve work { Just($0 * 2).delay(for: 0.1) }"]
    )
    #expect(tape.calls.map(\.service) == ["work"])
    #expect(tape.calls.map { text($0.values) } == ["0:1 2:2"])
    #expect(tape.inner.map(\.op) == ["ask"])
    #expect(text(tape.inner[0].out) == "1:2 3:4")
  }

  @Test(
    "says what is wrong, and where",
    arguments: [
      ("taps.mop { $0 }", [], "u", "6:1:6 there is no operator \"mop\"; did you mean \"map\"?"),
      ("taps\n  .mop { $0 }", [], "u", "9:2:4 there is no operator \"mop\"; did you mean \"map\"?"),
      (
        "taps", ["taps 1+"], "u",
        "taps 7:1:7 + is not a marble; expected a letter or digit, 'text', |, ^, [ab] or -"
      ),
      ("taps", ["taps <- u"], "u", "taps what is asked of the pipeline is told by ask"),
      ("taps", ["taps 1", "taps 2"], "u", "taps there is more than one row taps"),
      ("taps", ["+ 1"], "u", "+ \"+\" is not the name of a subject"),
      (
        "taps", [], "1x",
        "ask 2:1:2 x is not a demand; expected a digit, '20', u for unlimited, ; to cancel, _ or -"
      ),
      (
        "taps", ["serve work { $0 }"], "u",
        "serve 14:1:14 expected a publisher, found a value; did you mean \"Just($0)\"?"
      ),
    ]
  )
  func errors(_ expression: String, _ rows: [String], _ ask: String, _ expected: String) {
    let rows = rows.contains { $0.hasPrefix("taps") } ? rows : rows + ["taps 1"]
    let error = trialError(expression, rows, ask: ask)
    let place = error?.place.map { "\($0.column):\($0.line):\($0.columnInLine) " } ?? ""
    #expect("\(error?.row.map { $0 + " " } ?? "")\(place)\(error?.text ?? "")" == expected)
  }

  @Test("an error is the JSON that the page reads")
  func errorJSON() {
    #expect(
      trialError("taps.mop()", ["taps 1"])?.json
        == #"{"error":{"column":6,"line":1,"columnInLine":6,"length":3,"#
        + #""text":"there is no operator \"mop\"; did you mean \"map\"?"}}"#
    )
    let two = trialError("taps.mop()\n.foo()", ["taps 1"])
    #expect(two?.others.map(\.text) == ["there is no operator \"foo\""])
    #expect(
      two?.json.hasSuffix(
        #""others":[{"column":13,"line":2,"columnInLine":2,"length":3,"#
          + #""text":"there is no operator \"foo\""}]}}"#
      ) == true
    )
  }

  @Test(
    "stops what does too much",
    arguments: [
      "(1...1000000000000).publisher.filter { $0 < 0 }", "Fail(\"x\").retry(1000000000000)",
      "(1...1000000000000).publisher", "taps.flatMap { taps.flatMap { taps.flatMap { taps } } }",
      "(1...1000).publisher.flatMap { Timer.publish(every: 0.001).autoconnect() }.filter { $0 < 0 }",
      "taps.flatMap { ask(work, $0) }",
    ]
  )
  func tooMuch(_ expression: String) throws {
    let marbles = String(repeating: "[\(String(repeating: "1", count: 40))]", count: 40)
    let rows = ["taps \(marbles)", "serve work { (1...1000000000000).publisher.ignoreOutput() }"]
    let error = try #require(trialError(expression, rows))
    #expect(error.text.hasPrefix("the pipeline did more than 100000 steps; "))
    #expect(error.json.hasPrefix(#"{"error":{"text":"the pipeline did more"#))
  }

  @Test(
    "stops what takes too long",
    arguments: ["taps", "(1...1000000).publisher", "Timer.publish(every: 0.01).autoconnect()"]
  )
  func tooLong(_ expression: String) throws {
    var trial = Trial(expression)
    trial.rows = ["taps 123456789123456789123456789123456789123456789123456789123456789"]
    var now: UInt64 = 7
    #expect(throws: TrialError.self) {
      try trial.run {
        now += 1_000_000
        return now
      }
    }
    do {
      now = 7
      _ = try trial.run {
        now += 1_000_000
        return now
      }
    } catch {
      #expect(error.text.hasPrefix("the pipeline took more than 50 ms; "))
    }
  }

  @Test("stops what sends too much")
  func tooLarge() throws {
    func change(_ trial: inout Trial) { trial.limits.output = 100 }
    let error = try #require(trialError("(10...60).publisher", change: change))
    #expect(error.text.hasPrefix("the pipeline sent more than 100 bytes; "))
    #expect(trialError("(10...60).publisher", ask: "5", change: change) == nil)
  }

  @Test("refuses what is out of bounds")
  func bounds() {
    let cases: [(String, (inout Trial) -> Void)] = [
      ("tick is 0, expected a number from 1 to 10000", { $0.tick = 0 }),
      ("ticks is 1001, expected a number from 1 to 1000", { $0.ticks = 1_001 }),
      (
        "the expression has more than 65536 bytes",
        { $0.expression = String(repeating: " ", count: 65_537) }
      ),
      (
        "a row has more than 65536 bytes",
        { $0.rows = ["taps " + String(repeating: "-", count: 65_537)] }
      ),
      ("ask has more than 65536 bytes", { $0.ask = String(repeating: "-", count: 65_537) }),
      ("more than 256 rows", { $0.rows = (0..<257).map { "t\($0) 1" } }),
    ]
    for (text, change) in cases {
      #expect(trialError("taps", change: change)?.text == text)
    }
  }

  @Test("cuts long values, and a stage with too many of them")
  func cuts() throws {
    let long = String(repeating: "x", count: 100)
    let one = try tape("taps", ["taps '\(long)'"])
    #expect(one.stages[0].out.map(\.text) == [String(repeating: "x", count: 59) + "…"])
    #expect(one.testFile.contains("    tried    '\(long)'\n"))
    let many = try tape("(1...5000).publisher.filter { $0 > 4990 }")
    #expect(many.stages.map(\.isCut) == [true, false])
    #expect(many.stages.map(\.out.count) == [4_096, 10])
    #expect(many.json.contains(#""cut":true"#))
  }

  @Test("a name with dashes is found, also where a dash may be a sign")
  func dashes() throws {
    let server = try definitions(
      """
      SUBJECT a-b
      PIPELINE p-q-r = a-b.map { $0 - 1 }
      """
    )
    var trial = Trial("p-q-r.map { $0-2 }.merge(with: a-b)")
    trial.look(up: server)
    #expect(Set(trial.known.keys) == ["a-b", "p-q-r"])
    #expect(trial.known["p-q-r"] == .pipeline("a-b.map { $0 - 1 }"))
    trial.rows = ["a-b 5"]
    #expect(text(try trial.run { 0 }.stages[2].out) == "0:2")
  }

  @Test("a pipeline whose text has become its own is not known")
  func circle() {
    var trial = Trial("p")
    trial.known = ["p": .pipeline("q.map { $0 }"), "q": .pipeline("p.map { $0 }")]
    #expect(throws: TrialError.self) { try trial.run { 0 } }
  }

  @Test("has room for the longest pipeline, and keeps nothing of it", arguments: ["", ".share()"])
  func longest(_ end: String) throws {
    final class Token {}
    weak var kept: Token?
    let stages = String(repeating: ".map { $0 + 1 }", count: 124)
    var trial = Trial("p\(stages)\(end)")
    trial.known["p"] = .pipeline("taps\(stages)")
    trial.rows = ["taps 1-2"]
    do {
      let token = Token()
      kept = token
      let tape = try trial.run {
        withExtendedLifetime(token) {}
        return 0
      }
      #expect(tape.stages.last.map { text($0.out) } == "0:249 2:250")
    }
    #expect(kept == nil)
  }

  @Test("publishers that a value is made into, in publishers that a value is made into")
  func nested() throws {
    let tape = try tape(
      "taps.flatMap { tap in [tap, tap].publisher.flatMap { Just($0).delay(for: 0.1) } }",
      ["taps 1-2"]
    )
    #expect(tape.inner.map(\.op) == ["publisher", "flatMap", "Just", "delay"])
    #expect(tape.inner.map { $0.place?.stage } == [1, 1, 3, 3])
    #expect(text(tape.inner[3].state) == "0:2/2/max 1:0/0/0 2:2/2/max 3:0/0/0")
  }
}

import FlowFiles
import FlowLanguage
import FlowWire
import Testing

@Suite("Tests of files, played")
struct MarbleTests {
  /// Plays the rows of a test; `scene` is built of subjects, pipelines and runs.
  private func play(
    _ rows: String,
    tick: String = "1s",
    lossless: [String] = [],
    current: [String] = [],
    pipelines: [(String, String)],
    runs: [(String, String)] = []
  ) throws -> MarbleOutcome {
    let names = ["a", "b", "c"]
    var scene = MarbleScene()
    for name in names {
      let kind: SubjectSettings.Kind =
        current.contains(name) ? .current(Array("0".utf8)) : name == "c" ? .replay(2) : .passthrough
      let flow: SubjectSettings.Flow = lossless.contains(name) ? .slowest : .free
      scene.subjects.append((name, SubjectSettings(kind: kind, flow: flow)))
    }
    let lookup = { (name: String) in names.contains(name) ? NamedSource.subject : nil }
    for (name, text) in pipelines {
      scene.pipelines.append((name, try Pipeline(text, lookup: lookup, names: { names })))
    }
    for (name, text) in runs {
      scene.runs.append((name, try RunDefinition(text, lookup: lookup, names: { names })))
    }
    let file = FlowFile("test \"t\" tick \(tick)\n\(rows)", name: "t.flow")
    try #require(file.findings.isEmpty, "\(file.findings)")
    let statement = try #require(file.statements.first)
    guard case .test(let test) = statement.kind else { throw NoTest() }
    return test.play(in: scene)
  }

  private struct NoTest: Error {}

  @Test(
    "rows that are right",
    arguments: [
      ("a", "  a 123|\n p 123|"), ("a", "  a 1 2 3\n  p ⇠ u\n  p 123 # so it is"),
      ("a", "  a 12345\n  p <- 2-1\n  p 123\n  p ! 2"), ("a", "  a 123^\n  p 123^"),
      ("a", "  a 12345\n  p ⇠ __u\n  p --345"), ("a", "  a 12345\n  p ⇠ u-;\n  p 12\n  p ⇣ 0"),
      ("a", "  a [12]'it\\'s'\n  p [12]'it\\'s'"), ("a", "  a 'true''\"12\"'\n  p 'true''\"12\"'"),
      ("a", "  a '{\"b\": 1, \"c\":2}'\n  p '{\"c\":2,\"b\":1}'"),
      ("a.map { $0 * 2.5 }", "  a 2\n  p 5"), ("c", "  c 1234-\n  p ⇠ ____'12'\n  p ----[34]"),
      ("a.delay(for: 1.5)", "  a 12|\n  p -12|"), ("Just(1)", "  p ⇠ --u\n  p --[1|]"),
      ("a", "  a ------------'x'\n  p ⇠ '20'\n  p ------------x"),
      ("a.map { now + $0 }", "  a -1--1\n  p -'2.0'--'5.0'"),
    ]
  )
  func passes(_ pipeline: String, _ rows: String) throws {
    let outcome = try play(rows, pipelines: [("p", pipeline)])
    #expect(outcome.difference == nil, "\(outcome.drawing)")
  }

  @Test(
    "rows that are wrong, with the first tick that differs",
    arguments: [
      ("  a 123\n  p 12", "p differs in tick 2, at 2 s"),
      ("  a 12-\n  p 123", "p differs in tick 2, at 2 s"),
      ("  a 12|\n  p 12-|", "p differs in tick 2, at 2 s"),
      ("  a 12^\n  p 12|", "p differs in tick 2, at 2 s; it failed: failed"),
      ("  a [12]\n  p [21]", "p differs in tick 0, at 0 ns"),
      ("  a 123\n  p ⇠ 1\n  p ⇣ 1", "p missed 2, expected 1"),
    ]
  )
  func fails(_ rows: String, _ difference: String) throws {
    #expect(try play(rows, pipelines: [("p", "a")]).difference == difference)
  }

  @Test("the value that was left out is named where rows differ")
  func leftOut() throws {
    let outcome = try play("  a 1x\n  p 22", pipelines: [("p", "a.map { $0 * 2 }")])
    let reason = "it left out a value at map { $0 * 2 }: cannot apply \"*\" to String and Int; "
    #expect(outcome.difference?.hasPrefix("p differs in tick 1, at 1 s; \(reason)") == true)
  }

  @Test("a failure shows both diagrams, aligned, and the place")
  func drawing() throws {
    let outcome = try play(
      "  a 1'ten'[23]4\n  p ⇠ u\n  p 1'ten'25\n  p ⇣ 1",
      pipelines: [("p", "a")]
    )
    #expect(
      outcome.drawing == [
        "    a    1'ten'[23]4", "    p ⇠  u", "    p    1'ten'2   5   expected",
        "    p    1'ten'[23]4   got", "               ^", "    p ⇣  1   got 0",
      ]
    )
  }

  @Test("a lossless subject lets values wait for the slowest")
  func lossless() throws {
    let outcome = try play(
      "  a 1234|\n  p ⇠ u\n  p -1-2--[34|]\n  q ⇠ -1-1--u\n  q -1-2--[34|]\n  q ⇣ 0",
      lossless: ["a"],
      pipelines: [("p", "a"), ("q", "a")]
    )
    #expect(outcome.difference == nil, "\(outcome.drawing)")
  }

  @Test("who holds the others up for as long as the subject allows fails as on a server")
  func tooSlow() throws {
    let outcome = try play(
      "  a 123--\n  p 1-[23]--\n  q ⇠ 1\n  q 1-^",
      tick: "20s",
      lossless: ["a"],
      pipelines: [("p", "a"), ("q", "a")]
    )
    #expect(outcome.difference == nil, "\(outcome.drawing)")
    let early = try play(
      "  a 123--\n  p 1-[23]--\n  q ⇠ 1\n  q 1----",
      tick: "20s",
      lossless: ["a"],
      pipelines: [("p", "a"), ("q", "a")]
    )
    #expect(
      early.difference
        == "q differs in tick 2, at 40 s; "
        + "it failed: no room for values of a for 30000 ms while others had room"
    )
  }

  @Test("runs send to their subject what it grants, and end it if they subscribe it")
  func runs() throws {
    let free = try play(
      "  a 12|\n  r 24|\n  p 24",
      pipelines: [("p", "b")],
      runs: [("r", "a.map { $0 * 2 }.assign(to: b)")]
    )
    #expect(free.difference == nil, "\(free.drawing)")
    let held = try play(
      "  p ⇠ -2--u\n  p -[12]--[3|]\n  r -[12]--[3|]",
      lossless: ["b"],
      pipelines: [("p", "b")],
      runs: [("r", "(1...3).publisher.subscribe(b)")]
    )
    #expect(held.difference == nil, "\(held.drawing)")
  }

  @Test("a subject with a current value gives it to whoever comes")
  func current() throws {
    let outcome = try play("  a --1\n  p 0-1", current: ["a"], pipelines: [("p", "a")])
    #expect(outcome.difference == nil, "\(outcome.drawing)")
  }

  @Test("what never stops is stopped")
  func endless() throws {
    let timers = "(1...1000).publisher.flatMap { Timer.publish(every: 0.001).autoconnect() }"
    let outcome = try play("  p ---", pipelines: [("p", "\(timers).filter { $0 < 0 }")])
    #expect(
      outcome.difference?.hasPrefix("100,000 timers and delays were due by tick 0, at 1") ?? false
    )
  }

  @Test(
    "sources that go on in one moment are stopped, whoever asks them",
    arguments: [
      "(1...1000000000000).publisher", "(1...1000000000000).publisher.filter { $0 < 0 }",
      "[1, 2].publisher.flatMap { (1...1000000000000).publisher.map { $0 }.ignoreOutput() }",
      "Fail(\"x\").retry(1000000000000)", "a.flatMap { (1...1000000000000).publisher.count() }",
    ]
  )
  func endlessSource(_ pipeline: String) throws {
    let outcome = try play("  a 1\n  p ---", pipelines: [("p", pipeline)])
    #expect(
      outcome.difference
        == "p took 100,000 values from its sources in tick 0, at 0 ns and did not finish; "
        + "limit its demand with a row \"p ⇠ 3\", or a source with prefix(3)"
    )
    #expect(outcome.drawing.allSatisfy { $0.count < 300 })
    let bounded = try play(
      "  a 1\n  p ⇠ 3\n  p [123]",
      pipelines: [("p", "(1...1000000000000).publisher")]
    )
    #expect(bounded.difference == nil)
  }

  @Test("a closure stands in for the workers of a service, whose row is what they are asked")
  func services() throws {
    let pipeline = "a.flatMap(maxPublishers: .max(2)) { ask(work-it, $0) }"
    let outcome = try play(
      "  a [12]--\n  serve work-it { Just($0 * 10).delay(for: 1) } # comment\n"
        + "  work-it [12]--\n  p -['10''20']-",
      pipelines: [("p", pipeline)]
    )
    #expect(outcome.difference == nil, "\(outcome.drawing)")
    let wrong = try play(
      "  a 1-\n  serve work-it { $0 == 1 ? Fail(\"odd\") : b }\n  work-it 2-\n  p ^-",
      pipelines: [("p", pipeline)]
    )
    #expect(wrong.difference == "work-it differs in tick 0, at 0 ns")
    #expect(
      wrong.drawing == [
        "    a              1-", "    serve work-it  { $0 == 1 ? Fail(\"odd\") : b }",
        "    work-it        2-   expected", "    work-it        1-   got", "                   ^",
        "    p              ^-",
      ]
    )
    let again = try play(
      "  a 1---\n  serve work-it { Just($0).delay(for: 1).map { fail(\"no\") } }\n  work-it 111-\n  p ---^",
      pipelines: [("p", "a.flatMap { ask(work-it, $0).retry(2) }")]
    )
    #expect(again.difference == nil, "\(again.drawing)")
  }

  @Test("an ask that nothing answers says what row is missing")
  func noService() throws {
    let outcome = try play("  a 1\n  p 1", pipelines: [("p", "a.flatMap { ask(work-it, $0) }")])
    #expect(
      outcome.difference
        == "p differs in tick 0, at 0 ns; it failed: nothing answers ask(work-it, …) in this test; "
        + "add a row: serve work-it { Just($0) }"
    )
  }
}

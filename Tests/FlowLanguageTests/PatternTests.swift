import FlowCore
import Testing

@testable import FlowLanguage

@Suite("Patterns of subjects")
struct PatternTests {
  private let host = TestHost(subjects: "s/a", "s/b", "s/c/d", "lab-1", "t")

  private func subscribe(
    _ text: String,
    _ demand: Subscribers.Demand = .unlimited
  ) throws -> Recorder {
    let recorder = Recorder(host.clock, demand: demand)
    try host.pipeline(text).publisher(in: host).subscribe(recorder)
    return recorder
  }

  @Test(
    "joins the subjects that fit, in any place of a source",
    arguments: [
      ("s/*", "1 2"), ("s/**", "1 2 3"), ("s/*/d", "3"), ("**/d", "3"), ("lab-*", "4"),
      ("**", "1 2 3 4 5"), ("*", "4 5"), ("t.merge(with: s/*)", "1 2 5"),
      ("s/**.map { $0 }", "1 2 3"),
      ("Deferred { ** }", "1 2 3 4 5"), ("Deferred { lab-* }", "4"),
      ("Deferred { s/*.map { $0 * 10 } }", "10 20"), ("Deferred { lab*.map { $0 } }", "4"),
      ("Fail(error: 1).catch { e in ** }", "1 2 3 4 5"),
      ("Fail(error: 1).catch { e in lab* }", "4"), ("Just(0).flatMap { _ in **/d }", "3"),
      ("t.flatMap { _ in s/* }", ""), ("Just(0).flatMap { _ in s/* }", "1 2"), ("z/*", ""),
    ]
  )
  func joins(_ text: String, _ values: String) throws {
    let recorder = try subscribe(text)
    for (name, value) in zip(["s/a", "s/b", "s/c/d", "lab-1", "t"], 1...5) {
      host.send("\(value)", to: name)
    }
    #expect(recorder.joined == values)
    #expect(recorder.completions.isEmpty)
  }

  @Test("takes in those that are made later")
  func later() throws {
    let recorder = try subscribe("s/**")
    host.make("s/e/f")
    host.make("other")
    host.send("1", to: "s/e/f")
    host.send("2", to: "other")
    #expect(recorder.joined == "1")
    recorder.cancel()
    host.make("s/g")
    host.send("3", to: "s/g")
    #expect(recorder.joined == "1")
  }

  @Test("a subject that ends or fails just leaves")
  func leaving() throws {
    let recorder = try subscribe("s/*")
    host.subjects["s/a"]?.send(completion: .finished)
    host.send("1", to: "s/b")
    let deleted = PipelineFailure(code: "deleted", message: "")
    host.subjects["s/b"]?.send(completion: .failure(deleted))
    host.make("s/b")
    host.send("2", to: "s/b")
    #expect(recorder.joined == "1 2" && recorder.completions.isEmpty)
  }

  @Test("a reader who is to blame fails as with one subject")
  func tooSlow() throws {
    let recorder = try subscribe("s/*")
    let failure = PipelineFailure(code: "too-slow", message: "held up others")
    host.subjects["s/a"]?.send(completion: .failure(failure))
    #expect(recorder.failure == failure)
  }

  @Test("asks each for one value at a time; one of each waits")
  func demand() throws {
    let recorder = try subscribe("s/*", .max(1))
    #expect(host.demands == ["s/a max(1)", "s/b max(1)"])
    for value in 1...3 { host.send("\(value)", to: "s/a") }
    host.send("4", to: "s/b")
    #expect(recorder.joined == "1")
    recorder.subscription?.request(.max(2))
    #expect(recorder.joined == "1 2 4")
  }

  @Test(
    "$name is the subject's that a value comes from",
    arguments: [
      ("s/**.map { [$name, $0] }", "[\"s/a\",1] [\"s/b\",2] [\"s/c/d\",3]"),
      ("s/*.filter { $name != \"s/a\" }", "2"),
      ("s/*.filter { $0 > 0 }.map { $0 }.map { $name }", "\"s/a\" \"s/b\""),
      ("s/*.scan(\"\") { \"\\($0) \\($name)\" }", "\" s/a\" \" s/a s/b\""),
      ("s/*.compactMap { $name == \"s/b\" ? $0 : null }", "2"),
      ("s/*.removeDuplicates(by: { a, b in $name == \"s/b\" })", "1"),
      ("s/*.flatMap { Just([$name, $0]) }", "[\"s/a\",1] [\"s/b\",2]"),
      (
        "s/*.flatMap { v in let n = $name; return Just(v).map { [n, $0] } }",
        "[\"s/a\",1] [\"s/b\",2]"
      ),
      ("s/*.group(by: { $name }) { g, key in g.map { [key, $0] } }", "[\"s/a\",1] [\"s/b\",2]"),
      ("s/*.map { \"\\($name)=\\($0)\" }", "\"s/a=1\" \"s/b=2\""),
      ("t.map { [$name, $0] }", "[\"t\",5]"),
      ("s/*.map { [$name, $0] }.collect(2)", "[[\"s/a\",1],[\"s/b\",2]]"),
    ]
  )
  func names(_ text: String, _ values: String) throws {
    let recorder = try subscribe(text)
    for (name, value) in zip(["s/a", "s/b", "s/c/d", "t"], [1, 2, 3, 5]) {
      host.send("\(value)", to: name)
    }
    while host.isTurnDue { host.turn() }
    #expect(recorder.joined == values)
  }

  @Test("a value that has waited for demand has its own name")
  func waitingName() throws {
    let recorder = try subscribe("s/*.map { $name }", .max(1))
    host.send("1", to: "s/a")
    host.send("2", to: "s/b")
    host.send("3", to: "s/a")
    recorder.subscription?.request(.max(2))
    #expect(recorder.joined == "\"s/a\" \"s/b\" \"s/a\"")
  }

  @Test("a pipeline hands on the names of its pattern")
  func inlined() throws {
    host.pipelines["all"] = try host.pipeline("s/*.filter { $0 > 1 }")
    host.pipelines["last"] = try host.pipeline("s/*.last()")
    let recorder = try subscribe("all.map { $name }")
    host.send("1", to: "s/a")
    host.send("2", to: "s/b")
    #expect(recorder.joined == "\"s/b\"")
    #expect(throws: Diagnostic.self) { try host.pipeline("last.map { $name }") }
  }

  @Test(
    "where the name is lost, that is told",
    arguments: [
      "s/*.delay(for: 1).map { $name }", "s/*.collect(2).map { $name }",
      "s/*.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest).filter { $name == \"a\" }",
      "s/*.zip(t) { a, b in $name }", "s/*.merge(with: t).map { $name }",
      "s/*.flatMap { Just($0) }.map { $name }", "s/*.receive(on: DispatchQueue.main).map { $name }",
      "s/*.share().map { $name }", "s/*.catch { _ in t }.map { $name }",
    ]
  )
  func lost(_ text: String) {
    let error = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(error?.text.hasPrefix("$name is lost in ") == true, "\(error?.text ?? "")")
    #expect(error?.text.contains("put map { [\"name\": $name, \"value\": $0] } before it") == true)
  }

  @Test("a source that is no subject has no name")
  func noName() {
    let error = #expect(throws: Diagnostic.self) { try host.pipeline("Just(1).map { $name }") }
    #expect(error?.text.hasPrefix("$name is the name of the subject") == true)
  }

  @Test("$new gives the names of those that are made")
  func newNames() throws {
    let recorder = try subscribe("$new/s/**", .max(1))
    let upper = try subscribe("$new/s/*.map { $0.uppercased() }")
    host.make("s/x")
    host.make("other")
    host.make("s/y")
    #expect(recorder.joined == "\"s/x\"")
    #expect(host.drops[.noDemand] == 1)
    #expect(upper.joined == "\"S/X\" \"S/Y\"")
    #expect(throws: Diagnostic.self) { try host.pipeline("$new/s//x") }
  }

  @Test("what it reads is known by its patterns")
  func facts() throws {
    let pipeline = try host.pipeline("s/*.merge(with: t)")
    #expect(pipeline.subjects == ["t"] && pipeline.patterns.map(\.text) == ["s/*"])
    #expect(pipeline.mentions == ["t", "s/*"] && !pipeline.isAlone)
    #expect(try !host.pipeline("s/*").isAlone)
    #expect(try host.pipeline("s/*").isPlainSubject == nil)
  }

  @Test("counts what it holds and what its subjects missed")
  func figures() throws {
    let pipeline = try host.pipeline("s/*.map { $0 }")
    let counters = StageCounters(count: 2)
    host.counters = counters
    let recorder = Recorder(host.clock, demand: .max(1))
    pipeline.publisher(in: host).subscribe(recorder)
    host.send("1", to: "s/a")
    host.send("2", to: "s/b")
    let figures = pipeline.figures(ofRun: counters)
    #expect(figures[0].sent == 1 && figures[0].held == 1 && figures[0].taken == 2)
    recorder.cancel()
    let after = pipeline.figures(ofRun: counters)[0]
    #expect(after.held == 0 && after.left == 1 && after.taken == 2)
  }
}

import FlowCore
import FlowLanguage
import Testing

@Suite("sum, average, median, percentile")
struct StatisticsTests {
  @Test(
    "of all numbers",
    arguments: [
      ("[1, 2, 3].publisher.sum()", "6"), ("[1, 2.5].publisher.sum()", "3.5"),
      ("Empty().sum()", "0"), ("[0.1, 0.2].publisher.sum()", "0.30000000000000004"),
      ("[9223372036854775806, 1].publisher.sum()", "9223372036854775807"),
      ("[0.1, 0.2].publisher.percentile(0.7)", "0.17"),
      ("[9007199254740992, 1, 1].publisher.average()", "3002399751580331.5"),
      ("[9223372036854775808, 1].publisher.sum()", "9223372036854775809"),
      ("[1, 2].publisher.average()", "1.5"), ("[3].publisher.average()", "3.0"),
      ("Empty().average()", ""), ("Empty().median()", ""), ("Empty().percentile(0.5)", ""),
      ("[9223372036854775807, 9223372036854775807].publisher.average()", "9.223372036854776e+18"),
      ("[5, 1, 3].publisher.median()", "3.0"), ("[4, 1, 3, 2].publisher.median()", "2.5"),
      ("[7].publisher.percentile(0.95)", "7.0"), ("(1...5).publisher.percentile(0)", "1.0"),
      ("(1...5).publisher.percentile(1)", "5.0"), ("(1...5).publisher.percentile(0.9)", "4.6"),
      ("(1...100).publisher.percentile(0.95)", "95.05"),
      ("[1e308, -1e308].publisher.percentile(0.25)", "-5e+307"),
      (
        "[[\"p\": 2], [\"p\": 3]].publisher.map(\\.p).sum().map { $0 * 10 }", "50"
      ), ("(1...4).publisher.window(2) { $0.average() }", "1.5 3.5"),
      (
        "(1...6).publisher.group(by: { $0 % 2 }) { g, k in g.sum().map { [k, $0] } }",
        "[1,9] [0,12]"
      ),
    ] as [(String, String)]
  )
  func values(_ text: String, _ expected: String) throws {
    let recorder = try TestHost().run(text)
    #expect(recorder.joined == expected)
    #expect(recorder.completions == [.finished])
  }

  @Test(
    "what is no number they leave out, and say why",
    arguments: [
      (
        "[1, \"a\", 2].publisher.sum()", "3",
        "sum(): sum needs numbers, not a String; the value is \"a\""
      ),
      (
        "[null, 4].publisher.median()", "4.0",
        "median(): median needs numbers, not null; the value is null"
      ),
      (
        "[9223372036854775807, 1].publisher.sum()", "9223372036854775807",
        "sum(): arithmetic overflow; the value is 1"
      ),
      (
        "[1e308, 1e308].publisher.average()", "1e+308",
        "average(): arithmetic overflow; the value is 1e+308"
      ),
    ]
  )
  func leavesOut(_ text: String, _ result: String, _ reason: String) throws {
    let host = TestHost()
    let recorder = try host.run(text)
    #expect(recorder.values == [result])
    #expect(host.omissions.map(\.text) == [reason])
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test("more numbers than a stage may hold fail it")
  func tooMany() throws {
    let host = TestHost()
    let recorder = try host.run("(0...65536).publisher.median()")
    for _ in 0..<100_000 where host.isTurnDue { host.turn() }
    #expect(recorder.values == [])
    let message = "median(): more than 65536 values wait; the value is 65536"
    #expect(recorder.failure?.message == message)
    #expect(host.memoryBudget.bytes == 0)
  }

  @Test(
    "functions and operators of the same name have the same results",
    arguments: [
      "sum()", "average()", "median()", "percentile(0)", "percentile(0.05)", "percentile(0.7)",
      "percentile(0.95)", "percentile(1)",
    ]
  )
  func functions(_ call: String) throws {
    for array in [
      "[0.1, 0.2]", "[9007199254740992, 1, 1]", "[1, 2.5, 3]", "[1e308, -1e308, 1e308]",
      "[9223372036854775807, 9223372036854775807]", "[18446744073709551615, 1, 0.1]",
      "[18446744073709551615, 18446744073709551615]", "[0.7, 1e17, 0.1, 0.3, 3]", "[1e308, 1e308]",
    ] {
      let (host, other) = (TestHost(), TestHost())
      let function = try host.run("Just(\(array)).map { let a = $0; a.\(call) }")
      let stage = try other.run("\(array).publisher.\(call)")
      // The operator leaves out what is too much, the function has no answer for all of it.
      #expect(host.omissions.isEmpty == other.omissions.isEmpty, "\(array)")
      if host.omissions.isEmpty { #expect(function.values == stage.values, "\(array)") }
    }
  }

  @Test("a percentile is a part from 0 to 1", arguments: ["95", "-0.1", "\"a\"", "1.0001"])
  func fractions(_ text: String) throws {
    let diagnostic = #expect(throws: Diagnostic.self) {
      try TestHost(subjects: "taps").pipeline("taps.percentile(\(text))")
    }
    #expect(diagnostic?.message == "expected a number from 0 to 1, such as 0.95")
  }

  @Test("the result waits for demand, and nothing does not")
  func demand() throws {
    let host = TestHost(subjects: "taps")
    let some = Recorder(host.clock, demand: .none)
    try host.pipeline("taps.average()").publisher(in: host).subscribe(some)
    let none = Recorder(host.clock, demand: .none)
    try host.pipeline("taps.filter { $0 > 9 }.average()").publisher(in: host).subscribe(none)
    host.send("4", to: "taps")
    host.subjects["taps"]?.send(completion: .finished)
    #expect(some.values == [] && some.completions == [])
    #expect(none.completions == [.finished])
    some.subscription?.request(.max(1))
    #expect(some.joined == "4.0")
    #expect(some.completions == [.finished])
  }

  @Test("what median holds is charged, and given back by a cancellation")
  func memory() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.median()")
    for number in 1...100 { host.send("\(number)", to: "taps") }
    #expect(host.memoryBudget.bytes >= 800)
    recorder.cancel()
    host.send("1", to: "taps")
    #expect(recorder.values == [])
  }

  @Test("each subscription has its own")
  func again() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.map { $0 < 9 ? $0 : fail(\"no\") }.sum().retry(1)")
    for number in [1, 2, 9, 4] { host.send("\(number)", to: "taps") }
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.joined == "4")
  }
}

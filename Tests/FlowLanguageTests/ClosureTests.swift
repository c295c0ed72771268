import FlowLanguage
import FlowTestSupport
import Testing

@Suite("Closures compute")
struct ClosureTests {
  @Test(
    "map's closure makes",
    arguments: [
      ("5", "$0 * 2", "10"),
      ("5", "$0 / 2 + 0.5", "2.5"),
      ("7", "$0 % 4 - 1", "2"),
      ("2", "1 + $0 * 3", "7"),
      ("2", "-$0", "-2"),
      (#"{"a":1,"b":[1,{"c":2}]}"#, "$0.b[1].c", "2"),
      (#"{"a":1}"#, "$0.missing.deeper", "null"),
      (#"{"a":1}"#, "$0.missing ?? $0.a", "1"),
      (#"{"a":1}"#, "$0[\"a\"]", "1"),
      ("[1,2,3]", "$0.count", "3"),
      ("[]", "$0.isEmpty", "true"),
      ("\"héllo\"", "$0.count", "5"),
      ("hello", "$0", "hello"),
      ("hello", "[$0]", "[\"hello\"]"),
      ("hello", "\"\\($0) and \\($0.count + 1)\"", "\"hello and 6\""),
      ("{ \"a\" : 1 }", "$0", "{ \"a\" : 1 }"),
      ("3", "[\"id\": $0, \"list\": [$0, null]]", "{\"id\":3,\"list\":[3,null]}"),
      ("3", "$0 > 2 && !($0 == 4) || false", "true"),
      ("3", "$0 >= 4 ? \"big\" : \"small\"", "\"small\""),
      ("3", "if $0 >= 3 { \"big\" } else { \"small\" }", "\"big\""),
      ("3", "if $0 > 3 { 1 } else if $0 > 2 { 2 } else { 3 }", "2"),
      ("3", "order in order + 1", "4"),
      ("3", "let a = $0 + 1; let b = a * a; b - a", "12"),
      ("3", "let a = $0 + 1 let b = a * a b", "16"),
      ("\"a\"", "$0 < \"b\"", "true"),
      ("1", "1.0 == $0", "true"),
      ("9223372036854775807", "$0", "9223372036854775807"),
      ("1", "\"\\u{e9}\\n\"", "\"é\\n\""),
      ("1", "\"\\($0 > 0 ? \"a)\\(\"(\")\" : \"b\")!\"", "\"a)(!\""),
      ("[1,2]", "$0 == [1.0, 2]", "true"),
      ("[1]", "$0 + [2] != [1, 2]", "false"),
      ("1", "1...3", "[1,2,3]"),
      ("2", "1..<$0 + 1", "[1,2]"),
      ("9007199254740993", "$0 > 9007199254740992.0", "true"),
      ("[1,2]", "$0[5]", "null"),
      ("[1,2]", "$0[-1]", "null"),
      ("{\"a\":{\"b\":{\"c\":1}}}", "$0.a.b", "{\"c\":1}"),
      ("{\"a\":1,\"a\":2}", "$0.a", "2"),
      ("2", "switch $0 { case 1: \"one\" case 2, 3: \"few\" default: \"many\" }", "\"few\""),
      ("2.0", "switch $0 { case 2: true default: false }", "true"),
      (
        "7", "switch $0 { case ..<0: \"-\" case 0: \"0\" case 1...: \"+\" default: \"?\" }", "\"+\""
      ),
      ("0.5", "switch $0 { case -1..<0.5: 1 case 0.5...0.5: 2 default: 3 }", "2"),
      ("\"m\"", "switch $0 { case \"a\"...\"l\": 1 case \"m\"...\"z\": 2 default: 3 }", "2"),
      ("\"m\"", "switch $0 { case 1...5: 1 case null, true: 2 default: 3 }", "3"),
      ("{\"k\":\"b\"}", "switch $0.k { case \"b\": let n = 2; n * n default: 0 }", "4"),
      ("1", "(switch $0 { case 1: 10 default: 20 }) + 1", "11"),
    ] as [(String, String, String)]
  )
  func maps(payload: String, body: String, expected: String) throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.map { \(body) }")
    host.send(payload, to: "taps")
    #expect(recorder.values == [expected])
  }

  @Test(
    "a stage with try fails where its closure cannot be computed, naming stage and value",
    arguments: [
      ("0", "1 / $0", "tryMap { 1 / $0 }: division by zero; the value is 0"),
      ("0", "1 % $0", "tryMap { 1 % $0 }: division by zero; the value is 0"),
      ("0", "1.5 / $0", "tryMap { 1.5 / $0 }: division by zero; the value is 0"),
      (
        "9223372036854775807", "$0 + 1",
        "tryMap { $0 + 1 }: arithmetic overflow; the value is 9223372036854775807"
      ),
      (
        "\"a\"", "$0 * 2",
        "tryMap { $0 * 2 }: cannot apply \"*\" to String and Int; the value is \"a\""
      ),
      ("1", "!$0", "tryMap { !$0 }: \"!\" needs a Bool, not an Int; the value is 1"),
      ("1", "$0.a", "tryMap { $0.a }: an Int has no member \"a\"; the value is 1"),
      ("1", "fail(\"no \\($0)\")", "no 1"),
    ] as [(String, String, String)]
  )
  func failures(payload: String, body: String, message: String) throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.tryMap { \(body) }")
    host.send(payload, to: "taps")
    host.send(payload, to: "taps")
    #expect(recorder.values.isEmpty)
    #expect(recorder.completions.count == 1)
    #expect(recorder.failure == PipelineFailure(code: "stage", message: message))
  }

  @Test("a long value is cut in the message")
  func longValue() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.tryMap { $0 - 1 }")
    host.send(String(repeating: "x", count: 5000), to: "taps")
    let message = try #require(recorder.failure?.message)
    #expect(message.hasSuffix("the value is " + String(repeating: "x", count: 200) + "…"))
  }

  /// What `body` makes of an Int, or why it makes nothing.
  private func outcome(_ body: String, _ number: Int) throws -> String {
    let closure = try ValueClosure("{ \(body) }")
    do throws(PipelineFailure) {
      return try closure(.int(number)).text
    } catch {
      return String(error.message.dropFirst("{ \(body) }: ".count))
    }
  }

  @Test("arithmetic with constants takes a short way, on which nothing is different")
  func shortWay() throws {
    var dice = Dice(state: 5)
    let constants = ["0", "1", "2", "7", "-1", "-3", "9223372036854775807", "1000000007"]
    for _ in 0..<RandomCases.count(500) {
      var short = "$0"
      for _ in 0..<Int.random(in: 1...4, using: &dice) {
        let sign = ["+", "-", "*", "/", "%"].randomElement(using: &dice) ?? "+"
        let constant = constants.randomElement(using: &dice) ?? "1"
        let isBehind = Bool.random(using: &dice) && (sign == "+" || sign == "*")
        short = isBehind ? "(\(constant) \(sign) \(short))" : "(\(short) \(sign) \(constant))"
      }
      if Bool.random(using: &dice) {
        let sign = ["<", ">", "<=", ">=", "==", "!="].randomElement(using: &dice) ?? "<"
        short += " \(sign) \(constants.randomElement(using: &dice) ?? "1")"
      }
      // What has a let takes the long way.
      let long = "let x = $0; " + short.replacing("$0", with: "x")
      for number in [0, 1, -1, 6, 123_456_789, .max, .min] {
        #expect(try outcome(short, number) == outcome(long, number), "\(short), \(number)")
      }
    }
  }

  @Test("the short way is not taken where the parameter is another one's")
  func shortWayInside() throws {
    let host = TestHost()
    let text = "Just(100).flatMap { all in (1...2).publisher.map { $0 * 2 + 1 } }"
    #expect(try host.run(text).joined == "3 5")
    let outer = "Just(100).flatMap { all in (1...2).publisher.map { _ in all * 2 + 1 } }"
    #expect(try host.run(outer).joined == "201 201")
  }
}

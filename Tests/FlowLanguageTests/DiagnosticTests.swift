import FlowLanguage
import Testing

@Suite("What is wrong with a text is said, and where")
struct DiagnosticTests {
  @Test(
    "message and place",
    arguments: [
      ("taps.fliter { $0 > 1 }", "there is no operator \"fliter\"; did you mean \"filter\"?", 5, 6),
      ("tpas.map { $0 }", "there is no subject or pipeline \"tpas\"; did you mean \"taps\"?", 0, 4),
      ("taps.map { $1 }", "there is no value \"$1\"; did you mean \"$0\"?", 11, 2),
      ("taps.map { a, b in a }", "the closure is given one parameter, not 2", 9, 13),
      ("taps.scan(0) { a in a }", "the closure is given 2 parameters, not 1", 13, 10),
      ("taps.map { order in ordr }", "there is no value \"ordr\"; did you mean \"order\"?", 20, 4),
      ("taps.map", "map needs its arguments", 5, 3),
      ("taps.map()", "map needs a closure: map { value in … }", 5, 3),
      ("taps.map(1)", "map needs a closure here", 9, 1),
      ("taps.", "the text ends where a name after the dot was expected", 5, 0),
      ("taps.map { $0 ", "the text ends where \"}\" was expected", 14, 0),
      ("taps taps", "\"taps\" stands where the end of the expression was expected", 5, 4),
      ("", "the text ends where an expression was expected", 0, 0),
      ("Just(\"a", "the string has no closing quote", 5, 2),
      ("Just(99999999999999999999)", "\"99999999999999999999\" is no number that fits", 5, 20),
      ("3", "a publisher is needed here, and this is a value; did you mean \"Just(3)\"?", 0, 1),
      ("Jsut(3)", "there is no source \"Jsut\"; did you mean \"Just\"?", 0, 4),
      ("taps.map { taps }", "\"taps\" is a publisher, and a value is needed here", 11, 4),
      ("taps.map { Just($0) }", "\"Just\" makes a publisher, and a value is needed here", 11, 8),
      ("Timer.publish(every: 1)", "a Timer needs .autoconnect() behind it", 0, 23),
      ("taps.map { if $0 { 1 } }", "\"}\" stands where \"else\" was expected", 23, 1),
      ("taps.map { # }", "\"#\" has no meaning here", 11, 1),
    ] as [(String, String, Int, Int)]
  )
  func diagnostics(text: String, message: String, offset: Int, length: Int) {
    let host = TestHost(subjects: "taps")
    let diagnostic = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(diagnostic?.text == message)
    #expect(diagnostic?.offset == offset)
    #expect(diagnostic?.length == length)
  }

  @Test("a text is bounded in length, nesting and stages")
  func limits() {
    let host = TestHost(subjects: "taps")
    let long = "Just(\"" + String(repeating: "x", count: 16 * 1024) + "\")"
    let deep = "Just(" + String(repeating: "(", count: 80) + "1" + String(repeating: ")", count: 81)
    let chain = "taps" + String(repeating: ".map { $0 }", count: 300)
    let sums = "Just(1" + String(repeating: "+1", count: 4000) + ")"
    for text in [long, deep, chain, sums] {
      #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    }
  }

  @Test("a pipeline that is used by the next, again and again, is bounded too")
  func inlining() throws {
    let host = TestHost(subjects: "taps")
    host.pipelines["p0"] = try host.pipeline("taps.map { $0 }")
    var refused = false
    for number in 1...300 where !refused {
      do {
        host.pipelines["p\(number)"] = try host.pipeline("p\(number - 1).map { $0 }")
      } catch {
        refused = true
        #expect(error.message == "the pipeline has more than 256 stages")
      }
    }
    #expect(refused)
  }
}

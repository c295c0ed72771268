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
      (
        "taps.delay(3)", "a label is missing: delay(for: time, scheduler: DispatchQueue.main)", 11,
        1
      ),
      ("taps.merge(taps)", "a label is missing: merge(with: publisher, …)", 11, 4),
      ("taps.map { $0.a = 1 }", "nothing can be assigned here; did you mean \"==\"?", 16, 1),
      ("taps.filter { $0 => 1 }", "nothing can be assigned here; did you mean \">=\"?", 17, 1),
      ("taps.map { $0 += 1 }", "nothing can be assigned here; did you mean \"==\"?", 15, 1),
      ("taps.map { ($0, 1) }", "there are no tuples; an array is written [a, b]", 14, 1),
      ("taps.map { 'a' }", "a string has the quotes \"…\"", 11, 1),
      ("taps.map { “a” }", "a string has the quotes \"…\"", 11, 1),
      ("taps.map { $0 & 1 }", "\"&\" has no meaning here; did you mean \"&&\"?", 14, 1),
      ("taps.map { $0 } // all", "a comment begins with #, and only in a file", 17, 1),
      (
        "taps.map { throw Late.x }", "there is no \"throw\" here: fail(\"text\") fails the stage",
        11, 5
      ),
      ("taps.map { $0 as Int }", "there is no \"as\" here: values have no types", 14, 2),
      ("taps.map { var a = 1; a }", "there is no \"var\" here: let names a value", 11, 3),
      (
        "taps.map { for a in $0 { a } }",
        "there is no \"for\" here: map, filter and reduce go through an array", 11, 3
      ),
      (
        "taps.makeConnectable().autoconnect()",
        "there is no makeConnectable in a pipeline: share() connects with the first subscriber", 5,
        15
      ),
      ("(1...).publisher", "a range that is published needs an end", 1, 4),
      ("taps.output(in: 3)", "a range is needed here, as in 1...3", 16, 1),
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
      ("ask(\"work\", 1)", "a service's name has no quotes; did you mean \"ask(work, …)\"?", 4, 6),
      ("ask(3, 1)", "ask needs the name of a service, as in ask(resize, $0)", 4, 1),
      ("ask(a - b, 1)", "ask needs the name of a service, as in ask(resize, $0)", 4, 5),
      ("ask(work)", "ask needs the name of a service and a value: ask(service, value)", 0, 3),
      ("ask()", "ask needs the name of a service and a value: ask(service, value)", 0, 3),
      ("ask(work, 1, 2)", "ask does not take that many arguments: ask(service, value)", 13, 1),
      ("ask(work, to: 1)", "there is no argument of ask called \"to\"", 10, 2),
      ("ask(work, taps)", "\"taps\" is a publisher, and a value is needed here", 10, 4),
      (
        "taps.flatMap { work in ask(work, 1) }",
        "\"work\" is a value, and ask needs a service's name",
        27, 4
      ),
      (
        "taps.map { ask(work, $0) }", "\"ask\" makes a publisher, and a value is needed here", 11,
        13
      ),
      ("akk(work, 1)", "there is no source \"akk\"; did you mean \"ask\"?", 0, 3),
      (
        "taps.map { if let a = (((((((((((((((((1 + $0) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) + 1) { a } else { 0 } }",
        "if let takes a short value; name this one before", 23, 102
      ),
      ("taps.map { # }", "\"#\" has no meaning here", 11, 1),
      ("taps.map { \"a\" * 2 }", "\"*\" does not go with a String and an Int", 11, 7),
      ("taps.map { $0.x + ([1] - 2) }", "\"-\" does not go with an array and an Int", 19, 7),
      ("taps.map { let n = $0 > 1; n < 2 }", "\"<\" does not go with a Bool and an Int", 27, 5),
      ("taps.map { 1 / 0 }", "division by zero", 11, 5),
      ("taps.map { !1 }", "\"!\" needs a Bool, not an Int", 12, 1),
      ("taps.map { $0 + 1 && true }", "\"&&\" needs a Bool, not a number", 11, 6),
      ("taps.map { 1 ? 2 : 3 }", "a condition needs a Bool, not an Int", 11, 1),
      ("taps.map { 1...\"a\" }", "a range needs an Int, not a String", 15, 3),
      ("taps.map { [1: 2] }", "a key needs a String, not an Int", 12, 1),
      (
        "taps.map { true[0] }", "a subscript needs an array or an object or null, not a Bool", 11, 4
      ),
      ("taps.filter { $0 + 1 }", "the closure has to make a Bool, not a number", 12, 10),
      (
        "taps.map { $0.upercased() }",
        "there is no function \"upercased\"; did you mean \"uppercased\"?", 14, 9
      ),
      ("taps.map { rond($0) }", "there is no function \"rond\"; did you mean \"round\"?", 11, 4),
      (
        "taps.map { \"a\".cuont }", "there is no property \"cuont\"; did you mean \"count\"?", 15, 5
      ),
      ("taps.map { $0.count() }", "count is a property: value.count", 11, 10),
      ("taps.map { \"a\".trimmed() }", "trimmed is a property: text.trimmed", 11, 13),
      ("taps.map { 1.uppercased() }", "uppercased needs a String, not an Int", 13, 10),
      (
        "taps.map { \"a\".uppercased }", "uppercased needs its arguments: text.uppercased()", 15, 10
      ),
      (
        "taps.map { $0.split(seperator: \",\") }",
        "there is no argument of split called \"seperator\"; did you mean \"separator\"?", 20, 9
      ),
      ("taps.map { $0.split(\",\") }", "split is written text.split(separator: text)", 11, 13),
      ("taps.map { $0.hasPrefix() }", "hasPrefix is written text.hasPrefix(text)", 11, 14),
      (
        "taps.map { $0.map(1) }", "map is written array.map { element in … }", 11, 9
      ),
      (
        "taps.map { $0.reduce(0) { a in a } }", "the closure is given 2 parameters, not 1", 24, 10
      ),
      ("taps.map { $0.hasPrefix(1) }", "hasPrefix needs a String, not an Int", 24, 1),
      ("taps.map { round }", "round needs its arguments: round(number)", 11, 5),
      ("taps.map { abs(\"a\") }", "abs needs a number, not a String", 15, 3),
      (
        "taps.map { uppercased($0) }", "uppercased stands behind a value: text.uppercased()", 11, 10
      ),
      ("taps.map { $0.round() }", "round is a function by itself: round(number)", 11, 10),
      ("taps.map { $0.delay(for: 1) }", "delay goes with publishers, and this is a value", 14, 5),
      ("taps.map { switch $0 { case 1: 2 } }", "a switch needs a default", 11, 6),
      (
        "taps.map { switch $0 { case 1, 1: 2 default: 3 } }", "the switch has this case already",
        31, 1
      ),
      (
        "taps.map { switch $0 { case $0: 2 default: 3 } }",
        "a case needs a literal or a range of literals", 28, 2
      ),
      (
        "taps.map { switch $0 { case 1...\"a\": 2 default: 3 } }",
        "a range needs two numbers or two strings", 28, 7
      ),
      ("taps.map { switch $0 { case 3...1: 2 default: 3 } }", "a range can not go down", 28, 5),
      (
        "taps.map { switch $0 { default: 3 case 1: 2 } }", "the default is the last case", 34, 4
      ),
      (
        "taps.map { switch $0 > 1 { case 1: 2 default: 3 } }",
        "the switch is over a Bool, which is never a number", 32, 1
      ),
      (
        "taps.map { switch $0 { 1 } }",
        "\"1\" stands where \"case\" or \"default\" was expected", 23, 1
      ),
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

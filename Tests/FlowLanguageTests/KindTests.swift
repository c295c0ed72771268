import FlowCore
import Testing

@testable import FlowLanguage

@Suite("What a publisher publishes is known as far as it can be")
struct KindTests {
  @Test(
    "a closure that cannot go with it is an error",
    arguments: [
      ("(1...3).publisher.map { $0.uppercased() }", "uppercased needs a String, not an Int"),
      ("[1, 2.5].publisher.map(\\.isEmpty)", "isEmpty needs"),
      ("[\"a\"].publisher.map { $0 * 2 }", "cannot apply \"*\" to String and Int"),
      ("Just(true).filter { $0 > 1 }", "cannot apply \">\" to Bool and Int"),
      ("Timer.publish(every: 1).autoconnect().map(\\.name)", "there is no property \"name\""),
      ("taps.count().map { $0.hasPrefix(\"a\") }", "hasPrefix needs a String, not an Int"),
      ("taps.collect(2).map { $0 - 1 }", "cannot apply \"-\" to array and Int"),
      ("taps.map { $0 > 1 }.map { $0 + 1 }", "cannot apply \"+\" to Bool and Int"),
      ("taps.contains(1).filter { $0 == 1 && $0 < 2 }", "cannot apply \"<\" to Bool and Int"),
      ("taps.map { \"\\($0)\" }.delay(for: 1).scan(0) { $0 + $1 }", "to Int and String"),
      ("taps.scan(\"\") { \"\\($0)\\($1)\" }.map { -$0 }", "\"-\" needs a number, not a String"),
      ("taps.reduce(0) { $0 + $1 }.map { $0.trimmed }", "trimmed needs a String, not a number"),
      (
        "taps.flatMap { Just(\"\\($0)\").delay(for: 1) }.map { $0 / 2 }", "to String and Int"
      ),
      ("Just(1).flatMap { Just($0.lowercased()) }", "lowercased needs a String, not an Int"),
      ("Just(1).merge(with: Just(2)).map { $0.trimmed }", "trimmed needs a String, not an Int"),
      ("Just(1).append(\"a\").map { $0.keys }", "keys needs an object, not an Int or a String"),
      ("taps.zip(taps).map { $0 * 2 }", "cannot apply \"*\" to array and Int"),
      ("Just(1).zip(Just(\"a\")) { $1 * 2 }", "cannot apply \"*\" to String and Int"),
      ("Just(1).combineLatest(taps) { $0.trimmed }", "trimmed needs a String, not an Int"),
      ("taps.measureInterval(using: RunLoop.main).map { $0.trimmed }", "not a Double"),
      ("Just(1).catch { Just($0.code) }.map { $0 }.filter { $0.a }", "OK"),
      ("Just(\"a\").max { $0 < 1 }", "cannot apply \"<\" to String and Int"),
      ("Just(1).group(by: { $0.trimmed }) { $0 }", "trimmed needs a String, not an Int"),
      ("Just(1).group(by: { \"\\($0)\" }) { $0.map { $0.trimmed } }", "trimmed needs"),
      (
        "Just(1).group(by: { \"\\($0)\" }) { group, key in group.map { key * 2 } }", "to String"
      ),
      ("Just(1).window(2) { $0.collect().map { $0 * 2 } }", "to array and Int"),
      ("Deferred { Just(\"a\") }.filter { $0 > 1 }", "cannot apply \">\" to String and Int"),
      ("words.map { $0 * 2 }", "cannot apply \"*\" to String and Int"),
      (
        "[1, null].publisher.replaceNil(with: 0).map { $0.keys }",
        "keys needs an object, not an Int"
      ),
      ("[1, null].publisher.compactMap { $0 }.map { $0.keys }", "keys needs an object, not an Int"),
      ("taps.zip(taps).map { a, b, c in c }", "an array of 2 elements"),
      ("taps.zip(taps, taps).map { a, b in a }", "an array of 3 elements"),
      ("taps.combineLatest(taps).filter { $0 > $2 }", "no value \"$2\""),
      ("taps.withLatest(from: taps).flatMap { a, b, c in Just(c) }", "an array of 2 elements"),
      ("taps.scan((0, 0)) { ($0.1, $1) }.map { a, b, c in c }", "an array of 2 elements"),
      ("taps.reduce((0, 0)) { ($0.1, $1) }.map { $0.2 }", "no element 2"),
      ("taps.zip(taps).merge(with: taps.zip(taps)).map { a, b, c in c }", "an array of 2 elements"),
      ("pairs.delay(for: 1).removeDuplicates().map { a, b, c in c }", "an array of 2 elements"),
      ("taps.map { ($0, 1) }.map { let (a, b, c) = $0; c }", "no element 2"),
      ("[(1, 2), (3, 4)].publisher.map { a, b, c in c }", "an array of 2 elements"),
      ("[\"a\": 1].publisher", "publisher needs an array or a range, not an object"),
    ]
  )
  func mistakes(text: String, message: String) throws {
    let host = TestHost(subjects: "taps")
    host.pipelines["pairs"] = try host.pipeline("taps.zip(taps)")
    host.pipelines["words"] = try host.pipeline("[\"a\", \"b\"].publisher.dropFirst()")
    do {
      _ = try host.pipeline(text)
      #expect(message == "OK")
    } catch {
      #expect(error.text.contains(message), "\(error.text)")
    }
  }

  @Test(
    "what may go with it is none",
    arguments: [
      "taps.map { $0.uppercased() }", "[1, \"a\"].publisher.map { $0 * 2 }",
      "[1, null].publisher.map { $0 + 1 }", "[].publisher.map { $0.keys }",
      "Empty().map { $0 * 2 }", "Fail(\"a\").map { $0.keys }",
      "taps.ignoreOutput().map { $0 * 2 }", "Just(1).merge(with: taps).map { $0.keys }",
      "Just(1).append(taps).map { $0.trimmed }", "Just(1).prepend(\"a\").map { $0.trimmed }",
      "Just(1).catch { Just($0.message) }.map { $0.trimmed }",
      "Just(1).replaceEmpty(with: \"a\").map { $0.trimmed }",
      "Just(1).replaceError(with: null).map { $0.keys }",
      "taps.scan(null) { $1 }.map { $0.keys }", "taps.scan(0) { $1 }.map { $0.keys }",
      "taps.scan(null) { $0 == null ? 0 : $0 > 3 ? \"a\" : $0 + 1 }",
      "Just(1).flatMap { $0 > 1 ? Just(\"a\") : taps }.map { $0.trimmed }",
      "Just(1).flatMap { switch $0 { case 1: Just(\"a\") default: Just([1]) } }.map { $0.count }",
      "Just([\"a\": 1]).map { $0.a.b.c }", "Just([1]).map { $0[0].keys }",
      "Just(1).map { fail(\"no\") }.map { $0.keys }",
      "taps.flatMap { ask(work, $0) }.map { $0.keys }",
      "taps.zip(taps) { $0 }.map { $0.keys }", "Just(1).map { $0 / 2.0 }.map { round($0) }",
      "taps.zip(taps).map { a, b in b }", "taps.zip(taps).map { $0.count }",
      "taps.zip(taps, taps).map { $0 * $1 }", "taps.collect(2).map { a, b, c in c }",
      "taps.scan([]) { $0 + [$1] }.map { a, b, c in c }",
      "taps.scan([0]) { all, one in all.count > 1 ? [all[1], one] : all + [one] }",
      "taps.zip(taps).merge(with: taps.zip(taps, taps)).map { a, b, c in c }",
      "taps.zip(taps).merge(with: taps).map(\\.a)", "taps.map { [1, 2] + [$0] }.map { $0[2] }",
      "taps.flatMap { tap in let one = Just(\"a\"); one.map { $0.trimmed } }",
    ]
  )
  func others(text: String) {
    #expect(throws: Never.self) { try TestHost(subjects: "taps").pipeline(text) }
  }

  /// A literal of each kind of value, and one of several.
  static let literals = [
    "null", "true", "7", "0.5", "\"a\"", "[1]", "[\"k\": 1]", "[1, \"a\"]", "-1", "$0",
  ]

  @Test(
    "an array is one in closures, however many elements of whatever kind it has",
    arguments: literals
  )
  func widths(literal: String) throws {
    for width in 0...70 {
      let array = "[" + Array(repeating: literal, count: width).joined(separator: ", ") + "]"
      #expect(try ValueClosure("{ let a = \(array); a.count }")(.int(1)) == .int(width))
      #expect(
        try ValueClosure("{ let a = \(array); a.map { 1 } + a }")(.int(1)).elements.count == 2
          * width
      )
      guard literal != "$0", width > 0 else { continue }
      let host = TestHost()
      let text = "[\(array)].publisher.collect(1).map { $0[0] }.merge(with: Just(\(array)))"
      #expect(try host.run("\(text).map { $0.count }").joined == "\(width) \(width)")
      #expect(try host.run("\(text).flatMap { Just($0.isEmpty) }").joined == "false false")
    }
  }

  @Test("an array that collect makes is one in closures, however many values it has")
  func collected() throws {
    for width in 1...70 {
      let host = TestHost()
      #expect(
        try host.run("(1...\(width)).publisher.collect().map { $0.count }").joined == "\(width)"
      )
      #expect(try host.run("Just((1...\(width))).map { $0.count }").joined == "\(width)")
    }
  }
}

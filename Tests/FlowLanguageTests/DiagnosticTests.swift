import Foundation
import Testing

@testable import FlowLanguage

@Suite("What is wrong with a text is said, and where")
struct DiagnosticTests {
  /// A text, and the line below it: carets under the place, and the message.
  struct Mistake: CustomTestStringConvertible {
    let text: String
    let remark: String

    var testDescription: String { text }
  }

  /// The mistakes of the reference page, which are the table of these tests.
  static let mistakes: [Mistake] = {
    let blocks = (try? referenceBlocks(in: "## Errors")) ?? []
    // The first one shows what a session looks like.
    let lines = blocks.dropFirst().flatMap { $0 }
    return stride(from: 0, to: lines.count - 1, by: 2).map { index in
      Mistake(text: lines[index], remark: lines[index + 1])
    }
  }()

  @Test("message and place are those of the reference page", arguments: mistakes)
  func mistake(_ mistake: Mistake) throws {
    let host = TestHost(subjects: "taps", "orders")
    host.pipelines["even"] = try host.pipeline("taps.filter { $0 % 2 == 0 }")
    host.runs["totals"] = "orders"
    let diagnostic = #expect(throws: Diagnostic.self) {
      try host.pipeline(mistake.text, named: "loop")
    }
    #expect(diagnostic?.remark == mistake.remark)
  }

  @Test("the reference page has each kind of mistake")
  func complete() {
    #expect(Self.mistakes.count > 200)
    for kind in [
      "there is no operator", "there is no subject or pipeline", "has no argument", "missing label",
      "must come before", "expected a closure", "cannot apply", "has no matching \"}\"",
      "expected a publisher", "expected a value", "would read itself",
    ] {
      #expect(Self.mistakes.contains { $0.remark.contains(kind) }, "\(kind)")
    }
  }

  @Test("what is too long, too deep or too much is said as on the reference page")
  func bounds() throws {
    let sums = String(repeating: "+1", count: 300)
    let host = TestHost(subjects: "taps")
    let stages = String(repeating: ".count()", count: 100)
    host.pipelines["short"] = try host.pipeline("taps\(stages)")
    host.pipelines["long"] = try host.pipeline("short\(stages)")
    host.pipelines["many"] = try host.pipeline(
      "taps.merge(with: " + Array(repeating: "taps", count: 999).joined(separator: ", ") + ")"
    )
    let texts = [
      "a text of more than 16 KiB": "Just(\"" + String(repeating: "x", count: 16 * 1024) + "\")",
      "brackets and operators more than 64 deep": "Just(" + String(repeating: "(", count: 80),
      "a chain of more than 256 stages, calls, members and operators, those around it included":
        "Just(1\(sums))",
      "hundreds of words with `-`, `/` or `*` between them and no blanks":
        "taps.map { \(String(repeating: "a-", count: 2000))a }",
      "more than 256 stages, those of inlined pipelines included":
        "long\(stages)",
      "more than 1024 sources, those of inlined pipelines included": "many.merge(with: many)",
      "a regular expression of more than 2000 steps": "taps.map { $0.contains(/(?:ab?){900}/) }",
      "regular expressions of more than 20000 steps in all":
        "taps.map { [\(Array(repeating: "$0.contains(/a{1000}/)", count: 25).joined(separator: ","))] }",
      "a long value for an if let": "taps.map { if let a = $0\(sums.prefix(40)) { a } else { 0 } }",
    ]
    let rows = try referenceRows(below: "### Bounds", beginning: "| ").dropFirst()
    #expect(rows.count == texts.count)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      let text = try #require(texts[cells[0]], "\(cells[0])")
      let diagnostic = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
      #expect(diagnostic.map { "`\($0.text)`" } == cells[1])
    }
  }

  @Test(
    "a text may be as long and as deep as is said, and no more",
    arguments: TextBounds.bounds.indices
  )
  func exactBounds(_ index: Int) throws {
    let bound = TextBounds.bounds[index]
    let host = TestHost(subjects: "taps")
    for count in [bound.most - 1, bound.most] {
      _ = try Parser.parse(bound.text(count)) { $0 == "taps" }
      // The stack frames of a debug build are too large for the longest chains.
      #if !DEBUG
      _ = try host.pipeline(bound.text(count))
      #endif
    }
    let diagnostic = #expect(throws: Diagnostic.self) {
      try host.pipeline(bound.text(bound.most + 1))
    }
    #expect(diagnostic?.message == bound.error)
  }

  @Test(
    "a message shows the beginning of what is long",
    arguments: [
      "LONG", "taps.LONG()", "LONG.map { $0 }", "taps.map { LONG }", "taps.map { $0.LONG() }",
      "taps.delay(LONG: 1)", "taps.map { LONG in taps.LONG }", "taps.map { LONG -> LONG }",
      "taps LONG", "taps \"LONG LONG\"", "taps.merge(with: 1, LONG: taps, LONG: taps)",
      "taps.map { LONG in 1 }.merge(with: LONG)", "Record(output: [], completion: LONG)",
      "taps.flatMap { LONG in LONG }", "taps.map { /(?<LONG>a)(?<LONG>b)/ }",
      "taps.map { $0.contains(/\\p{LONG}/) }", "taps.window(2) { a, LONG in b }",
      "taps.map { let LONG = /a/; LONG }", "ask(\"LONG\", 1)", "taps.map { $LONG }",
    ]
  )
  func long(_ text: String) throws {
    let text = text.replacing("LONG", with: String(repeating: "x", count: 7_000))
    let diagnostic = #expect(throws: Diagnostic.self) {
      try TestHost(subjects: "taps").pipeline(text)
    }
    for mistake in diagnostic?.all ?? [] { #expect(mistake.text.count < 800, "\(mistake.text)") }
  }

  @Test("a failure shows the beginning of a long stage")
  func longStage() throws {
    let name = String(repeating: "x", count: 7_000)
    let failure = try TestHost().run("Just(1).tryMap { \(name) in \(name) / 0 }").failure
    let message = try #require(failure?.message)
    #expect(message.hasSuffix("…: division by zero; the value is 1"))
    #expect(message.count < 300)
  }

  @Test("a name with hyphens may not read itself either, nor may a run")
  func cycles() throws {
    let host = TestHost(subjects: "taps", "orders")
    host.pipelines["a-b"] = try host.pipeline("taps.map { $0 }")
    let diagnostic = #expect(throws: Diagnostic.self) {
      try host.pipeline("taps.merge(with: a-b)", named: "a-b")
    }
    #expect(
      diagnostic?.message
        == "a-b would read itself; a pipeline can read only what is defined before it"
    )
    #expect(diagnostic?.offset == 17)
    #expect(throws: Diagnostic.self) {
      try RunDefinition(
        "a-b.assign(to: orders)",
        named: "a-b",
        lookup: { $0 == "orders" ? .subject : nil },
        names: { [] }
      )
    }
  }

  @Test(
    "all mistakes of a pipeline are told at once",
    arguments: [
      ("taps.foo().map { $0 }.bar(1).baz { $0 }", [5, 22, 29]),
      ("tpas.foo()", [5, 0]),
      ("taps.map { x => x }.fliter { $0 }", [13, 20]),
      ("taps.delay(far: 1, scheduler: 2, far: 3).foo()", [11, 33, 41]),
      ("taps.buffer(sise: 1, hwenFull: .dropNewest)", [12, 21, 5]),
      ("taps.flatMap { Just($0).foo().bar() }.baz()", [24, 30, 38]),
      ("taps.merge(with: taps.foo(), taps.bar())", [22, 34]),
      ("taps.foo().map { $name }", [5]),
    ]
  )
  func all(_ text: String, _ offsets: [Int]) throws {
    let diagnostic = try #require(
      #expect(throws: Diagnostic.self) { try TestHost(subjects: "taps").pipeline(text) }
    )
    #expect(diagnostic.all.map(\.offset) == offsets, "\(diagnostic.all.map(\.text))")
  }

  @Test(
    "all mistakes inside one closure are told, and none that follows from another",
    arguments: [
      ("taps.map { $0.foo() + $0.bar() }", ["foo", "bar"]),
      ("taps.filter { a > 1 && $0.upercased() == b }", ["a", "upercased", "b"]),
      ("taps.map { [$0.foo(): 1].keys.bar() }", ["foo", "bar"]),
      ("taps.map { let x = $0.foo(); x.uppercased() }", ["foo"]),
      ("taps.filter { $0.foo() }.map { $0.bar() }", ["foo", "bar"]),
      ("taps.map { $0 ? foo($0) : bar($0) }", ["foo", "bar"]),
    ]
  )
  func insideOneClosure(text: String, words: [String]) throws {
    let host = TestHost(subjects: "taps")
    let error = try #require(#expect(throws: Diagnostic.self) { try host.pipeline(text) })
    let characters = Array(text)
    #expect(
      error.all.map { String(characters[$0.offset..<$0.offset + $0.length]) } == words,
      "\(error.all.map(\.text))"
    )
  }

  @Test("at most ten mistakes are told")
  func most() throws {
    let text = "taps" + String(repeating: ".foo()", count: 50)
    let diagnostic = try #require(
      #expect(throws: Diagnostic.self) { try TestHost(subjects: "taps").pipeline(text) }
    )
    #expect(diagnostic.all.count == 10)
  }

  @Test("the mistakes of a run are told with that of its end")
  func run() throws {
    let diagnostic = try #require(
      #expect(throws: Diagnostic.self) {
        try TestHost(subjects: "taps").standing("taps.foo().bar { $0 }.assign(to: nobody)")
      }
    )
    #expect(diagnostic.all.map(\.offset) == [33, 5, 11])
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

extension Diagnostic {
  /// Carets under its place, and the message, as the reference page has them.
  fileprivate var remark: String {
    String(repeating: " ", count: offset) + String(repeating: "^", count: max(1, length)) + " "
      + text
  }
}

/// How long and how deep a text may be.
private enum TextBounds {
  /// Texts of `count` parts, the most parts that each may have, and what is said of more.
  static let bounds: [(text: @Sendable (Int) -> String, most: Int, error: String)] = [
    ({ "taps" + text(".map { $0 }", $0) }, 256, chain),
    ({ "Just(1" + text("+1", $0) + ")" }, 255, chain),
    ({ "taps.map { $0" + text(".a", $0) + " }" }, 255, chain),
    ({ "taps.map { $0" + text("[0]", $0) + " }" }, 255, chain),
    ({ "taps.merge(with: taps" + text(".count()", $0) + ")" }, 255, chain),
    ({ "taps" + text(".flatMap { _ in taps", $0) + text(" }", $0) }, 64, nesting),
    ({ "taps" + text(".merge(with: taps", $0) + text(")", $0) }, 64, nesting),
    ({ "Just" + text("(", $0) + "1" + text(")", $0) }, 64, nesting),
    ({ "Just(" + text("[", $0) + "1" + text("]", $0) + ")" }, 63, nesting),
  ]

  static let chain = "the expression is a chain of more than 256 parts"
  static let nesting = "the expression is nested more than 64 deep"

  static func text(_ part: String, _ count: Int) -> String {
    String(repeating: part, count: count)
  }
}

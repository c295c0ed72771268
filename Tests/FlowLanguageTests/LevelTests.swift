import FlowCore
import Testing

@testable import FlowLanguage

@Suite("Names with levels")
struct LevelTests {
  private let host = TestHost(
    subjects: "a",
    "b",
    "a/b",
    "sensors/kitchen/temp",
    "sensors/17",
    "lab-1/t-2",
    "x/y"
  )

  @Test(
    "stand where a source does",
    arguments: [
      ("a/b", "a/b"), ("a/b.map { $0 }", "a/b"), ("a.merge(with: a/b)", "a a/b"),
      ("sensors/kitchen/temp.filter { $0 > 2 / 1 }", "sensors/kitchen/temp"),
      ("sensors/17.map { $0 }", "sensors/17"), ("lab-1/t-2.map { $0 - 1 }", "lab-1/t-2"),
      ("Just(1).flatMap { v in a/b.map { $0 / v } }", "a/b"),
      ("Just(1).flatMap { _ in sensors/17 }", "sensors/17"),
      ("a.map { $0.x / 2 }.merge(with: x/y, lab-1/t-2)", "a x/y lab-1/t-2"),
      ("Publishers.Merge(a/b, x/y)", "a/b x/y"),
    ]
  )
  func sources(_ text: String, _ subjects: String) throws {
    let pipeline = try host.pipeline(text)
    #expect(pipeline.subjects.joined(separator: " ") == subjects)
  }

  @Test(
    "between values a slash divides",
    arguments: [
      ("Just(6).map { a in a/2 }", "3"), ("Just([6, 3]).map { a, b in a/b }", "2"),
      ("Just([6, 3]).map { (a, b) in a/b }", "2"),
      ("Just(8).map { let a = $0; let b = 2; return a/b }", "4"),
      ("Just([8, 2]).map { let (a, b) = $0; return a/b }", "4"),
      ("Just(8).flatMap { a in Just(2).map { b in a/b } }", "4"),
      ("Just(8).map { a in \"\\(a/2)\" }", "\"4\""), ("Just(8).map { a in a/2*2 }", "8"),
      ("Just([\"a\": 8, \"b\": 2]).map { $0.a/$0.b }", "4"),
      ("Just([\"a\": 8]).map { x in let y = 2; return x.a/y }", "4"),
      ("(1...4).publisher.reduce(1, *)", "24"),
      ("(1...4).publisher.scan(24) { a, b in a/b }", "24 12 4 1"),
    ]
  )
  func division(_ text: String, _ values: String) throws {
    #expect(try host.run(text).joined == values)
  }

  @Test(
    "what is wrong is told where it stands",
    arguments: [
      ("sensors//17", "a name has no empty levels; did you mean \"sensors/17\"?", 0),
      ("sensors/", "a name has no empty levels; did you mean \"sensors\"?", 0),
      ("/a", "a name begins with a letter or \"_\", not with \"/\"", 0),
      ("a.merge(with: x//y)", "a name has no empty levels; did you mean \"x/y\"?", 14),
      ("sensors/18", "there is no subject or pipeline \"sensors/18\"; did you mean", 0),
      ("a.merge(with: x/z)", "there is no subject or pipeline \"x/z\"; did you mean", 14),
      ("a // b", "comments begin with #", 2), ("a/* b */", "expected the end", 4),
    ]
  )
  func refusals(_ text: String, _ message: String, _ offset: Int) {
    let error = #expect(throws: Diagnostic.self) { try host.pipeline(text) }
    #expect(error?.text.hasPrefix(message) == true, "\(error?.text ?? "")")
    #expect(error?.offset == offset)
  }

  @Test("a run sends to one, and reads a service that has some")
  func runsAndServices() throws {
    #expect(try host.standing("a.assign(to: x/y)").target == "x/y")
    #expect(try host.standing("a/b.subscribe(lab-1/t-2)").target == "lab-1/t-2")
    #expect(try host.pipeline("a.flatMap { ask(img/resize-2, $0) }").services == ["img/resize-2"])
    #expect(try host.pipeline("ask(img/resize, 1)").services == ["img/resize"])
    let error = #expect(throws: Diagnostic.self) { try host.standing("a.assign(to: x/*)") }
    #expect(error?.text == "x/* is a pattern, expected a subject")
  }

  /// What was asked of names, while a text is read.
  private final class Asked {
    var names: [String] = []
  }

  @Test(
    "are not sought without end",
    arguments: ["-", "/", "*", "-b/c*"],
    ["", "s.map { "]
  )
  func bounded(_ sign: String, _ before: String) {
    let asked = Asked()
    let chain = String(repeating: "a\(sign)", count: 16_000 / (sign.count + 1))
    let text = before + chain + (before.isEmpty ? "a" : "a }")
    #expect(throws: Diagnostic.self) {
      try Parser.parse(text) { name in
        asked.names.append(name)
        return false
      }
    }
    #expect(asked.names.count <= 1 << 14)
    #expect(asked.names.allSatisfy { $0.utf8.count <= 2 * 128 })
  }

  @Test("a chain of as many parts as may be is read, with the longest name in its midst")
  func longest() throws {
    let name = "n" + String(repeating: "-n", count: 63)
    let parts = Array(repeating: "a", count: 180)
    let text = "s.map { " + parts.joined(separator: "-") + "-" + name + " }"
    let syntax = try Parser.parse(text) { $0 == name }
    #expect("\(syntax.outline)".contains(name))
  }

  @Test(
    "the formatter lets them be",
    arguments: [
      ("a/b.map{$0/2}", "a/b.map { $0 / 2 }"), ("a.map { x in x/2 }", "a.map { x in x / 2 }"),
      ("sensors/**.filter{$0>1}", "sensors/**.filter { $0 > 1 }"),
      ("a.map{x in \"\\(x/2)\"}", "a.map { x in \"\\(x / 2)\" }"),
      ("a.merge(with:lab-*,x/*/y)", "a.merge(with: lab-*, x/*/y)"),
    ]
  )
  func layout(_ text: String, _ expected: String) {
    #expect(ExpressionLayout.text(of: text) == expected)
  }
}

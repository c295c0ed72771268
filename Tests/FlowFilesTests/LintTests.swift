import FlowFiles
import FlowLanguage
import Foundation
import Testing

@Suite("warnings")
struct LintTests {
  /// The warnings as `LINE:COLUMN CODE`.
  private func warnings(_ text: String) throws -> [String] {
    let result = try definitions(text)
    try #require(result.errors.isEmpty, "\(result.errors)")
    return Lint.warnings(of: result).map { finding in
      "\(finding.place.line):\(finding.place.column) \(finding.code ?? "")"
    }
  }

  private static func calling(_ body: String) -> String {
    "SUBJECT a\nSUBJECT b\nRUN r = a.flatMap { \(body) }.assign(to: b)"
  }

  private static let delayed = "flatMap { Just($0).delay(for: 1) }"
  private static let one = "flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.5) }"
  private static let buffer = "buffer(size: 9, prefetch: .keepFull, whenFull: .dropOldest)"
  private static let failing =
    "buffer(size: 9, prefetch: .byRequest, whenFull: .customError(\"full\"))"

  @Test(
    "each rule where it applies, and not where it does not",
    arguments: [
      // W1
      ("SUBJECT a flow=slowest\nPIPELINE p = a.\(delayed)", ["2:16 W1"]),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.share()", ["2:16 W1"]),
      ("SUBJECT a flow=slowest\nSUBJECT b\nRUN r = a.assign(to: b)", ["3:11 W1"]),
      ("SUBJECT a flow=slowest\nSUBJECT b\nRUN r = a.\(one).assign(to: b)", []),
      ("SUBJECT a flow=slowest\nSUBJECT b\nRUN r = a.map { $0 }.\(one).subscribe(b)", []),
      (
        "SUBJECT a flow=slowest\nSUBJECT b\n"
          + "RUN r = a.concatMap { Just($0).delay(for: 1) }.map { $0 }.assign(to: b)", []
      ),
      (
        "SUBJECT a flow=slowest\nSUBJECT b\n"
          + "RUN r = a.group(by: \\.id) { $0.\(one) }.assign(to: b)", []
      ),
      (
        "SUBJECT a flow=slowest\nSUBJECT b\nPIPELINE p = a.\(one)\nRUN r = p.assign(to: b)", []
      ),
      (
        "SUBJECT a flow=slowest\nSUBJECT b\nRUN r = a.debounce(for: 1).\(one).assign(to: b)",
        ["3:89 W1"]
      ),
      (
        "SUBJECT a flow=slowest\nSUBJECT b\n"
          + "RUN r = a.flatMap { $0 > 1 ? Just(1) : Empty() }.assign(to: b)", ["3:50 W1"]
      ),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.\(buffer).\(delayed)", []),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.\(one)", []),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.flatMap { $0 > 1 ? Just(1) : Empty() }", []),
      ("SUBJECT a\nPIPELINE p = a.\(delayed)", []),
      ("SUBJECT a flow=slowest\nSUBJECT b flow=slowest\nRUN r = a.assign(to: b)", []),
      ("SUBJECT a flow=slowest\nSUBJECT b replay 5\nRUN r = a.assign(to: b)", []),
      // W2
      ("SUBJECT a\nPIPELINE p = a.map { $0 }.delay(for: 1)", ["2:27 W2"]),
      ("SUBJECT a\nPIPELINE p = a.\(one)", ["2:16 W2"]),
      ("PIPELINE p = $stats.delay(for: 1)", ["1:21 W2"]),
      ("SUBJECT s/a\nPIPELINE p = s/*.\(one)", ["2:18 W2"]),
      ("SUBJECT s/a flow=slowest\nPIPELINE p = s/**.\(delayed)", ["2:19 W1"]),
      ("SUBJECT s/a\nSUBJECT s/b/c\nPIPELINE p = s/*", ["2:1 W5"]),
      ("SUBJECT s/a\nSUBJECT s/b/c\nPIPELINE p = s/**", []),
      ("SUBJECT s/a\nPIPELINE p = s/a.map { $0 / 2 }", []),
      ("SUBJECT a\nPIPELINE p = a.pace(5, per: 1)", ["2:16 W2"]),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.pace(5, per: 1)", []),
      ("SUBJECT a\nPIPELINE p = a.\(buffer).delay(for: 1)", []),
      ("SUBJECT a\nPIPELINE b = a.\(buffer)\nPIPELINE p = b.\(one)", []),
      ("SUBJECT a replay 5\nPIPELINE p = a.delay(for: 1)", []),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.delay(for: 1)", []),
      ("PIPELINE p = Just(1).delay(for: 1)", []),
      ("SUBJECT a\nPIPELINE p = a.concatMap { Just($0).delay(for: 1) }", ["2:16 W2"]),
      // W3
      ("# rate a 100/s\nSUBJECT a flow=slowest\nPIPELINE p = a.map { $0 }.\(one)", ["3:27 W3"]),
      ("# rate a 180/m\nSUBJECT a flow=slowest\nPIPELINE p = a.\(one)", ["3:16 W3"]),
      ("# rate a 120/m\nSUBJECT a flow=slowest\nPIPELINE p = a.\(one)", []),
      ("# rate a 100/s\nSUBJECT a flow=slowest\nPIPELINE p = a.filter { $0 }.\(one)", []),
      ("# rate b 100/s\nSUBJECT a flow=slowest\nPIPELINE p = a.\(one)", []),
      // W4
      ("SUBJECT a\nPIPELINE p = a.flatMap { Timer.publish(every: $0).autoconnect() }", ["2:16 W4"]),
      ("SUBJECT a\nPIPELINE p = a.flatMap { $0 ? Just(1) : a }", ["2:16 W4"]),
      (
        "SUBJECT a\nPIPELINE p = a.flatMap { Timer.publish(every: $0).autoconnect().prefix(3) }", []
      ),
      (
        "SUBJECT a flow=slowest\n"
          + "PIPELINE p = a.flatMap(maxPublishers: .max(2)) { Timer.publish(every: $0).autoconnect() }",
        []
      ),
      // W5
      ("SUBJECT a", ["1:1 W5"]),
      ("SUBJECT a\nSUBJECT b\nPIPELINE p = b", ["1:1 W5"]),
      ("SUBJECT a\nRUN r = Just(1).assign(to: a)", []),
      // W7
      ("SUBJECT a\nPIPELINE p = a.\(failing)", ["2:16 W7"]),
      ("SUBJECT a\nPIPELINE p = a.retry(1).\(failing)", ["2:25 W7"]),
      ("SUBJECT a\nPIPELINE p = a.\(failing).retry(2)", []),
      ("SUBJECT a\nPIPELINE p = a.\(failing).catch { Just($0.message) }", []),
      // W8
      (calling("ask(w, $0)"), ["3:21 W8"]),
      (calling("ask(w, $0).retry(3)"), ["3:21 W8"]),
      (calling("$0 > 1 ? ask(w, $0) : Just(1)"), ["3:30 W8"]),
      (calling("ask(w, $0).catch { ask(v, $0.message) }"), ["3:40 W8"]),
      (calling("ask(w, $0).catch { _ in Empty() }"), []),
      (calling("ask(w, $0).retry(3).catch { Just($0.message) }"), []),
      (calling("ask(w, $0).replaceError(with: null)"), []),
      ("SUBJECT a\nPIPELINE p = a.flatMap { ask(w, $0) }", []),
      (
        "SUBJECT a\nSUBJECT b\nPIPELINE p = a.flatMap { ask(w, $0) }\nRUN r = p.assign(to: b)",
        ["4:1 W8"]
      ),
      (
        "SUBJECT a\nSUBJECT b\nPIPELINE p = a.flatMap { ask(w, $0) }\n"
          + "RUN r = p.replaceError(with: 0).assign(to: b)", []
      ),
      ("SUBJECT a\nRUN r = ask(w, 1).assign(to: a)", ["2:9 W8"]),
      ("SUBJECT a\nSUBJECT b\nRUN r = a.tryMap { $0 * 2 }.assign(to: b)", ["3:11 W8"]),
      ("SUBJECT a\nSUBJECT b\nRUN r = a.map { $0 * 2 }.assign(to: b)", []),
      ("SUBJECT a\nSUBJECT b\nRUN r = a.timeout(5).assign(to: b)", ["3:11 W8"]),
      ("SUBJECT a\nSUBJECT b\nRUN r restart=1s = a.timeout(5).assign(to: b)", ["3:22 W8"]),
      ("SUBJECT a\nSUBJECT b\nRUN r = a.timeout(5).append(1).assign(to: b)", []),
      (
        "SUBJECT a\nSUBJECT b\n# lint: ignore W8\nRUN r = a.flatMap { ask(w, $0) }.assign(to: b)",
        []
      ),
      ("SUBJECT a\nPIPELINE p = a.\(buffer)", []),
      // W9
      ("SUBJECT a\nPIPELINE p = a.window(100) { $0.sum() }", ["2:16 W9"]),
      ("SUBJECT a\nPIPELINE p = a.map { $0 }.group(by: \\.id) { $0.count() }", ["2:27 W9"]),
      ("SUBJECT a\nPIPELINE p = a.window(10, every: 5) { $0.sum() }", ["2:16 W9"]),
      ("SUBJECT a\nPIPELINE p = a.join(a, on: { $0 }, within: 1)", ["2:16 W9"]),
      ("SUBJECT a\nPIPELINE p = a.collect(.byTime(DispatchQueue.main, 1))", ["2:16 W9"]),
      ("SUBJECT a flow=slowest\nPIPELINE p = a.window(100) { $0.sum() }", []),
      ("SUBJECT a replay 5\nPIPELINE p = a.window(100) { $0.sum() }", []),
      ("SUBJECT a\nPIPELINE p = a.\(buffer).window(100) { $0.sum() }", []),
      ("SUBJECT a\nPIPELINE p = a.debounce(for: 1).window(100) { $0.sum() }", []),
      (
        "SUBJECT a\nSUBJECT b flow=slowest\n"
          + "PIPELINE p = a.sample(when: b).window(100) { $0.sum() }", []
      ),
      ("SUBJECT a\nPIPELINE p = a.dropFirst(2).window(100) { $0.sum() }", ["2:29 W9"]),
      ("SUBJECT a\nPIPELINE p = a.reduce(0) { $0 + $1 }", []),
      ("SUBJECT a\nPIPELINE p = a.window(10, every: 1)", []),
      ("SUBJECT a\nPIPELINE p = a.merge(with: Just(1)).collect(10)", []),
      // Comments
      ("# lint: ignore W5\nSUBJECT a", []),
      ("# lint: ignore W2, W5\n# used by clients\nSUBJECT a", []),
      ("# lint: ignore W2\nSUBJECT a", ["2:1 W5"]),
      ("# lint: ignore W5\n\nSUBJECT a", ["3:1 W5"]),
      ("SUBJECT a\nPIPELINE p = a\n  # lint: ignore W2\n  .delay(for: 1)", []),
    ] as [(String, [String])]
  )
  func rules(_ text: String, _ expected: [String]) throws {
    #expect(try warnings(text) == expected)
  }

  @Test("a stage is warned of where it is written, not where it is inlined")
  func inlined() throws {
    let text = "SUBJECT a\nPIPELINE p = a.delay(for: 1)\nPIPELINE q = p.map { $0 }"
    #expect(try warnings(text) == ["2:16 W2"])
  }

  @Test("a warning says what to do")
  func advice() throws {
    let finding = try #require(Lint.warnings(of: definitions("SUBJECT a")).first)
    #expect(
      finding.headline
        == "shop.flow:1:1: warning W5: nothing in the files reads a or sends to it; \(LintRule.unread.advice)"
    )
  }

  @Test("beside an error only what nothing mentions is unread, and nothing if a file is missing")
  func unreadBesideErrors() throws {
    let text = "SUBJECT a\nPIPELINE b = a.fliter { $0 }\nSUBJECT c\nSUBJECT d-e\nRUN r = d-e.x("
    let wrong = try definitions(text)
    #expect(wrong.errors.count == 2)
    #expect(Lint.warnings(of: wrong).map(\.place.line) == [3])
    let incomplete = try definitions("SUBJECT a\ninclude gone.flow")
    #expect(incomplete.errors.count == 1 && Lint.warnings(of: incomplete).isEmpty)
  }

  @Test("the reference has a row for each rule")
  func reference() throws {
    let path = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let page = try String(contentsOfFile: "/\(path)/docs/language.md", encoding: .utf8)
    for rule in LintRule.allCases {
      #expect(page.contains("| \(rule.rawValue) | \(rule.summary) | \(rule.advice) |"), "\(rule)")
    }
  }
}

import FlowFiles
import Testing

@testable import FlowLanguage

@Suite("A trial and the test that it writes")
struct TrialAgreementTests {
  /// Runs the tests of a file as `flowclient test` does; gives what differs.
  private func difference(_ file: String) throws -> String? {
    let all = try definitions(file)
    guard all.errors.isEmpty else { return all.errors.map(\.headline).joined(separator: "\n") }
    let tests = all.tests.compactMap { step in
      if case .test(let test) = step.statement.kind { test } else { nil }
    }
    let test = try #require(tests.first)
    let outcome = test.play(in: all.scene)
    return outcome.difference.map { ([$0] + outcome.drawing).joined(separator: "\n") }
  }

  @Test(
    "agrees with the test that it writes",
    arguments: [
      ("taps", ["taps 1-2-3|"], "u"),
      ("taps.map { $0 * 2 }", ["taps 1-2-3|"], "1--2"),
      ("taps.filter { $0 > 1 }", ["taps [123]-2-3|"], "2"),
      ("taps.scan(0) { $0 + $1 }", ["taps 1-2-3--"], "u"),
      (
        "taps.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)", ["taps 12345|"],
        "1----1"
      ),
      (
        "taps.buffer(size: 1, prefetch: .keepFull, whenFull: .dropNewest)", ["taps 12345|"], "1-1-u"
      ),
      (
        "taps.buffer(size: 1, prefetch: .byRequest, whenFull: .customError(\"full\"))",
        ["taps 123"], "-"
      ),
      (slowPipeline, ["taps 123456789"], "u"), (slowPipeline, ["taps 12-3-4-5-6|"], "2--3"),
      ("taps.merge(with: keys.map { $0 + 1 })", ["taps 1-2-|", "keys -5-6|"], "u"),
      ("taps.merge(with: keys, taps.delay(for: 0.1))", ["taps 1-2-|", "keys -5-6|"], "1-1-1-u"),
      ("taps.zip(keys) { $0 + $1 }", ["taps 1-2-|", "keys --56--|"], "u"),
      ("taps.combineLatest(keys)", ["taps 1-2-|", "keys --56--|"], "u"),
      ("taps.prefix(2)", ["taps 1-2-3"], "u"),
      ("taps.map { $0.name }", ["taps '{\"name\":\"a\"}'-7"], "u"),
      ("taps.map { fail(\"no\") }", ["taps 1"], "u"),
      ("taps.retry(2)", ["taps 1^"], "u"),
      ("taps.flatMap { $0 > 1 ? Just($0).delay(for: 0.2) : Empty() }", ["taps 1234"], "u"),
      ("taps.flatMapLatest { Just($0).delay(for: 0.2) }", ["taps 12-3----"], "u"),
      ("taps.map { Just($0).delay(for: 0.2) }.switchToLatest()", ["taps 12-3----"], "u"),
      ("taps.concatMap { [$0, $0].publisher.delay(for: 0.2) }", ["taps 12-3----"], "u"),
      ("taps.debounce(for: 0.2)", ["taps 12-3----45|"], "u"),
      ("taps.throttle(for: 0.3, latest: true)", ["taps 123456-7--|"], "u"),
      ("taps.collect(2)", ["taps 12345|"], "u"),
      ("taps.collect(.byTime(0.3))", ["taps 12345---|"], "u"),
      ("Timer.publish(every: 0.2).autoconnect()", [], "3"),
      ("(1...5).publisher.append(6)", [], "2-2-2-2"),
      ("taps.share().map { $0 }", ["taps 123|"], "u"),
      ("taps.map { \"a\\n\\($0)\" }", ["taps 123|"], "u"),
      ("taps.map { \"\\u{301}é\\($0)\" }", ["taps 123|"], "u"),
      ("taps\n  .map {\n    $0 + 1\n  }", ["taps 123|"], "u;"),
      ("taps.map { $0 }", ["taps it's".replacing("it's", with: "'it\\'s'") + "'a b'é[xy]"], "_-u"),
      ("taps", ["taps ---"], "-"),
      (
        "taps.flatMap { ask(work, $0) }",
        ["taps 12|", "serve work { Just($0 * 2).delay(for: 0.1) }"], "u"
      ),
      ("taps.flatMap { ask(work, $0) }", ["taps 12|"], "u"),
      ("taps.group(by: { $0 % 2 }) { part in part.scan(0) { $0 + $1 } }", ["taps 12345|"], "u"),
    ]
  )
  func agreement(_ expression: String, _ rows: [String], _ ask: String) throws {
    let tape = try tape(expression, rows, ask: ask)
    #expect(try difference(tape.testFile) == nil, "\(tape.testFile)")
    for count in [1, 3, 7] {
      #expect(try difference(tape.testFile(until: count)) == nil, "\(tape.testFile(until: count))")
    }
  }

  @Test(
    "agree for each operator",
    arguments: OperatorTable.all.filter { !$0.marbles.isEmpty }
  )
  func examples(_ entry: OperatorEntry) throws {
    for example in entry.marbles {
      let rows = example.sources.map { "\($0) \($1)" }
      let tape = try tape(example.text, rows, ask: example.demand ?? "u") { $0.tick = 1_000 }
      #expect(try difference(tape.testFile) == nil, "\(tape.testFile)")
      let stage = try #require(tape.stages.last)
      #expect(stage.state.count > 0)
    }
  }
}

import FlowCore
import Testing

@testable import FlowLanguage

/// What is asked for one value at a time is what comes when everything is asked for: no request is
/// lost where one publisher ends and the next begins, though it ends inside a request.
@Suite("One value for one request")
struct OneByOneTests {
  static let sources = [
    "[1, 2, 3].publisher", "[1, 2, 3].publisher.filter { $0 < 3 }", "(1...20).publisher",
    "(1...20).publisher.filter { $0 < 19 }", "[1, 2, 3].publisher.dropFirst(2)", "Just(1)",
    "Empty()",
    "[1, 2, 3].publisher.tryMap { $0 == 3 ? fail(\"three\") : $0 }",
    "[1, 2, 3].publisher.tryFilter { $0 == 3 ? fail(\"three\") : $0 > 1 }",
    "[1, 2, 3].publisher.compactMap { $0 == 3 ? fail(\"three\") : null }",
    "(1...20).publisher.tryMap { $0 == 19 ? fail(\"no\") : $0 }", "Fail(\"x\")",
    "[1, 2].publisher.append(Fail(\"x\"))", "Just(1).append(Fail(\"x\"))",
    "Deferred { [1, 2].publisher.append(Fail(\"x\")) }",
    "[1, 2, 3].publisher.scan(0) { $1 == 3 ? fail(\"three\") : $0 + $1 }",
    "[1, 2, 3].publisher.prefix(2).append(Fail(\"x\"))",
    "[1, 2].publisher.buffer(size: 9, prefetch: .keepFull, whenFull: .dropOldest).append(Fail(\"x\"))",
    "[1, 2].publisher.flatMap(maxPublishers: .max(1)) { $0 == 2 ? Fail(\"two\") : Just($0) }",
  ]

  static let operators = [
    "", ".retry(0)", ".retry(1)", ".retry(2)", ".retry(1).retry(1)", ".catch { Just($0.message) }",
    ".catch { e in [7, 8].publisher }", ".catch { Fail($0.message) }.retry(1)",
    ".catch { Empty() }.append(8, 9)", ".append(8, 9)", ".append([8, 9].publisher)",
    ".append(Empty()).append(8)", ".prepend(8, 9)", ".prepend(Empty()).prepend(8)",
    ".prepend((1...20).publisher.filter { $0 > 18 })", ".replaceError(with: 0)",
    ".replaceEmpty(with: 0)", ".retry(1).append(8, 9)", ".append(8, 9).retry(1)",
    ".concatMap { [$0, $0].publisher }", ".concatMap { $0 == 2 ? Empty() : Just($0) }",
    ".retry(1).concatMap { [$0, $0].publisher }", ".concatMap { [$0, $0].publisher }.retry(1)",
    ".flatMap(maxPublishers: .max(1)) { v in [v, v].publisher.filter { $0 > 1 } }",
    ".flatMap(maxPublishers: .max(1)) { $0 == 2 ? Fail(\"in\") : Just($0) }.retry(1)",
    ".prefix(2).append(8)", ".prefix(while: { $0 < 2 }).append(8)", ".retry(1).prefix(3)",
    ".dropFirst().retry(1)", ".retry(1).dropFirst(3)", ".first().append(8)",
    ".output(in: 1...1).append(8)", ".mapError { \"no\" }.retry(1)",
    ".delay(for: 0).retry(1)", ".retry(1).collect(2)", ".collect(2).retry(1)",
    ".removeDuplicates().retry(1)", ".zip((1...9).publisher).retry(1)",
    ".drop(while: { $0 < 2 }).retry(1)",
    ".retry(1).buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest)",
    ".buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest).retry(1)",
    ".merge(with: Empty()).retry(1)",
    ".prefix(untilOutputFrom: Empty(completeImmediately: false)).retry(1)",
    ".drop(untilOutputFrom: Just(1)).retry(1)", ".print(\"p\").retry(1)", ".retry(1, delay: 0)",
  ]

  private func settle(_ host: TestHost) {
    repeat {
      while host.isTurnDue { host.turn() }
      host.clock.advance(by: .nanoseconds(0))
    } while host.isTurnDue
  }

  @Test("of a source that ends in any way, through any operator", arguments: operators)
  func oneByOne(operation: String) throws {
    for source in Self.sources {
      // These ask ahead, and what they ask may fail before its values are asked for.
      let asksAhead = ["Map {", ".max(1)", "zip", "merge"].contains { operation.contains($0) }
      if asksAhead, source.contains("ail(") { continue }
      let text = source + operation
      let all = TestHost()
      let expected = try all.run(text)
      settle(all)
      let host = TestHost()
      let recorder = Recorder(host.clock, demand: .none)
      try host.pipeline(text).publisher(in: host).subscribe(recorder)
      settle(host)
      for count in 0...expected.values.count {
        #expect(recorder.values == Array(expected.values.prefix(count)), "\(text) after \(count)")
        if !recorder.completions.isEmpty { break }
        recorder.subscription?.request(.max(1))
        settle(host)
      }
      #expect(recorder.values == expected.values, "\(text)")
      #expect(recorder.completions == expected.completions, "\(text)")
    }
  }

  @Test("combineLatest keeps its newest values until they are requested, then ends")
  func newest() throws {
    let host = TestHost(subjects: "a", "b")
    let recorder = Recorder(host.clock, demand: .max(1))
    try host.pipeline("a.combineLatest(b)").publisher(in: host).subscribe(recorder)
    host.send("1", to: "a")
    host.send("10", to: "b")
    recorder.subscription?.request(.max(1))
    host.send("2", to: "a")
    host.send("20", to: "b")
    for name in ["a", "b"] { host.subjects[name]?.send(completion: .finished) }
    #expect(recorder.joined == "[1,10] [2,10]")
    #expect(recorder.completions == [])
    recorder.subscription?.request(.max(1))
    #expect(recorder.joined == "[1,10] [2,10] [2,20]")
    #expect(recorder.completions == [.finished])
    #expect(host.drops == [:])
  }
}

import FlowCore
import FlowLanguage
import FlowTestSupport
import Testing

@Suite("What each operator asks of its upstream")
struct StageDemandTests {
  /// An operator behind the probe, what is asked of it, the values sent while they are wanted, and
  /// what the probe may then still send: at first, and after each value.
  private static let rows: [(text: String, asked: Int, sent: String, wanted: String)] = [
    ("map { $0 }", 2, "1 2", "2 1 0"), ("compactMap { $0 == 1 ? null : $0 }", 2, "1 2", "2 2 1"),
    ("replaceNil(with: 0)", 2, "1 2", "2 1 0"), ("scan(0) { $0 + $1 }", 2, "1 2", "2 1 0"),
    ("pairwise()", 2, "1 2 3", "2 2 1 0"), ("enumerated()", 2, "1 2", "2 1 0"),
    ("flatMap { Just($0).delay(for: 1) }", 2, "1 2", "u u u"),
    ("flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 1) }", 9, "1 2", "2 1 0"),
    ("flatMap(maxPublishers: .max(2)) { Just($0) }", 1, "1 2 3", "2 2 1 0"),
    ("concatMap { Just($0).delay(for: 1) }", 9, "1", "1 0"),
    ("flatMapLatest { Just($0).delay(for: 1) }", 1, "1 2", "u u u"),
    ("map { Just($0) }.switchToLatest()", 1, "1 2", "u u u"),
    ("exhaustMap { Just($0).delay(for: 1) }", 1, "1 2", "u u u"),
    ("filter { $0 > 1 }", 2, "1 2", "2 2 1"), ("removeDuplicates()", 2, "1 1 2", "2 1 1 0"),
    ("first()", 3, "1", "u 0"), ("first { $0 > 1 }", 1, "1 2", "1 1 0"),
    ("last()", 1, "1 2", "u u u"), ("last { $0 > 1 }", 1, "1 2", "u u u"),
    ("prefix(2)", 5, "1 2", "5 4 0"), ("prefix(while: { $0 < 2 })", 5, "1 2", "5 4 0"),
    ("prefix(untilOutputFrom: taps)", 2, "1 2", "2 1 0"), ("dropFirst(2)", 1, "1 2 3", "3 2 1 0"),
    ("drop(while: { $0 < 2 })", 1, "1 2", "1 1 0"),
    ("drop(untilOutputFrom: taps)", 2, "1 2", "2 1 0"), ("output(at: 1)", 2, "1 2", "2 2 0"),
    ("output(in: 1...2)", 3, "1 2 3", "3 3 2 0"), ("ignoreOutput()", 1, "1 2", "u u u"),
    ("reduce(0) { $0 + $1 }", 1, "1 2", "u u u"), ("collect()", 1, "1 2", "u u u"),
    ("collect(2)", 1, "1 2", "2 1 0"),
    ("collect(.byTime(DispatchQueue.main, 1))", 1, "1 2", "1 1 1"),
    ("collect(.byTimeOrCount(DispatchQueue.main, 1, 3))", 1, "1 2", "3 2 1"),
    ("contains(2)", 1, "1 2", "u u 0"), ("allSatisfy { $0 < 2 }", 1, "1 2", "u u 0"),
    ("count()", 1, "1 2", "u u u"), ("min()", 1, "1 2", "u u u"), ("max()", 1, "1 2", "u u u"),
    ("sum()", 1, "1 2", "u u u"), ("average()", 1, "1 2", "u u u"), ("median()", 1, "1 2", "u u u"),
    ("percentile(0.5)", 1, "1 2", "u u u"), ("sample(when: taps)", 1, "1 2", "u u u"),
    ("join(taps, on: { $0 }, within: 1)", 2, "1 2", "1 1 1"),
    ("replaceEmpty(with: 0)", 2, "1 2", "2 1 0"), ("append(9)", 2, "1 2", "2 1 0"),
    ("prepend(8, 9)", 3, "1", "1 0"), ("prepend(8, 9)", 1, "", "0"),
    ("merge(with: taps)", 2, "1 2 3", "1 1 1 0"), ("zip(taps)", 2, "1 2", "2 1 0"),
    ("combineLatest(taps)", 2, "1 2", "2 1 0"), ("withLatest(from: taps)", 2, "1 2", "2 2 2"),
    ("group(by: { $0 % 2 }) { $0 }", 2, "1 2 3", "1 1 1 1"),
    ("window(2) { $0 }", 2, "1 2 3", "1 1 1 1"), ("window(2, every: 1)", 2, "1 2 3", "2 2 1 0"),
    ("window(2, every: 1) { $0.count() }", 2, "1 2 3", "1 1 1 1"),
    ("window(.seconds(2), every: .seconds(1))", 2, "1 2", "1 1 1"),
    ("window(.seconds(2), every: .seconds(1)) { $0.count() }", 2, "1 2", "1 1 1"),
    ("catch { Just($0.code) }", 2, "1 2", "2 1 0"),
    ("retry(1)", 2, "1 2", "2 1 0"), ("retry(1, delay: 1)", 2, "1 2", "2 1 0"),
    ("replaceError(with: 0)", 2, "1 2", "2 1 0"), ("mapError { $0.code }", 2, "1 2", "2 1 0"),
    ("setFailureType(to: Error.self)", 2, "1 2", "2 1 0"), ("delay(for: 1)", 2, "1 2", "2 1 0"),
    ("debounce(for: 1)", 1, "1 2", "u u u"), ("throttle(for: 1, latest: true)", 1, "1 2", "u u u"),
    ("timeout(1)", 2, "1 2", "2 1 0"), ("pace(5, per: 1)", 2, "1 2", "2 1 0"),
    ("measureInterval(using: DispatchQueue.main)", 2, "1 2", "2 1 0"),
    ("timestamp()", 2, "1 2", "2 1 0"), ("receive(on: DispatchQueue.main)", 2, "1 2", "2 1 0"),
    ("buffer(size: 3, prefetch: .keepFull, whenFull: .dropNewest)", 1, "1 2 3", "3 3 2 1"),
    ("buffer(size: 3, prefetch: .byRequest, whenFull: .dropNewest)", 1, "1 2", "u u u"),
    ("share()", 2, "1 2", "u u u"), ("share(replay: 2)", 2, "1 2", "u u u"),
    ("print(\"a\")", 2, "1 2", "2 1 0"), ("log(\"a\")", 2, "1 2", "2 1 0"),
    ("eraseToAnyPublisher()", 2, "1 2", "2 1 0"),
  ]

  @Test("at first and after each value", arguments: rows)
  func asks(_ text: String, _ asked: Int, _ sent: String, _ wanted: String) throws {
    let host = TestHost(subjects: "taps")
    let recorder = Recorder(host.clock, demand: .max(asked))
    try host.pipeline("probe.\(text)").publisher(in: host).subscribe(recorder)
    var demands = [host.probe.demand]
    for payload in sent.split(separator: " ") {
      host.probe.send(value(String(payload)))
      host.wait(until: Double(host.clock.now.nanoseconds) / 1e9)
      demands.append(host.probe.demand)
    }
    #expect(demands.map { $0.max.map(String.init) ?? "u" }.joined(separator: " ") == wanted)
  }

  @Test("at first, as EXPLAIN tells it", arguments: rows.filter { !$0.text.hasPrefix("prepend") })
  func asExplained(_ text: String, _ asked: Int, _ sent: String, _ wanted: String) throws {
    let host = TestHost(subjects: "taps")
    let asks = try #require(
      host.pipeline("probe.\(text)").explanation.rows.last {
        !$0.number.contains(".")
      }
    ).stage.demand.asks
    let first = asks.prefix { $0 != " " && $0 != "," && $0 != ";" }
    let expected: String
    switch first {
    case "the": expected = "\(asked)"
    case "unlimited": expected = "u"
    default:
      let number = try #require(Int(first))
      expected = asks.hasSuffix("then the same") ? "\(number + asked)" : "\(number)"
    }
    #expect(wanted.prefix { $0 != " " } == expected, "\(asks)")
  }

  @Test("no operator is left out")
  func complete() {
    let names = Set(Self.rows.map { $0.text.prefix { $0.isLetter } }.map(String.init))
    let stages = OperatorTable.all.filter { $0.role == .stage }.map(\.name)
    #expect(Set(stages).subtracting(names) == ["autoconnect", "switchToLatest"])
  }

  @Test(
    "a failure of the upstream ends each, unless it recovers",
    arguments: rows.filter { row in
      !["catch", "retry", "replaceError", "prepend", "mapError"].contains { row.text.hasPrefix($0) }
    }
  )
  func failure(_ text: String, _ asked: Int, _ sent: String, _ wanted: String) throws {
    let host = TestHost(subjects: "taps")
    let recorder = Recorder(host.clock, demand: .max(asked))
    try host.pipeline("probe.\(text)").publisher(in: host).subscribe(recorder)
    let failure = PipelineFailure(code: "broken", message: "no more")
    host.probe.send(completion: .failure(failure))
    host.wait(until: 5)
    #expect(recorder.completions == [.failure(failure)])
    #expect(recorder.values == [])
  }
}

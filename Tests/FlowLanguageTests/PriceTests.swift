import FlowCore
@testable import FlowLanguage
import Testing

@Suite("Work has its price")
struct PriceTests {
  private let numbers = "[" + (1...40_000).map { "\($0)" }.joined(separator: ",") + "]"
  private let objects =
    "[" + (1...2_000).map { "{\"k\($0)\":1,\"b\":\($0)}" }.joined(separator: ",") + "]"
  private let text = "\"" + String(repeating: "ab", count: 200_000) + "\""

  @Test(
    "what takes too long fails its stage with limit",
    arguments: [
      // Comparing both sides, sorting, copying, writing, characters, search, look-up.
      "(1...1000).map { i in $0.n == $0.n }.count",
      "(1...20).map { i in $0.n.sorted().count }", "(1...1000).map { i in $0.n + [i] }.count",
      "(1...1000).map { i in String($0.n).count }.count",
      "(1...1000).map { i in \"\\($0.n)\" }.count", "(1...1000).map { i in $0.t.count }",
      "(1...1000).map { i in $0.t.contains(\"bb\") }",
      "(1...1000).map { i in $0.t.split(separator: \"b\") }",
      "(1...1000).map { i in $0.t.uppercased() }", "(1...1000).map { i in $0.n.contains(i) }",
      "$0.o.map { o in $0.o.contains(o) }", "(1...1000).map { i in $0.n.max() }",
      "(1...90000).map { i in $0.w[\"k5\"] }",
      "let d = $0.d; (1...90000).map { i in d > i }",
      "let d = $0.d; (1...90000).map { i in Int(d) }",
    ]
  )
  func limit(_ body: String) throws {
    let wide = "{" + (1...2_000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}"
    let host = TestHost(subjects: "taps")
    let shared = body.replacing("$0", with: "v")
    let recorder = try host.run("taps.tryMap { v in let w = v.w; \(shared) }")
    let digits = "0." + String(repeating: "1234567890", count: 10_000)
    let parts = "\"n\":\(numbers),\"t\":\(text),\"o\":\(objects),\"w\":\(wide),\"d\":\(digits)"
    host.send("{\(parts)}", to: "taps")
    #expect(recorder.failure?.code == "limit")
    #expect(recorder.failure?.message.contains("took more than 1000000 steps") == true)
  }

  @Test(
    "what a value needs it may take",
    arguments: [
      "$0.n.map { $0 * 2 }.filter { $0 > 10 }.count", "$0.n.sorted().count", "$0.n == $0.n",
      "$0.t.split(separator: \"b\").count", "$0.t.uppercased().count", "String($0.n).count",
    ]
  )
  func enough(_ body: String) throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.map { \(body) }")
    host.send("{\"n\":\(numbers),\"t\":\(text)}", to: "taps")
    #expect(recorder.values.count == 1)
    #expect(recorder.failure == nil)
  }

  @Test("what is much work is not computed when a pipeline is defined")
  func folding() throws {
    let host = TestHost()
    let many = (1...300).map { _ in "(1...100000).count" }.joined(separator: " + ")
    #expect(throws: Never.self) { try host.pipeline("Just(\(many.prefix(3_000)) + 0)") }
  }
}

@Suite("Values that cost much take turns")
struct WorkTests {
  /// A host of which each charge ends the turn.
  private func host() -> TestHost {
    let host = TestHost(subjects: "taps", "others")
    host.timeSlice.mostSteps = 1
    return host
  }

  private let heavy = ".map { x in let a = (1...2000).map { $0 + x }; x + 1 }"

  @Test("a value is through with at most one dear stage in a turn, and none is lost")
  func stages() throws {
    let host = host()
    let stages = String(repeating: heavy, count: 10)
    let recorder = Recorder(host.clock)
    try host.pipeline("taps\(stages)").publisher(in: host).subscribe(recorder)
    for number in ["10", "20", "30"] { host.send(number, to: "taps") }
    #expect(recorder.values.isEmpty)
    var turns = 0
    while host.isTurnDue {
      host.turn()
      turns += 1
    }
    #expect(recorder.values == ["20", "30", "40"])
    #expect(turns >= 29)
  }

  @Test("the end comes behind the values that wait")
  func end() throws {
    let host = host()
    let recorder = Recorder(host.clock)
    try host.pipeline("taps\(heavy)\(heavy)").publisher(in: host).subscribe(recorder)
    for number in ["1", "2"] { host.send(number, to: "taps") }
    host.subjects["taps"]?.send(completion: .finished)
    #expect(recorder.completions.isEmpty)
    while host.isTurnDue { host.turn() }
    #expect(recorder.values == ["3", "4"])
    #expect(recorder.completions == [.finished])
  }

  @Test(
    "where a turn is over, values wait in front of what does much with them",
    arguments: [
      ("taps.collect(1)", "[1]"), ("taps.zip([7].publisher)", "[1,7]"),
      ("[7].publisher.zip(taps)", "[7,1]"), ("taps.combineLatest(Just(7))", "[1,7]"),
      ("taps.withLatest(from: Just(7))", "[1,7]"), ("taps.contains(1)", "true"),
      ("taps.flatMapLatest { Just($0) }", "1"), ("taps.replaceNil(with: 0)", "1"),
      ("taps.window(1) { $0.collect() }", "[1]"), ("taps.group(by: { $0 }) { $0.first() }", "1"),
    ]
  )
  func entries(_ text: String, _ result: String) throws {
    let host = host()
    let recorder = Recorder(host.clock)
    try host.pipeline(text).publisher(in: host).subscribe(recorder)
    host.timeSlice.charge(4)
    host.send("1", to: "taps")
    #expect(recorder.values.isEmpty)
    while host.isTurnDue { host.turn() }
    #expect(recorder.values == [result])
  }

  @Test("what waits is charged, and given back")
  func charged() throws {
    let host = host()
    let memoryBudget = MemoryBudget(bytes: 500)
    host.work.memoryBudget = memoryBudget
    let recorder = Recorder(host.clock)
    try host.pipeline("taps.replaceNil(with: 0)").publisher(in: host).subscribe(recorder)
    host.timeSlice.charge(4)
    host.send("1", to: "taps")
    #expect(memoryBudget.bytes > 0)
    while host.isTurnDue { host.turn() }
    #expect(memoryBudget.bytes == 0 && recorder.values == ["1"])
    host.timeSlice.charge(4)
    for _ in 1...100 { host.send("1", to: "taps") }
    #expect(recorder.failure?.code == "limit")
    #expect(recorder.failure?.message.hasPrefix("what waits for its turn would exceed") == true)
    #expect(memoryBudget.bytes == 0)
  }

  @Test("deliveries that take long end the turn; short ones are seldom looked at")
  func deliveries() {
    nonisolated(unsafe) var now: UInt64 = 1
    nonisolated(unsafe) var looks = 0
    let time = { () -> UInt64 in
      looks += 1
      return now
    }
    let timeSlice = TimeSlice(limit: 1000, mostSteps: 10, spent: { 0 }, time: time, askForTurn: {})
    timeSlice.beginTurn()
    #expect(!timeSlice.delivered(1))
    now += 500
    #expect(timeSlice.delivered(1) && !timeSlice.isOver)
    now += 600
    #expect(timeSlice.delivered(1) && timeSlice.isOver && !timeSlice.isLong)
    now += 3000
    #expect(timeSlice.delivered(1) && timeSlice.isLong)
    timeSlice.beginTurn()
    #expect(!timeSlice.isOver && !timeSlice.isLong)
    looks = 0
    for _ in 1...10_000 where timeSlice.delivered(1) { Issue.record("nothing took long") }
    #expect(looks > 100 && looks < 200 && !timeSlice.isOver)
    // What is large is looked at each time.
    #expect(!timeSlice.delivered(1000))
    now += 5000
    _ = timeSlice.delivered(1000)
    #expect(timeSlice.isOver)
  }

  @Test("what is cancelled while it waits is forgotten")
  func cancelled() throws {
    let host = host()
    let recorder = Recorder(host.clock)
    try host.pipeline("taps\(heavy)\(heavy)").publisher(in: host).subscribe(recorder)
    for number in ["1", "2"] { host.send(number, to: "taps") }
    recorder.cancel()
    while host.isTurnDue { host.turn() }
    #expect(recorder.values.isEmpty && recorder.completions.isEmpty)
  }

  @Test("demand is asked for anew by those that left a value out in a later turn")
  func demand() throws {
    let host = host()
    let recorder = Recorder(host.clock, demand: .max(1))
    let odd = ".filter { x in let a = (1...2000).map { $0 + x }; x % 2 == 1 }"
    try host.pipeline("(3...20).publisher.map { $0 * 3 }\(heavy)\(odd)\(odd)").publisher(in: host)
      .subscribe(recorder)
    while host.isTurnDue { host.turn() }
    #expect(recorder.values == ["13"])
  }

  @Test("publishers that closures make take turns as well")
  func publishers() throws {
    let host = host()
    let flat = ".flatMap { x in let a = (1...2000).map { $0 + x }; Just(x + 1) }"
    let recorder = Recorder(host.clock)
    try host.pipeline("taps\(flat)\(flat)\(flat)").publisher(in: host).subscribe(recorder)
    for number in ["1", "2"] { host.send(number, to: "taps") }
    #expect(recorder.values.isEmpty)
    while host.isTurnDue { host.turn() }
    #expect(recorder.values == ["4", "5"])
  }
}

import FlowCore
import FlowTestSupport
import Testing

@testable import FlowLanguage

/// Values that come as payloads in a buffer that has others right afterwards, and as values: nobody
/// may see a difference.
@Suite("Payloads are as good as values")
struct PayloadTests {
  /// What is behind a subject that has a `price`, or is a number.
  private static let pipelines = [
    "s.reduce(0) { $0 + $1.price }", "s.reduce(0) { $0 + $1 }", "s.reduce([]) { $0 + [$1] }",
    "s.reduce(\"\") { \"\\($0) \\($1)\" }", "s.reduce(null) { $1 }", "s.reduce(1) { $1.price }",
    "s.reduce(0) { $0 + ($1.price ?? 1) }",
    "s.reduce(null) { [\"last\": $1, \"before\": $0?.last] }",
    "s.reduce(0) { $1.n > 1 ? fail(\"no\") : $0 + 1 }",
    "s.print(\"p\").reduce(0) { $0 + $1.price }",
    "s.reduce([]) { $0 + [$1] }.print(\"p\")", "s.reduce(0) { $0 + $1.price }.retry(1)",
    "s.reduce(0) { $0 + $1.price }.replaceError(with: -1)", "s.prefix(2).reduce([]) { $0 + [$1] }",
    "s.filter { $0.price > 10 }.map { $0.price * 2 }.reduce(0) { $0 + $1 }",
    "s.filter { $0 != 7 }.print(\"p\").map { [$0] }.reduce([]) { $0 + $1 }",
    "s.buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest).reduce([]) { $0 + [$1] }",
    "s.merge(with: s).reduce([]) { $0 + [$1] }", "s.share().reduce([]) { $0 + [$1] }",
    "s.contains { $0.price > 15 }", "s.contains { $0.price == 12 }", "s.contains { $0 == null }",
    "s.contains { $0 }", "s.contains(7)", "s.contains(\"text\")", "s.contains(0.1)",
    "s.contains([1, 2])", "s.contains { $0.price > 15 }.print(\"p\")", "s.contains(7).print(\"p\")",
    "s.print(\"p\").contains { $0.n == 2 }", "s.contains { $0.n == 2 || fail(\"no\") }.retry(1)",
    "s.allSatisfy { $0.price > 15 }", "s.allSatisfy { $0.price != 12 }", "s.allSatisfy { $0 != 7 }",
    "s.allSatisfy { $0 }", "s.allSatisfy { $0.n != 2 }.print(\"p\")",
    "s.map { $0.price }.allSatisfy { $0 > 1 }",
    "s.allSatisfy { $0.price < 1 }.merge(with: s.contains { $0.price > 15 })",
    "s.first { $0.price > 15 }", "s.first { $0 == 7 }",
    "s.first { $0.price == 12 }.map { [$0, $0] }",
    "s.map { $0.price }.collect()", "s.map { $0 * 2 }.collect(2)", "s.map(\\.price).count()",
    "s.map { [$0, $0] }.collect()", "s.map { let all = $0; [all.price, all] }.collect()",
    "s.map { v in [\"v\": v] }.last()", "s.map { $0.price }.print(\"p\")", "s.map { -$0 }.first()",
    "s.tryMap { $0.n == 2 ? fail(\"no\") : $0.price }.collect()",
    "s.map { $0.price }.ignoreOutput()",
    "s.map { $0.price }.collect(.byTime(DispatchQueue.main, 1))",
    "s.map { $0.price }.delay(for: 1)",
    "s.map { $0.price }.debounce(for: 1)", "s.map { $0.n }.throttle(for: 1, latest: true)",
    "s.map { $0.price }.replaceNil(with: 0)", "s.map { $0.price }.replaceEmpty(with: 0)",
    "s.map { $0.price }.flatMap { v in Just([v]) }", "s.map { $0 }.collect()",
    "s.map { $0.price }.zip(s.map { $0.n })", "s.map { $0.price }.combineLatest(s.map { $0.n })",
    "s.map { $0.price }.withLatest(from: s.map { [$0] })", "s.map { $0.n }.share().collect()",
    "s.map { $0.price }.prefix(untilOutputFrom: s.compactMap { $0.n })",
    "s.map { [$0] }.prefix(2).collect()", "s.map { [$0] }.merge(with: s.map { $0.n }).collect()",
    "s.compactMap { $0.price }.last()", "s.compactMap { $0.n }.min()",
    "s.compactMap { $0 }.collect()",
    "s.scan(0) { $0 + $1.price }.collect()", "s.scan([]) { $0 + [$1] }.last()",
    "s.scan(null) { $1.price ?? $0 }.max()", "s.scan(0) { $0 + ($1.n ?? 0) }.print(\"p\")",
    "s.group(by: { $0.n }) { $0.map { $0.price }.reduce([]) { $0 + [$1] } }",
    "s.map { $0.n }.group(by: { $0 }) { $0.count() }",
    "s.window(2) { $0.reduce([]) { $0 + [$1] } }",
    "s.window(.seconds(1)) { w in w.map { $0.n }.merge(with: w).collect() }",
    "s.group(by: { $0.n }) { g, key in g.prefix(2).map { [key, $0.price, $0] } }",
    "s.group(by: \\.price, maxGroups: 3) { g, key in g.contains { $0.n == 2 }.map { [key, $0] } }",
    "s.group(by: { $0 }) { $0.collect() }", "s.window(3) { $0.allSatisfy { $0.n != 2 } }",
    "s.group(by: { $0.n }) { $0.group(by: { $0.price }) { $0.count() } }",
    "s.group(by: { $0.n }) { $0.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest) }",
    "s.group(by: { $0.n }) { g, key in Just(key) }",
    "s.window(2) { $0.flatMap { v in s.map { [v, $0] } } }",
    "s.removeDuplicates(by: \\.price).count()", "s.max(by: \\.price)", "s.last { $0.price > 10 }",
    "s.filter { $0.price > 10 }.collect()", "s.drop(while: { $0.price < 15 }).collect()",
    "s.map { $0.price < 15 ? $0.price : fail(\"no\") }.catch { Just($0.message) }.collect()",
    "s.flatMap { v in s.map { [v, $0.price] }.first() }",
    "s.map { $0.price }.flatMapLatest { v in s.map { [v, $0] } }",
  ]

  /// What may be in a payload: JSON or not, with such a member or not.
  private static let payloads: [[UInt8]] =
    ([
      "{\"price\":20.5,\"n\":1}", "{\"n\":2, \"price\" : 12}", "{}", "", " ", "null", "true", "7",
      "-0",
      " 7 ", "07", "1e400", "-1e-400", "0.1", "9223372036854775807", "-9223372036854775808",
      "9223372036854775808", "{\"price\":9223372036854775807}",
      "{\"price\":1.7976931348623157e308}",
      "{\"price\":\"12\"}", "{\"price\":null}", "{\"price\":{\"a\":1}}", "{\"price\":[1, 2]}",
      "{\"price\":", "{\"price\":12,}", "{\"price\":12}x", "{\"price\":12 \"n\":2}", "{price:12}",
      "{\"price\":1e}", "{\"price\":\"\u{1}\"}", "{\"price\":1,\"price\":12}",
      "{\"pr\\u0069ce\":12}",
      "[1,2]", "[1,2", "\"text\"", "text", "\"te\\ud800xt\"", "tr\u{e9}s", "\u{0}",
      "{\"price\":30.0,\"text\":\"" + String(repeating: "x", count: 70_000) + "\"}",
      "{" + (0..<300).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + ",\"price\":12}",
      String(repeating: "[", count: 2_000),
    ] as [String]).map { Array($0.utf8) }
    + [[0xFF, 0xFE], Array("{\"price\":12,\"n\":\"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)]

  /// How the values of a turn come.
  fileprivate enum Way: CaseIterable { case values, payloads, together }

  /// All that can be seen of a running pipeline.
  private struct Seen: Equatable {
    var signals: [String] = []
    var lines: [String] = []
    var drops: [DropReason: Int] = [:]
    var figures: [[StageFigures]] = []
    var bytes: [Int] = []
    var asked = 0
    var missed = 0
  }

  private func play(
    _ pipeline: Pipeline,
    _ turns: [[[UInt8]]],
    _ way: Way,
    asking demand: Subscribers.Demand
  ) -> Seen {
    let host = TestHost()
    let source = PayloadSubject(host.work)
    host.payloads = source
    let counters = StageCounters(count: pipeline.stages.count)
    host.counters = counters
    let recorder = PayloadRecorder(demand)
    pipeline.publisher(in: host).subscribe(recorder)
    var seen = Seen()
    func settle() {
      while host.isTurnDue { host.turn() }
      seen.figures.append(pipeline.figures(of: [counters]))
      seen.bytes.append(host.memoryBudget.bytes)
    }
    for turn in turns {
      source.send(turn, way)
      settle()
      if demand != .unlimited { recorder.subscription?.request(.max(1)) }
      host.wait(until: Double(host.clock.now.nanoseconds) / 1e9 + 0.6)
      settle()
    }
    source.finish()
    host.wait(until: Double(host.clock.now.nanoseconds) / 1e9 + 5)
    settle()
    recorder.subscription?.request(.max(3))
    settle()
    (seen.signals, seen.lines, seen.drops) = (recorder.signals, host.lines, host.drops)
    (seen.asked, seen.missed) = (source.asked, source.missed)
    return seen
  }

  private func compare(_ text: String, _ turns: [[[UInt8]]]) throws {
    let host = TestHost()
    host.payloads = PayloadSubject(host.work)
    for demand in [Subscribers.Demand.unlimited, .max(1)] {
      let expected = play(try host.pipeline(text), turns, .values, asking: demand)
      for way in [Way.payloads, .together] {
        let seen = play(try host.pipeline(text), turns, way, asking: demand)
        let values = turns.map { $0.map { String(decoding: $0.prefix(99), as: UTF8.self) } }
        #expect(seen == expected, "\(text), \(way), asking for \(demand): \(values)")
      }
    }
  }

  @Test("whatever is in them", arguments: pipelines)
  func each(_ text: String) throws {
    let good = Array("{\"price\":11,\"n\":3}".utf8)
    // Other ones for each pipeline, where they are not all tried.
    let (first, step) = (text.utf8.count % RandomCases.step, RandomCases.step)
    for index in stride(from: first, to: Self.payloads.count, by: step) {
      let payload = Self.payloads[index]
      try compare(text, [[payload]])
      try compare(text, [[good, payload, good], [payload, payload]])
    }
  }

  @Test("in any order", arguments: pipelines)
  func mixed(_ text: String) throws {
    var random = SeededGenerator(state: UInt64(text.utf8.count))
    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
    for _ in 0..<RandomCases.count(20) {
      // Mostly such as do not end it.
      let turns = (0..<4).map { _ in
        (0..<number(below: 5)).map { _ in
          switch number(below: 9) {
          case 0: Self.payloads[number(below: Self.payloads.count)]
          case 1: Array("\(number(below: 9))".utf8)
          default: Array("{\"price\":\(number(below: 30)),\"n\":\(number(below: 4))}".utf8)
          }
        }
      }
      try compare(text, turns)
    }
  }

  @Test(
    "are taken by what publishes nothing but what it makes",
    arguments: [
      "s.reduce(0) { $0 + $1.price }", "s.contains { $0.price > 15 }",
      "s.allSatisfy { $0.price > 1 }", "s.map { $0.price }.collect()", "s.scan(0) { $1.n }.last()",
      "s.compactMap { $0.n }.count()", "s.filter { $0.price > 1 }.map { $0.n }.min()",
      "s.prefix(9).map { $0.n }.zip(s.map { $0.price })", "s.map { $0.n }.print(\"p\")",
    ]
  )
  func taken(_ text: String) throws {
    let host = TestHost()
    let source = PayloadSubject(host.work)
    host.payloads = source
    try host.pipeline(text).publisher(in: host).subscribe(PayloadRecorder(.unlimited))
    #expect(source.takers.allSatisfy { $0 } && !source.takers.isEmpty)
  }

  @Test(
    "are not given to what keeps them, or stands behind what does not take them",
    arguments: [
      "s.collect()", "s.print(\"p\").map { $0.price }.last()", "s.filter { $0.n > 1 }.last()",
      "s.debounce(for: 1).reduce(0) { $0 + $1 }", "s.contains(7)",
    ]
  )
  func refused(_ text: String) throws {
    let host = TestHost()
    let source = PayloadSubject(host.work)
    host.payloads = source
    try host.pipeline(text).publisher(in: host).subscribe(PayloadRecorder(.unlimited))
    #expect(source.takers == [false])
  }
}

/// A subject that hands payloads to those who take them, as a server's does.
final class PayloadSubject: Publisher {
  typealias Output = Value
  typealias Failure = PipelineFailure

  private let work: Work
  private var outlets: [Outlet] = []
  /// What has been asked for; `Int.max` is no limit.
  fileprivate(set) var asked = 0
  /// How many values somebody had no demand for.
  fileprivate(set) var missed = 0
  private var searches = 0

  init(_ work: Work) { self.work = work }

  /// Whether each who has subscribed takes payloads.
  var takers: [Bool] { outlets.map { $0.receiver != nil } }

  func receive<S: Subscriber>(subscriber: S)
  where S.Input == Value, S.Failure == PipelineFailure {
    let outlet = Outlet(self, AnySubscriber(subscriber))
    outlets.append(outlet)
    subscriber.receive(subscription: outlet)
  }

  func finish() {
    let old = outlets
    outlets = []
    for outlet in old { outlet.finish() }
  }

  /// Sends what comes in one turn, from a buffer that has something else afterwards.
  fileprivate func send(_ payloads: [[UInt8]], _ way: PayloadTests.Way) {
    guard way == .together else {
      for payload in payloads { for outlet in outlets { send(payload, to: outlet, way) } }
      return
    }
    searches += 1
    let present = outlets
    let meets = present.contains { $0.reach == .shared && !$0.isOnlyWay(searches) }
    let together = present.filter { $0.reach == .alone || ($0.reach == .shared && !meets) }
    for payload in payloads {
      for outlet in outlets where !together.contains(where: { $0 === outlet }) {
        send(payload, to: outlet, .payloads)
      }
    }
    for outlet in together { send(payloads, to: outlet) }
  }

  private func send(_ payload: [UInt8], to outlet: Outlet, _ way: PayloadTests.Way) {
    guard let subscriber = outlet.subscriber else { return }
    guard outlet.take(1) == 1 else { return missed += 1 }
    Self.lend([payload]) { lent in
      if way == .payloads, let receiver = outlet.receiver {
        work.payloadComes()
        outlet.add(receiver.receive(lent[0]))
      } else {
        outlet.add(subscriber.receive(Value(bytes: lent[0])))
      }
    }
  }

  private func send(_ payloads: [[UInt8]], to outlet: Outlet) {
    guard let receiver = outlet.receiver else { return }
    let largest = payloads.map(\.count).max() ?? 0
    Self.lend(payloads) { lent in
      guard let start = lent.baseAddress else { return }
      work.payloadComes()
      var rest = lent.indices
      while outlet.subscriber != nil, !rest.isEmpty {
        let room = receiver.room(for: largest)
        guard room > 0, case let count = outlet.take(Swift.min(room, rest.count)), count > 0 else {
          break
        }
        let taken = rest.prefix(count)
        rest = taken.upperBound..<rest.upperBound
        outlet.add(receiver.receive(Payloads(taken, of: start, largest: largest)))
      }
      while outlet.subscriber != nil, let next = rest.popFirst() {
        guard outlet.take(1) == 1 else {
          missed += 1
          continue
        }
        outlet.add(receiver.receive(lent[next]))
      }
    }
  }

  /// Lends payloads that are not what they were when `body` returns.
  private static func lend(
    _ payloads: [[UInt8]],
    _ body: (UnsafeMutableBufferPointer<UnsafeRawBufferPointer>) -> Void
  ) {
    let all = UnsafeMutableRawBufferPointer.allocate(
      byteCount: payloads.reduce(1) { $0 + $1.count },
      alignment: 1
    )
    all.copyBytes(from: payloads.joined())
    var places: [UnsafeRawBufferPointer] = []
    var start = 0
    for payload in payloads {
      places.append(UnsafeRawBufferPointer(rebasing: all[start..<start + payload.count]))
      start += payload.count
    }
    places.withUnsafeMutableBufferPointer { body($0) }
    for index in all.indices { all[index] = UInt8(ascii: "#") }
    all.deallocate()
  }

  fileprivate final class Outlet: PayloadSource {
    private let subject: PayloadSubject
    private(set) var subscriber: AnySubscriber<Value, PipelineFailure>?
    private(set) var receiver: (any PayloadReceiver)?
    private var demand = 0

    init(_ subject: PayloadSubject, _ subscriber: AnySubscriber<Value, PipelineFailure>) {
      self.subject = subject
      self.subscriber = subscriber
    }

    func handPayloads(to receiver: any PayloadReceiver) {
      guard self.receiver == nil, subscriber?.hides(receiver) == true else { return }
      self.receiver = receiver
    }

    var reach: PayloadReach { receiver?.reach ?? .anywhere }

    func isOnlyWay(_ search: Int) -> Bool { receiver?.isOnlyWay(in: search) ?? false }

    /// Lowers the demand by up to `count`; says by how many.
    func take(_ count: Int) -> Int {
      let taken = count < demand ? count : demand
      if demand != .max { demand -= taken }
      return taken
    }

    func add(_ more: Subscribers.Demand) {
      guard more > .none, subscriber != nil else { return }
      demand = addDemand(demand, more.max ?? .max)
      subject.asked = addDemand(subject.asked, more.max ?? .max)
    }

    func finish() {
      let old = subscriber
      subscriber = nil
      receiver = nil
      old?.receive(completion: .finished)
    }

    func request(_ demand: Subscribers.Demand) { add(demand) }

    func cancel() {
      subscriber = nil
      receiver = nil
      subject.outlets.removeAll { $0 === self }
    }
  }
}

/// Keeps what it is sent, as payloads or values.
private final class PayloadRecorder: Subscriber, PayloadReceiver {
  typealias Input = Value
  typealias Failure = PipelineFailure

  private(set) var signals: [String] = []
  private(set) var subscription: (any Subscription)?
  private let demand: Subscribers.Demand

  init(_ demand: Subscribers.Demand) { self.demand = demand }

  func receive(subscription: any Subscription) {
    self.subscription = subscription
    subscription.mayHandPayloads(to: self)
    subscription.request(demand)
  }

  func receive(_ input: Value) -> Subscribers.Demand {
    signals.append(input.text)
    return .none
  }

  func room(for largest: Int) -> Int { .max }

  func receive(_ payloads: Payloads) -> Subscribers.Demand {
    for place in payloads.places { _ = receive(payloads[place]) }
    return .none
  }

  func receive(_ payload: UnsafeRawBufferPointer) -> Subscribers.Demand {
    receive(Value(bytes: payload))
  }

  var reach: PayloadReach { .alone }

  func isOnlyWay(in search: Int) -> Bool { true }

  func receive(completion: Subscribers.Completion<PipelineFailure>) {
    signals.append("\(completion)")
    subscription = nil
  }
}

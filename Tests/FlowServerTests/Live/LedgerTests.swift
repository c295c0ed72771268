import FlowSubjects
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Synchronization
import Testing

@testable import FlowCore
@testable import FlowServer

@Suite("The ledger")
struct LedgerTests {
  private func start(
    _ change: (inout Configuration) -> Void = { _ in }
  ) throws -> TestServer {
    var configuration = Configuration()
    change(&configuration)
    return try TestServer(configuration, platform: memory)
  }

  private let memory = Memory()

  /// Takes as much memory as the test says, or what the process really does.
  private final class Memory: SystemPlatform, @unchecked Sendable {  // locked
    private let bytes = Mutex<(@Sendable () -> Int)?>(nil)

    func isTaken(_ new: @escaping @Sendable () -> Int) { bytes.withLock { $0 = new } }

    override var residentMemory: Int { bytes.withLock { $0 }?() ?? super.residentMemory }

    /// How often what is free has been given back.
    let returns = Atomic<Int>(0)

    override func trimMemory() { returns.add(1, ordering: .relaxed) }
  }

  private let long = String(repeating: "x", count: 1000)

  /// Makes the server exceed its limit of memory by `excess` until it has ended a client.
  private func run(short excess: Int, _ server: TestServer) throws {
    server.server.perform { [memory] engine in
      let limit = engine.ledger.limit
      memory.isTaken { engine.ledger.endings == 0 ? limit + excess : limit / 2 }
    }
    try Patience.wait(for: "the end of a client over the limit of memory") {
      let hasEnded = server.server.perform { $0.ledger.endings > 0 }
      if !hasEnded { server.advance(seconds: 1) }
      return hasEnded
    }
    _ = server.server.perform { $0.counters.turns }
  }

  @Test("ends the stream that holds most, and nobody else")
  func dearestStream() throws {
    let server = try start { $0.memory = 400_000 }
    try server.prepare("SUBJECT a", "SUBJECT b")
    let (greedy, other) = (try server.framed(), try server.framed())
    _ = try greedy.ask("SUB a.collect() 1 as=1")
    _ = try greedy.ask("SUB b max as=2")
    _ = try other.ask("SUB a.last() 1 as=1")
    for _ in 1...200 { _ = try other.ask("SEND a \(long)") }
    try run(short: 1, server)
    #expect(
      try greedy.line().hasPrefix("FAIL 1 limit ended because the server is short of memory ")
    )
    #expect(try other.ask("SEND b 1") == "OK send b to=1 missed=0")
    #expect(try greedy.line() == "= 2 1")
    try other.say("DONE a")
    #expect(try other.lines(3) == ["OK done a", "= 1 \(long)", "DONE 1"])
    #expect(server.server.perform { $0.ledger.endings } == 1)
  }

  /// The bytes that running pipelines are charged with.
  private func charged(_ server: TestServer) -> Int {
    server.server.perform { engine in
      engine.ledger.held.first { $0.by == "pipelines" }?.bytes ?? 0
    }
  }

  /// A pipeline that joins a hundred subjects.
  private func prepareWide(_ server: TestServer) throws {
    let names = (0..<100).map { "n\($0)" }
    for name in names { try server.prepare("SUBJECT \(name)") }
    let others = names.dropFirst().joined(separator: ", ")
    try server.prepare("PIPELINE w = n0.merge(with: \(others))")
  }

  @Test("a running pipeline is charged for itself from its beginning to its end")
  func price() throws {
    let server = try start()
    try prepareWide(server)
    let client = try server.framed()
    _ = try client.ask("SUB w 0 as=1")
    let one = charged(server)
    #expect((20_000...80_000).contains(one))
    _ = try client.ask("SUB w 0 as=2")
    #expect(charged(server) == 2 * one)
    try server.prepare("SUBJECT out", "RUN r = w.assign(to: out)")
    #expect(charged(server) > 2 * one + one / 2)
    _ = try client.ask("DELETE r")
    for id in 1...2 { _ = try client.ask("CANCEL \(id)") }
    #expect(charged(server) == 0)
  }

  @Test("what runs once for all subscribers is charged once, as long as it runs")
  func priceOfShared() throws {
    let server = try start()
    try prepareWide(server)
    try server.prepare("PIPELINE shared = w.share()")
    let client = try server.framed()
    _ = try client.ask("SUB shared 0 as=1")
    let one = charged(server)
    _ = try client.ask("SUB shared 0 as=2")
    #expect(charged(server) < one + one / 4)
    for id in 1...2 { _ = try client.ask("CANCEL \(id)") }
    #expect(charged(server) == 0)
  }

  @Test("publishers made of values are charged for all that they join")
  func priceOfInner() throws {
    let server = try start { $0.pipelines.holdLimit = 200_000 }
    try prepareWide(server)
    let client = try server.framed()
    try client.say("SUB (1...1000).publisher.flatMap { v in w } max as=1", "PING")
    let lines = try client.rest(until: "PONG")
    if !lines.contains(where: { $0.hasPrefix("FAIL 1 limit ") }) {
      #expect(try client.line().hasPrefix("FAIL 1 limit "))
    }
    #expect(charged(server) == 0)
  }

  @Test("many wide pipelines make their owner lose them, and nobody else is refused")
  func manyWide() throws {
    let server = try start { $0.memory = 2_000_000 }
    try prepareWide(server)
    let (greedy, other) = (try server.framed(), try server.framed())
    for id in 1...20 { _ = try greedy.ask("SUB w 0 as=\(id)") }
    try run(short: 1, server)
    #expect(try greedy.line().hasPrefix("FAIL "))
    #expect(try other.ask("PIPELINE p = w") == "OK pipeline p stages=2")
  }

  @Test("ends the connection that holds most: a frame without an end")
  func dearestConnection() throws {
    let server = try start { $0.memory = 400_000 }
    let (greedy, other) = (try server.framed(), try server.framed())
    try greedy.send(Array(": 1 900000\n".utf8) + Array(repeating: 0x78, count: 300_000))
    try server.wait(for: "300,000 bytes held for a client") {
      $0.clients.all.contains { $0.bytes >= 300_000 }
    }
    try run(short: 1, server)
    #expect(try greedy.bytesToTheEnd().starts(with: Array("BYE overflow ".utf8)))
    #expect(try other.ask("PING") == "PONG")
  }

  @Test("ends nobody where all charges together would not help")
  func nothingToHave() throws {
    let server = try start { $0.memory = 800_000 }
    try server.prepare("SUBJECT a")
    let client = try server.framed()
    _ = try client.ask("SUB a.collect() 1 as=1")
    for _ in 1...150 { _ = try client.ask("SEND a \(long)") }
    memory.isTaken { 1_000_000 }
    for _ in 1...20 { server.advance(seconds: 1) }
    #expect(server.server.perform { $0.ledger.endings } == 0)
    // What is new would make it worse.
    #expect(try client.ask("PIPELINE p = Just(1)").hasPrefix("ERR limit the memory limit of "))
    memory.isTaken { 100_000 }
    server.advance(seconds: 1)
    #expect(try client.ask("PIPELINE p = Just(1)") == "OK pipeline p stages=1")
    try client.say("DONE a")
    #expect(try client.rest(until: "DONE 1").count == 3)
  }

  @Test("tells who was ended, and what is held")
  func told() throws {
    let server = try start { $0.memory = 400_000 }
    try server.prepare("SUBJECT a replay 300")
    let (watcher, other) = (try server.framed(), try server.framed())
    _ = try watcher.ask("SUB $events max as=1")
    for _ in 1...150 { _ = try other.ask("SEND a \(long)") }
    try other.say("STATS", "PING")
    let rows = try other.rest(until: "PONG")
    #expect(rows.contains { $0.hasPrefix("* flow_held_bytes{by=\"subjects\"} 160800") })
    try run(short: 1, server)
    let event = try watcher.line()
    #expect(event.hasPrefix("= 1 {\"event\":\"relieved\",\"who\":\"subject=a\",\"bytes\":160800"))
    try other.say("SUB a 1 as=3", "PING")
    #expect(try other.lines(2) == ["OK sub 3 a demand=1", "PONG"])
  }

  @Test("a subject forgets its oldest values rather than keep too much, and counts them")
  func subject() throws {
    let server = try start { $0.subjectHoldLimit = 10_000 }
    try server.prepare("SUBJECT a replay 100")
    let client = try server.framed()
    for number in 1...20 { _ = try client.ask("SEND a \(number)\(long)") }
    try client.say("SUB a max as=1", "PING")
    let values = try client.rest(until: "PONG").dropFirst()
    #expect(values.first == "= 1 12\(long)")
    #expect(values.count == 10)
    try client.say("STATS a", "PING")
    let rows = try client.rest(until: "PONG")
    #expect(rows.contains("* flow_subject_forgotten_values_total{subject=\"a\"} 11"))
  }

  @Test("all subjects together keep half of what the server may take: the dearest forgets")
  func subjects() throws {
    let server = try start { $0.memory = 100_000 }
    try server.prepare("SUBJECT small current 1", "SUBJECT a replay 100", "SUBJECT b replay 100")
    let client = try server.framed()
    for _ in 1...40 { _ = try client.ask("SEND a \(long)") }
    for _ in 1...20 { _ = try client.ask("SEND b \(long)") }
    let kept = server.server.perform { engine in
      engine.registry.subjects.map { $0.kept?.count ?? 0 }
    }
    #expect(kept[0] == 1)
    #expect(kept[1] < 40)
    #expect(kept[2] == 20)
    #expect(server.server.perform { $0.ledger.kept } <= 50_000)
    #expect(try client.ask("DELETE b") == "OK delete b")
    #expect(try client.ask("DELETE a") == "OK delete a")
    #expect(server.server.perform { $0.ledger.kept } < 100)
  }

  @Test("definitions take a quarter of what the server may take")
  func definitions() throws {
    let server = try start { $0.memory = 100_000 }
    let client = try server.framed()
    var answer = ""
    for number in 1...40 where !answer.hasPrefix("ERR") {
      answer = try client.ask("PIPELINE p\(number) = Just(1)")
    }
    #expect(answer == "ERR limit the limit of 0 MiB for definitions is reached")
    #expect(try client.ask("DELETE p1") == "OK delete p1")
    #expect(try client.ask("PIPELINE p1 = Just(1)") == "OK pipeline p1 stages=1")
  }

  @Test("what waits for room on a connection has a bound, and what has come goes out")
  func account() throws {
    let server = try start { $0.connections.holdLimit = 5000 }
    try server.prepare("SUBJECT a flow=slowest", "SUBJECT b flow=slowest")
    let (reader, writer) = (try server.framed(), try server.framed())
    _ = try reader.ask("SUB a 0 as=1")
    _ = try reader.ask("SUB b 0 as=2")
    _ = try writer.ask("PUB a as=1 over=hold")
    _ = try writer.ask("PUB b as=2 over=hold")
    for _ in 1...5 { try writer.say("= 1 \(long)", "= 2 \(long)") }
    try writer.say("PING")
    try server.wait(for: "4,000 bytes charged to a client") {
      $0.clients.all.contains { $0.charged.bytes >= 4000 }
    }
    #expect(server.server.perform { $0.clients.all.allSatisfy { $0.charged.bytes <= 5000 } })
    try reader.say("REQ 1 5", "REQ 2 5")
    #expect(try reader.lines(10).sorted().last == "= 2 \(long)")
    _ = try writer.rest(until: "PONG")
    #expect(server.server.perform { $0.clients.all.allSatisfy { $0.charged.bytes == 0 } })
  }

  @Test("a large value that many streams of one socket are sent waits once, and goes out in order")
  func parked() throws {
    let server = try start()
    try server.prepare("SUBJECT a flow=slowest", "SUBJECT b")
    let (reader, writer) = (try server.framed(), try server.framed())
    for id in 1...3 { _ = try reader.ask("SUB a max as=\(id) window=64KiB") }
    let large = String(repeating: "x", count: 1_000_000)
    let count = 6
    for number in 1...count { try writer.say("SEND a \(number)\(large)") }
    var bytes = 0
    var next = [1, 1, 1]
    for _ in 1...(3 * count) {
      let line = try reader.line()
      bytes = max(bytes, server.server.perform { $0.clients.all.map(\.bytes).max() ?? 0 })
      let fields = line.split(separator: " ", maxSplits: 2)
      let id = try #require(Int(fields[1]))
      #expect(fields[2].prefix(while: \.isNumber) == "\(next[id - 1])")
      next[id - 1] += 1
    }
    #expect(next == [count + 1, count + 1, count + 1])
    #expect(bytes < 16 << 20)
  }

  @Test("whoever comes when memory is free again is let in, though nothing has happened meanwhile")
  func freeAgain() throws {
    let server = try start { $0.memory = 800_000 }
    let client = try server.framed()
    memory.isTaken { 1_000_000 }
    for _ in 1...20 { server.advance(seconds: 1) }
    #expect(try client.ask("PIPELINE p = Just(1)").hasPrefix("ERR limit "))
    #expect(try TestClient(port: server.port).line().hasPrefix("BYE limit "))
    memory.isTaken { 100_000 }
    #expect(try TestClient(port: server.port).line().hasPrefix("HI "))
    #expect(try client.ask("PIPELINE p = Just(1)").hasPrefix("OK "))
  }

  /// Has the server be full, and what it takes fall below its limit with the next return of what is
  /// free, though not without one.
  private func fill(_ server: TestServer, _ client: TestClient) throws {
    memory.isTaken { 1_000_000 }
    for _ in 1...20 { server.advance(seconds: 1) }
    #expect(try client.ask("PIPELINE p = Just(1)").hasPrefix("ERR limit "))
    server.server.perform { [memory] _ in
      let before = memory.returns.load(ordering: .relaxed)
      memory.isTaken { memory.returns.load(ordering: .relaxed) > before ? 100_000 : 750_000 }
    }
  }

  @Test("what is free is given back before anybody is refused")
  func returned() throws {
    let server = try start { $0.memory = 800_000 }
    let client = try server.framed()
    try fill(server, client)
    server.clock.show(server.clock.now.advanced(by: .seconds(5)))
    #expect(try TestClient(port: server.port).line().hasPrefix("HI "))
    #expect(try client.ask("PIPELINE p = Just(1)").hasPrefix("OK "))
  }

  @Test("what is free is given back near the limit, though nothing happens")
  func returnedByItself() throws {
    let server = try start { $0.memory = 800_000 }
    try fill(server, try server.framed())
    server.advance(seconds: 5)
    #expect(server.server.perform { $0.ledger.taken } == 100_000)
    #expect(server.clock.scheduledCount == 1)
  }

  @Test("what cannot be given back is asked for seldom")
  func seldom() throws {
    let server = try start { $0.memory = 800_000 }
    memory.isTaken { 750_000 }
    for _ in 1...1000 { server.advance(seconds: 0.1) }
    #expect((10...40).contains(memory.returns.load(ordering: .relaxed)))
  }

  @Test("a stream that is cancelled says what could not go out")
  func undelivered() throws {
    let server = try start()
    try server.prepare("SUBJECT a")
    let (reader, writer) = (try server.framed(), try server.framed())
    for id in 1...3 { _ = try reader.ask("SUB a max as=\(id) window=64KiB") }
    let large = String(repeating: "x", count: 1_000_000)
    try Patience.wait(for: "a charge for bytes that the kernel does not take") {
      _ = try writer.ask("SEND a \(large)")
      return server.server.perform { $0.clients.all.contains { $0.charged.bytes > 0 } }
    }
    try reader.say("CANCEL 3", "PING")
    try reader.waitForArrival()
    server.readWhatWaits()
    let lines = try reader.rest(until: "PONG")
    let answer = try #require(lines.last { $0.hasPrefix("OK cancel 3 ") })
    #expect(answer.hasSuffix(" undelivered=1"))
  }

  @Test("rows of LIST are made as they are read")
  func pages() throws {
    let server = try start()
    let client = try server.framed()
    let name = String(repeating: "n", count: 100)
    let count = 2000
    for number in 1...count { _ = try client.ask("SUBJECT \(name)\(number)") }
    for _ in 1...10 { try client.say("LIST subjects") }
    try client.say("PING")
    var most = 0
    for _ in 1...10 {
      let rows = try client.lines(count)
      #expect(rows.first?.hasPrefix("* subject \(name)1 ") == true)
      #expect(rows.last?.hasPrefix("* subject \(name)\(count) ") == true)
      #expect(try client.line() == "OK list \(count)")
      most = max(most, server.server.perform { $0.clients.all.map(\.bytes).max() ?? 0 })
    }
    #expect(try client.line() == "PONG")
    #expect(most < 1 << 20)
  }

  @Test("a frame is small until its sender has said who it is")
  func handshake() throws {
    let server = try start { $0.tokens = [Token("root")] }
    let client = try server.connect()
    try client.say("SEND a " + String(repeating: "x", count: 5000))
    #expect(try client.line().hasPrefix("ERR value-too-long "))
    #expect(try client.ask("AUTH root") == "OK auth")
    #expect(try client.ask("SUBJECT a").hasPrefix("OK "))
    let text = "SEND a " + String(repeating: "x", count: 500_000)
    #expect(try client.ask(text) == "OK send a to=0 missed=0")
  }
}

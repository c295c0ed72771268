import FlowWire
import Testing

@testable import flowclient

@Suite("A conversation that is followed")
struct ExchangeTests {
  private func said(_ line: String) -> TaggedServerLine {
    guard let said = try? TaggedServerLine(line) else { fatalError(line) }
    return said
  }

  @Test("knows what is open, and how much is to come")
  func streams() {
    var exchange = Exchange()
    exchange.send("SUB orders.map { $0 } 5", by: .typed)
    exchange.send("PING", by: .typed)
    let first = exchange.receive(said("OK sub 1 - demand=5"))
    #expect(first?.line == "SUB orders.map { $0 } 5")
    #expect(exchange.receive(said("# a note")) == nil)
    #expect(exchange.receive(said("PONG"))?.line == "PING")
    #expect(exchange.pending == [])
    for _ in 0..<3 { exchange.receiveValue(on: StreamID(rawValue: 1)) }
    #expect(exchange.streams[StreamID(rawValue: 1)]?.demand == .max(2))
    #expect(exchange.streams[StreamID(rawValue: 1)]?.title == "orders.map { $0 }")
    #expect(
      exchange.streams[StreamID(rawValue: 1)]?.reopening?.description
        == "SUB orders.map { $0 } 2 as=1"
    )
    exchange.send("REQ 1 4", by: .key)
    #expect(exchange.receive(said("OK req 1 demand=6"))?.origin == .key)
    #expect(
      exchange.streams[StreamID(rawValue: 1)]?.summary == "SUB 1 orders.map { $0 }, demand 6 left"
    )
    _ = exchange.receive(said("DONE 1"))
    #expect(exchange.streams.isEmpty && exchange.current == nil)
  }

  @Test("gives an error to the command that has it, in order")
  func errors() {
    var exchange = Exchange()
    for line in ["SUB nobody", "", "# nothing", "= 7 x", "LIST"] { exchange.send(line, by: .typed) }
    #expect(exchange.receive(said("ERR unknown-name …"))?.line == "SUB nobody")
    #expect(exchange.receive(said("@! ERR usage …")) == nil)
    #expect(exchange.receive(said("ERR unknown-stream …"))?.line == "= 7 x")
    #expect(exchange.receive(said("OK list 0"))?.line == "LIST")
  }

  @Test("tells the lines of a FEED from commands")
  func feed() {
    var exchange = Exchange()
    for line in ["FEED orders", "LIST", "#x"] { exchange.send(line, by: .typed) }
    #expect(exchange.isFeeding && exchange.pending.count == 1)
    exchange.send(".", by: .typed)
    #expect(!exchange.isFeeding)
    let sent = exchange.receive(said("OK feed orders sent=2 missed=0 refused=0"))
    #expect(sent?.line == "FEED orders")
  }

  @Test("has raw lines behind a TAIL, unless that is refused")
  func tail() {
    var exchange = Exchange()
    for line in ["PING", "TAIL orders"] { exchange.send(line, by: .typed) }
    #expect(exchange.isUnderstood(said("PONG")) == true)
    #expect(exchange.receive(said("PONG"))?.line == "PING")
    #expect(exchange.isUnderstood(said("ERR usage …")) == true)
    #expect(exchange.receive(said("ERR usage …"))?.line == "TAIL orders")
    #expect(!exchange.isRaw)
    exchange.send("TAIL orders", by: .typed)
    #expect(exchange.isUnderstood(said("DONE 1")) == false)
    #expect(exchange.isRaw)
    #expect(exchange.isUnderstood(said("ERR usage …")) == false)
  }

  @Test("has the last stream as the one that keys are about")
  func current() {
    var exchange = Exchange()
    for number in 1...3 {
      exchange.send("SUB a as=\(number)", by: .typed)
      _ = exchange.receive(said("OK sub \(number) a demand=0"))
    }
    exchange.send("PUB a as=4", by: .typed)
    _ = exchange.receive(said("OK pub 4 a demand=64"))
    #expect(exchange.current == StreamID(rawValue: 3))
    exchange.send("CANCEL 3", by: .typed)
    _ = exchange.receive(said("OK cancel 3 values=0 missed=0 undelivered=0"))
    #expect(exchange.current == StreamID(rawValue: 2))
    #expect(exchange.streams[StreamID(rawValue: 4)]?.reopening == nil)
  }

  @Test("takes calls as what comes on the stream of their worker")
  func calls() {
    var exchange = Exchange()
    exchange.send("SERVE upper 2 as=5", by: .typed)
    _ = exchange.receive(said("OK serve 5 upper demand=2"))
    #expect(exchange.current == nil && exchange.endable == StreamID(rawValue: 5))
    #expect(exchange.used(since: 0) == [])
    exchange.receiveValue(on: StreamID(service: 5, call: 1), at: 70)
    #expect(exchange.used(since: 70) == [StreamID(rawValue: 5)])
    #expect(exchange.used(since: 71) == [])
  }

  @Test("waits for no answers that a program does not get")
  func framed() {
    var exchange = Exchange()
    for line in ["HELLO 1", "SUB a as=1", "REQ 1 5", "@x REQ 1 1", "DONE 9", "LIST"] {
      exchange.send(line, by: .typed)
    }
    #expect(exchange.pending.map(\.line) == ["HELLO 1", "SUB a as=1", "@x REQ 1 1", "LIST"])
  }

  @Test("takes up again when an answer was not counted on")
  func resync() {
    var exchange = Exchange()
    for line in [": 1 5", "hello", "LIST", "PING"] { exchange.send(line, by: .typed) }
    #expect(exchange.receive(said("OK list 3"))?.line == "LIST")
    #expect(exchange.receive(said("PONG"))?.line == "PING")
  }
}

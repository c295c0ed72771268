import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

/// Two servers on a real NATS.
@Suite("a durable subscription of a program", .timeLimit(.minutes(10)))
struct DurableTests {
  private static let definition = "SUBJECT orders flow=slowest on=nats"

  private func start() throws -> (nats: NATSServer, addresses: [String]) {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    let nats = try NATSServer()
    let addresses = try (0..<2).map { _ in
      try TestServer.start(Self.definition, nats: [nats.address]).address
    }
    return (nats, addresses)
  }

  private func send(_ range: ClosedRange<Int>, _ remote: FlowRemote) async throws {
    for value in range { try await remote.command("SEND orders \(value)") }
  }

  @Test("a value is acknowledged when another is wanted; others come again, on the other server")
  func acknowledges() async throws {
    let (nats, addresses) = try start()
    defer { withExtendedLifetime(nats) {} }
    let (first, second) = (
      try await FlowRemote.connect(to: addresses[0]), try await FlowRemote.connect(to: addresses[1])
    )
    let early = RemoteRecorder<[UInt8]>(first: .max(2))
    first.publisher("orders").durable("billing").subscribe(early)
    try await send(1...4, second)
    #expect(early.waitForTexts(2) == ["1", "2"])
    early.request(.max(1))
    #expect(early.waitForTexts(3) == ["1", "2", "3"])
    early.cancel()
    try await first.command("PING")
    let late = RemoteRecorder<[UInt8]>(first: .unlimited)
    second.publisher("orders").durable("billing", window: 2).subscribe(late)
    #expect(late.waitForTexts(3) == ["2", "3", "4"])
    try await send(5...9, first)
    #expect(late.waitForTexts(8) == (2...9).map(String.init))
    let other = RemoteRecorder<[UInt8]>(first: .max(1))
    second.publisher("orders").durable("billing").subscribe(other)
    #expect(other.waitForFailure()?.code == "exists")
    try await first.command("DONE orders")
    #expect(late.waitForCompletion() == .finished)
    try await second.command("PING")
    // All has been acknowledged: only the end comes again.
    let last = RemoteRecorder<[UInt8]>(first: .unlimited)
    first.publisher("orders").durable("billing").subscribe(last)
    #expect(last.waitForCompletion() == .finished)
    #expect(last.texts == [])
  }

  @Test("a loop acknowledges a value when it comes for the next one")
  func loops() async throws {
    let (nats, addresses) = try start()
    defer { withExtendedLifetime(nats) {} }
    let remote = try await FlowRemote.connect(to: addresses[0])
    try await send(1...3, remote)
    let orders = remote.publisher("orders").durable("loop")
    for values in [["1", "2"], ["2", "3"]] {
      // The last one of a loop is not followed by another request.
      var iterator = orders.values.makeAsyncIterator()
      for value in values { #expect(try await iterator.next() == Array(value.utf8)) }
    }
  }

  @Test("a connection that is lost is made anew, and what was not acknowledged comes again")
  func reconnects() async throws {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    let nats = try NATSServer()
    defer { withExtendedLifetime(nats) {} }
    let (server, address) = try TestServer.start(Self.definition, nats: [nats.address])
    let other = try TestServer.start(Self.definition, nats: [nats.address]).address
    let remote = try await FlowRemote.test(address)
    let sender = try await FlowRemote.connect(to: other)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(3))
    remote.publisher("orders").durable("billing").subscribe(recorder)
    try await send(1...5, sender)
    #expect(recorder.waitForTexts(3) == ["1", "2", "3"])
    recorder.request(.max(2))
    #expect(recorder.waitForTexts(5) == ["1", "2", "3", "4", "5"])
    try await TestServer.kill(server)
    _ = try TestServer.start(Self.definition, on: address, nats: [nats.address])
    recorder.request(.max(3))
    #expect(recorder.waitForTexts(8).suffix(3) == ["3", "4", "5"])
  }
}

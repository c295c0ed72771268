import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("a lost connection")
struct ReconnectTests {
  private static let definitions = "SUBJECT orders flow=slowest\nSUBJECT taps"
  private let server: Server
  private let address: String

  init() throws {
    (server, address) = try TestServer.start(Self.definitions)
  }

  @Test("a subscription goes on with the demand that remains")
  func remainingDemand() async throws {
    let lines = Arrivals<String>()
    let states = Arrivals<FlowRemote.State>()
    var settings = FlowRemote.Settings.ofTests
    settings.reconnect = Backoff(first: .milliseconds(1), longest: .milliseconds(10))
    settings.trace = { if !$0.isInput { lines.add($0.line) } }
    settings.stateChanged = { states.add($0) }
    let remote = try await FlowRemote.connect(to: address, settings: settings)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(5))
    let unlimited = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    remote.publisher("taps").subscribe(unlimited)
    for value in 1...2 { try await remote.command("SEND taps \(value)") }
    #expect(recorder.waitForTexts(2) == ["1", "2"])

    try await TestServer.kill(server)
    #expect(!states.wait().isEmpty)
    recorder.request(.max(2))
    _ = try TestServer.start(Self.definitions, on: address)
    #expect(states.wait { $0.last == .connected }.last == .connected)
    #expect(lines.all.contains("SUB taps 5 as=1"))
    #expect(lines.all.last { $0.hasPrefix("SUB") } == "SUB taps max as=2")
    for value in 3...9 { try await remote.command("SEND taps \(value)") }
    #expect(unlimited.waitForTexts(9) == (1...9).map(String.init))
    #expect(recorder.texts == (1...7).map(String.init))
    #expect(lines.all.contains("SUB taps 5 as=1"))
  }

  @Test("a publisher goes on when it is granted more, and loses nothing that was not on its way")
  func publication() async throws {
    let states = Arrivals<FlowRemote.State>()
    let remote = try await FlowRemote.test(address, states: states)
    let counting = Counting(upTo: 100)
    let publishing = counting.subscribe(remote.subject("orders"))
    let subject = remote.subject("orders")
    try await TestServer.kill(server)
    #expect(!states.wait().isEmpty)
    subject.send(Array("sent without a connection".utf8))
    _ = try TestServer.start(Self.definitions, on: address)
    let reader = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    reader.publisher("orders").subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts.filter { Int($0) != nil } == (1...100).map(String.init))
    publishing.cancel()
  }

  @Test("the state tells what is done about it, and commands fail meanwhile")
  func states() async throws {
    let states = Arrivals<FlowRemote.State>()
    let remote = try await FlowRemote.test(address, states: states)
    try await TestServer.kill(server)
    let attempts = states.wait(for: 3)
    try #require(attempts.count >= 3)
    guard case .reconnecting(.goodbye("shutdown", _), _) = attempts[0],
      case .reconnecting(.unreachable, let delay) = attempts[1]
    else {
      Issue.record("they are \(attempts)")
      return
    }
    #expect(delay <= .milliseconds(2))
    await #expect(throws: RemoteError.lost("not connected")) {
      try await remote.command("PING")
    }
    remote.close()
    #expect(states.wait { $0.last == .closed(.closed) }.last == .closed(.closed))
  }

  @Test("what NATS may know, and does not tell yet, is opened again until it does")
  func away() async throws {
    let states = Arrivals<FlowRemote.State>()
    let remote = try await FlowRemote.test(address, states: states)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    try await remote.command("PING")
    try await TestServer.kill(server)
    #expect(!states.wait().isEmpty)
    // Nobody listens there, as if NATS were away.
    _ = try TestServer.start(on: address, nats: ["127.0.0.1:1"])
    #expect(states.wait { $0.last == .connected }.last == .connected)
    // That answer has come behind the one to SUB.
    await #expect(throws: RemoteError.self) { try await remote.command("SHOW taps") }
    try await remote.command("SUBJECT taps replay 1")
    try await remote.command("SEND taps 1")
    #expect(recorder.waitForTexts(1) == ["1"])
  }

  @Test("what the new server does not know fails as it would have at first")
  func refusal() async throws {
    let remote = try await FlowRemote.test(address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    try await remote.command("PING")
    try await TestServer.kill(server)
    _ = try TestServer.start(on: address)
    #expect(recorder.waitForFailure()?.code == "unknown-name")
  }

  @Test("what is cancelled meanwhile is not opened again")
  func cancelled() async throws {
    let states = Arrivals<FlowRemote.State>()
    let remote = try await FlowRemote.test(address, states: states)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    try await remote.command("PING")
    try await TestServer.kill(server)
    #expect(!states.wait().isEmpty)
    recorder.cancel()
    _ = try TestServer.start(Self.definitions, on: address)
    #expect(states.wait { $0.last == .connected }.last == .connected)
    #expect(try await remote.command("SEND taps 1").field("to") == "0")
    #expect(recorder.completion == nil)
  }

  @Test("a subject's completion that meets no connection waits for one")
  func completion() async throws {
    let states = Arrivals<FlowRemote.State>()
    let remote = try await FlowRemote.test(address, states: states)
    let subject = remote.subject("taps")
    subject.send([65])
    try await remote.command("PING")
    try await TestServer.kill(server)
    #expect(!states.wait().isEmpty)
    async let finished: Void = subject.finish()
    _ = try TestServer.start(Self.definitions, on: address)
    try await finished
    await #expect(throws: RemoteError.closed) { try await subject.finish() }
    #expect(try await remote.command("SEND taps 1").field("to") == "0")
  }
}

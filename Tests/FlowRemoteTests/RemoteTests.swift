import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@Suite("a remote server")
struct RemoteTests {
  private let server: Server
  private let address: String

  init() throws {
    (server, address) = try TestServer.start("SUBJECT orders")
  }

  @Test("greets and answers commands in order")
  func commands() async throws {
    let remote = try await FlowRemote.connect(to: address)
    #expect(remote.product.hasPrefix("flow/"))
    #expect(remote.largestValue == 1_048_576)
    let list = try await remote.command("LIST subjects")
    #expect(list.rows.count == 1)
    #expect(list.text == "list 1")
    #expect(try await remote.command("PING hello").text == "pong hello")
    let sent = try await remote.command("SEND orders 1")
    #expect(sent.field("to") == "0")
    #expect(sent.field("no") == nil)
    let error = await #expect(throws: RemoteError.self) {
      try await remote.command("SHOW nothing")
    }
    #expect(error?.code == "unknown-name")
  }

  @Test("an address where nobody listens says so")
  func unreachable() async throws {
    let error = await #expect(throws: RemoteError.self) {
      try await FlowRemote.connect(to: "unix:/nonexistent/socket")
    }
    guard case .unreachable = error else {
      Issue.record("it is \(String(describing: error))")
      return
    }
  }

  @Test("a server that does not greet is an error after the patience")
  func silence() async throws {
    let silent = try SilentServer()
    var settings = FlowRemote.Settings.ofTests
    settings.patience = .milliseconds(50)
    let error = await #expect(throws: RemoteError.self) {
      try await FlowRemote.connect(to: silent.address, settings: settings)
    }
    #expect(error == .unresponsive("the server sent no greeting"))
  }

  @Test("and so it is in a conversation")
  func silenceInConversation() async throws {
    let silent = try SilentServer()
    let ended = Arrivals<RemoteError?>()
    let conversation = try await TypedConversation.connect(
      to: silent.address,
      patience: .milliseconds(50)
    ) { event in
      if case .ended(let error) = event { ended.add(error) }
    }
    #expect(ended.wait() == [.unresponsive("the server sent no greeting")])
    withExtendedLifetime((silent, conversation)) {}
  }

  @Test("without reconnecting, streams and commands fail when the server goes")
  func serverGone() async throws {
    let states = Arrivals<FlowRemote.State>()
    var settings = FlowRemote.Settings.ofTests
    settings.reconnect = nil
    settings.stateChanged = { states.add($0) }
    let remote = try await FlowRemote.connect(to: address, settings: settings)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    try await remote.command("PING")
    try await TestServer.kill(server)
    let failure = try #require(recorder.waitForFailure())
    #expect(failure.code == "shutdown")
    #expect(states.wait() == [.closed(failure)])
    await #expect(throws: failure) { try await remote.command("PING") }
  }

  @Test("says its token to a server that asks for one, and shows it in no trace")
  func token() async throws {
    let (server, address) = try TestServer.start("SUBJECT orders", tokens: [Token("sesame")])
    var settings = FlowRemote.Settings.ofTests
    let lines = Arrivals<String>()
    settings.trace = { lines.add($0.line) }
    settings.token = "sesame"
    let remote = try await FlowRemote.connect(to: address, settings: settings)
    #expect(try await remote.command("SEND orders 1").text == "send orders to=0 missed=0")
    #expect(lines.all.contains("AUTH …") && !lines.all.joined().contains("sesame"))
    // A server that asks for none is told none.
    _ = try await FlowRemote.connect(to: self.address, settings: settings)
    settings.token = "simsim"
    await #expect(throws: RemoteError.refused(code: "denied", text: "unknown token")) {
      try await FlowRemote.connect(to: address, settings: settings)
    }
    settings.token = nil
    await #expect(throws: RemoteError.refused(code: "denied", text: "the server requires a token"))
    {
      try await FlowRemote.connect(to: address, settings: settings)
    }
    withExtendedLifetime(server) {}
  }

  @Test("closing here ends every stream")
  func close() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(1))
    remote.publisher("(1...3).publisher").subscribe(recorder)
    #expect(recorder.waitForTexts(1) == ["1"])
    remote.close()
    #expect(recorder.waitForCompletion() == .failure(.closed))
  }

  @Test("a connection that nobody holds any more is closed")
  func release() async throws {
    let other = try await FlowRemote.connect(to: address)
    weak var released: FlowRemote?
    do {
      let remote = try await FlowRemote.connect(to: address)
      released = remote
      #expect(try await other.command("LIST clients").text == "list 2")
    }
    try await Patience.suspend(for: "the release of the connection") { released == nil }
    try await Patience.suspend(for: "the server to drop the connection") {
      try await other.command("LIST clients").text == "list 1"
    }
  }
}

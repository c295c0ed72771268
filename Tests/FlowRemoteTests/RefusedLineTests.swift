import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("lines that the server should not get")
struct RefusedLineTests {
  private let address: String

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders")
  }

  /// Refuses `attempt` on a connection with a bystander, who notices nothing.
  private func refused(_ attempt: (FlowRemote, Arrivals<RemoteError>) -> Any) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let bystander = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(bystander)
    let errors = Arrivals<RemoteError>()
    let kept = attempt(remote, errors)
    #expect(errors.wait().map(\.code) == ["usage"])
    #expect(try await remote.command("PING 1").text == "pong 1")
    try await remote.command("SEND orders 1")
    #expect(bystander.waitForTexts(1) == ["1"])
    #expect(bystander.completion == nil)
    withExtendedLifetime(kept) {}
  }

  @Test(
    "the lines of an expression are one",
    arguments: [
      "(1...3).publisher\n  .map { $0 + 1 }\n", "(1...3)\r\n  .publisher.map {\r\n$0 + 1\n}",
      "(1...3).publisher.map\n  { $0 + \"\\(\n1)\".count }",
    ]
  )
  func lines(_ expression: String) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher(expression).subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == ["2", "3", "4"])
    #expect(try await remote.command("PING 1").text == "pong 1")
  }

  @Test("a line break in a string of an expression fails that stream alone")
  func lineInString() async throws {
    try await refused { remote, errors in
      let recorder = Failures(errors)
      remote.publisher("Just(\"a\nPING b\")").subscribe(recorder)
      return recorder
    }
  }

  @Test("a line break in a name fails what has the name, and nothing else")
  func names() async throws {
    let name = "orders\nPING q"
    try await refused { remote, errors in
      let subject = remote.subject(name) { if case .failure(let e) = $0 { errors.add(e) } }
      subject.send([65])
      return subject
    }
    try await refused { remote, errors in
      remote.serve(name, ended: { errors.add($0) }) { Just($0) }
    }
    try await refused { remote, errors in
      let recorder = Failures(errors)
      remote.publisher("orders").durable(name).subscribe(recorder)
      return recorder
    }
    try await refused { remote, errors in
      let recorder = Failures(errors)
      remote.publisher(name).subscribe(recorder)
      return recorder
    }
  }

  @Test("a line break in the client's name or token is an error of connecting")
  func greeting() async throws {
    var settings = FlowRemote.Settings.ofTests
    settings.name = "a\nPING z"
    let named = await #expect(throws: RemoteError.self) {
      try await FlowRemote.connect(to: address, settings: settings)
    }
    #expect(named?.code == "usage")
    let (_, guarded) = try TestServer.start(tokens: [Token("sesame")])
    settings = FlowRemote.Settings.ofTests
    settings.token = "sesame\nPING z"
    let authorized = await #expect(throws: RemoteError.self) {
      try await FlowRemote.connect(to: guarded, settings: settings)
    }
    #expect(authorized?.code == "usage")
  }

  @Test(
    "a command that has no answer is refused, and takes nobody else's",
    arguments: [
      "", " \t", "\r", "# note", "PING a\nPING b", "SEND orders 3\nabc", "REQ 99 1", " req 99 1",
      "DONE 99", "FAIL 99 boom", "fail 9x", "= 1 x", "=", ": 1 5", "@b!d REQ 99 1", "FEED orders",
    ]
  )
  func unanswered(_ line: String) async throws {
    try await refused { remote, errors in
      remote.command(line) { if let error = $0.error { errors.add(error) } }
    }
  }

  @Test(
    "what has an answer is sent, even if the server refuses it",
    arguments: [
      "@a REQ 99 1": "unknown-stream", "@a = 1 x": "usage", "@b!d": "usage", "@b!d PING": "usage",
      "DONE nothing": "unknown-name", "CANCEL 99": "unknown-stream", "REQUEST": "unknown-command",
    ]
  )
  func answered(_ line: String, _ code: String) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let error = await #expect(throws: RemoteError.self) { try await remote.command(line) }
    #expect(error?.code == code)
    #expect(try await remote.command("PING 1").text == "pong 1")
  }
}

/// Tells why what it subscribes to has failed.
private final class Failures: Subscriber, Sendable {
  private let errors: Arrivals<RemoteError>

  init(_ errors: Arrivals<RemoteError>) { self.errors = errors }

  func receive(subscription: any Subscription) { subscription.request(.unlimited) }

  func receive(_ input: [UInt8]) -> Subscribers.Demand { .none }

  func receive(completion: Subscribers.Completion<RemoteError>) {
    if case .failure(let error) = completion { errors.add(error) }
  }
}

import FlowCore
import FlowRemote
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("refusals")
struct RefusalTests {
  private let address: String

  init() throws { (_, address) = try TestServer.start("SUBJECT orders") }

  /// Connects without reconnecting; returns the connection and the lines that it sends.
  private func connect(mostStreams: Int = 1024) async throws -> (FlowRemote, Arrivals<String>) {
    let lines = Arrivals<String>()
    var settings = FlowRemote.Settings.ofTests
    settings.reconnect = nil
    settings.mostStreams = mostStreams
    settings.trace = { if !$0.isInput { lines.add($0.line) } }
    return (try await FlowRemote.connect(to: address, settings: settings), lines)
  }

  @Test("do not end a healthy connection, and pause commands after 50")
  func many() async throws {
    let (remote, _) = try await connect()
    let bystander = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(bystander)
    let start = ContinuousClock.now
    for _ in 0..<210 {
      await #expect(throws: RemoteError.self) { try await remote.command("SHOW nothing") }
    }
    #expect(start.duration(to: .now) > .milliseconds(300))
    let errors = Arrivals<RemoteError>()
    let recorders = (0..<400).map { _ in RemoteRecorder<[UInt8]>(first: .unlimited) }
    for recorder in recorders {
      remote.command("SHOW nothing") { if case .failure(let error) = $0 { errors.add(error) } }
      remote.publisher("nothing").subscribe(recorder)
    }
    for recorder in recorders { #expect(recorder.waitForFailure()?.code == "unknown-name") }
    #expect(errors.wait(for: 400).allSatisfy { $0.code == "unknown-name" })
    #expect(try await remote.command("SEND orders 1").field("to") == "1")
    #expect(bystander.waitForTexts(1) == ["1"])
  }

  @Test("of streams beyond the limit send nothing; a cancelled stream makes room")
  func streams() async throws {
    let (remote, lines) = try await connect(mostStreams: 3)
    let recorders = (0..<4).map { _ in RemoteRecorder<[UInt8]>(first: .unlimited) }
    for recorder in recorders { remote.publisher("orders").subscribe(recorder) }
    #expect(recorders[3].waitForFailure()?.code == "limit")
    recorders[0].cancel()
    let last = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(last)
    #expect(try await remote.command("SEND orders 1").field("to") == "3")
    #expect(last.waitForTexts(1) == ["1"])
    #expect(lines.all.filter { $0.hasPrefix("SUB") }.count == 4)
  }

  @Test("of too long lines send nothing; a SEND may be as long as a value")
  func lines() async throws {
    let (remote, lines) = try await connect()
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("Just(1)" + String(repeating: ".map { $0 }", count: 10_000))
      .subscribe(recorder)
    #expect(recorder.waitForFailure()?.code == "line-too-long")
    let long = String(repeating: "x", count: 70_000)
    let error = await #expect(throws: RemoteError.self) { try await remote.command("PING \(long)") }
    #expect(error?.code == "line-too-long")
    #expect(try await remote.command("@a send orders \(long)").field("to") == "0")
    #expect(lines.all.count == 2)
  }

  @Test("that still end a connection are followed by a new one")
  func goodbye() throws {
    let server = try ScriptedServer()
    let states = Arrivals<FlowRemote.State>()
    let connected = Arrivals<Result<FlowRemote, RemoteError>>()
    var settings = FlowRemote.Settings.ofTests
    settings.reconnect = Backoff(first: .milliseconds(1), longest: .milliseconds(10))
    settings.stateChanged = { states.add($0) }
    FlowRemote.connect(to: server.address, settings: settings) { connected.add($0) }
    try server.greet().say("BYE errors 100 errors in a row")
    let client = try server.greet()
    #expect(states.wait { $0.last == .connected }.last == .connected)
    withExtendedLifetime((client, connected)) {}
  }
}

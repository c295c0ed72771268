import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Synchronization
import Testing

@testable import FlowServer

/// Servers whose process stands still for a while, as after SIGSTOP: the time jumps.
@Suite("A pause of the process")
struct PauseTests {
  /// A server whose time is the machine's, and some seconds more.
  private final class LateServer: Sendable {
    private let jump: Jump
    private let server: TestServer

    private final class Jump: SystemPlatform, @unchecked Sendable {  // an atomic only
      let nanoseconds = Atomic<UInt64>(0)

      override var monotonicNanoseconds: UInt64 {
        super.monotonicNanoseconds + nanoseconds.load(ordering: .sequentiallyConsistent)
      }
    }

    init() throws {
      let jump = Jump()
      self.jump = jump
      var configuration = Configuration()
      configuration.timeouts.sendWait = 300_000_000_000
      server = try TestServer(configuration, time: .real, platform: jump)
    }

    /// Stands still for so many seconds of its time, in which `body` runs; then, before it can hear
    /// of its sockets, does something else.
    func pause(seconds: UInt64, _ body: @escaping @Sendable () throws -> Void) throws {
      let result: Result<Void, any Error> = server.server.perform { [jump] engine in
        let result = Result { try body() }
        jump.nanoseconds.add(seconds * 1_000_000_000, ordering: .sequentiallyConsistent)
        engine.nextTurn {}
        return result
      }
      try result.get()
    }

    func connect() throws -> TestClient { try server.connect() }
  }

  /// A client that the loop's queue may use while the test waits.
  private struct Sender: @unchecked Sendable {  // the test waits for the queue meanwhile
    let client: TestClient

    func say(_ line: String) throws {
      try client.say(line)
      try client.waitForArrival()
    }
  }

  @Test("whoever has said something meanwhile is not idle")
  func idle() throws {
    let server = try LateServer()
    let client = try server.connect()
    #expect(try client.ask("HELLO 1 ping=60s") == "OK hello 1 ping=60s")
    for _ in 1...3 {
      try server.pause(seconds: 500) { [sender = Sender(client: client)] in
        try sender.say("@a PING")
      }
      #expect(try client.rest(until: "@a PONG").allSatisfy { !$0.hasPrefix("BYE") })
    }
    try server.pause(seconds: 500) {}
    #expect(try client.rest(until: { $0.hasPrefix("BYE") }).last?.hasPrefix("BYE idle ") == true)
  }

  @Test(
    "whoever has asked for more meanwhile is not too slow, and the SEND that waits for it goes out"
  )
  func tooSlow() throws {
    let server = try LateServer()
    let (slow, quick, publisher) = (
      try server.connect(), try server.connect(), try server.connect()
    )
    _ = try slow.ask("HELLO 1")
    _ = try quick.ask("HELLO 1")
    _ = try publisher.ask("HELLO 1")
    _ = try slow.ask("SUBJECT s flow=slowest stall=200s")
    #expect(try slow.ask("SUB s") == "OK sub 1 s demand=0")
    #expect(try quick.ask("SUB s max") == "OK sub 1 s demand=max")
    try publisher.say("SEND s 1")
    // It waits as soon as the subject says so.
    try quick.waitUntil(1, waitAt: "s")
    try server.pause(seconds: 250) { [sender = Sender(client: slow)] in try sender.say("REQ 1 5") }
    #expect(try slow.line() == "= 1 1")
    #expect(try quick.line() == "= 1 1")
    #expect(try publisher.line() == "OK send s to=2 missed=0")
  }
}

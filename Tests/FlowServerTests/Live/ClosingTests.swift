import Dispatch
import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Testing

@testable import FlowServer

@Suite("Those who do not read when their connection ends")
struct ClosingTests {
  /// A client for which more is sent than kernels hold, and that has read none of it.
  private func deafClient(of server: TestServer, window: String = "4MiB") throws -> TestClient {
    let deaf = try server.connect()
    let sender = try server.connect()
    _ = try deaf.ask("SUBJECT news")
    _ = try deaf.ask("HELLO 1 name=deaf")
    _ = try deaf.ask("SUB news max window=\(window)")
    let value = String(repeating: "n", count: 60_000)
    try Patience.wait(for: "bytes that the kernel does not take") {
      _ = try sender.ask("SEND news \(value)")
      return server.server.perform { $0.unsent > 0 }
    }
    _ = try sender.ask("QUIT now")
    _ = try sender.rest()
    return deaf
  }

  /// Sends `QUIT now`, and waits until the server has read it.
  private func quit(_ client: TestClient, _ server: TestServer) throws {
    try client.say("QUIT now")
    try server.wait(for: "the server to close the client") {
      $0.clients.all.allSatisfy { $0.ending == .closed }
    }
  }

  @Test("QUIT now waits for its reader for 10 s, and for nobody longer")
  func quitNow() throws {
    let server = try TestServer()
    let deaf = try deafClient(of: server)
    try quit(deaf, server)
    server.advance(seconds: 9.9)
    #expect(server.server.perform { $0.clients.count } == 1)
    server.advance(seconds: 0.2)
    #expect(server.server.perform { $0.clients.count } == 0)
    // It was a reset: not even a BYE is left.
    #expect(try deaf.rest().last?.hasPrefix("BYE ") != true)
  }

  @Test("whoever goes on reading gets all of it")
  func slowly() throws {
    let server = try TestServer()
    let slow = try deafClient(of: server)
    try quit(slow, server)
    var got: [UInt8] = []
    while case let before = server.server.perform({ $0.unsent }), before > 0 {
      // Each time less than 10 s after it has taken something.
      try Patience.wait(for: "the sending of more than \(got.count) bytes") {
        got += slow.bytesSoFar()
        return server.server.perform { $0.unsent < before }
      }
      server.advance(seconds: 2)
    }
    got += try slow.bytesToTheEnd()
    #expect(String(decoding: got.suffix(14), as: UTF8.self) == "\nBYE quit bye\n")
  }

  @Test("a slow reader gets the answers from before its framed end of input")
  func framedEnd() throws {
    let server = try TestServer()
    let slow = try deafClient(of: server)
    try slow.say("PING last")
    slow.endInput()
    let said = try slow.rest()
    #expect(said.contains("PONG last"))
    let value = "= 1 " + String(repeating: "n", count: 60_000)
    #expect(said.allSatisfy { $0 == value || $0 == "PONG last" })
    try server.wait(for: "the end of the slow client") { $0.clients.count == 0 }
  }

  @Test("the farewell is a setting")
  func setting() throws {
    var configuration = Configuration()
    configuration.timeouts.farewell = 2_000_000_000
    let server = try TestServer(configuration)
    let deaf = try deafClient(of: server)
    try quit(deaf, server)
    server.advance(seconds: 2.1)
    #expect(server.server.perform { $0.clients.count } == 0)
    withExtendedLifetime(deaf) {}
  }

  @Test("a server that stops is gone when its time is over, whoever reads or not")
  func drain() throws {
    let server = try TestServer()
    let deaf = try deafClient(of: server)
    let done = DispatchSemaphore(value: 0)
    server.server.stop(drain: 5) { done.signal() }
    server.advance(seconds: 5)
    #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the server's end")
    withExtendedLifetime(deaf) {}
  }

  @Test("a second stop waits for nobody who does not read")
  func stopTwice() throws {
    let server = try TestServer()
    let deaf = try deafClient(of: server)
    let done = DispatchSemaphore(value: 0)
    server.server.stop(drain: 500) {}
    server.server.stop(drain: 500) { done.signal() }
    #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the server's end")
    withExtendedLifetime(deaf) {}
  }
}

extension Engine {
  /// What all clients together have not read yet, as far as the server knows.
  fileprivate var unsent: Int { clients.all.reduce(0) { $0 + $1.connection.unsent } }
}

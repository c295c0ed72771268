internal import FlowNATSBackend
internal import FlowNATSSupport
package import FlowServer
package import FlowTestSupport

/// A server whose NATS the test plays.
package final class PlayedServer {
  package let server: TestServer
  private let nats: PlayedNATS

  /// Starts one, of whose NATS `prepare` says what is so from the start.
  package init(
    _ configuration: Configuration = Configuration(),
    lines: String...,
    prepare: @escaping @Sendable (PlayedNATS) -> Void = { _ in }
  ) throws {
    var configuration = configuration
    configuration.nats.servers = ["nats:4222"]
    configuration.nats.connects = false
    server = try TestServer(configuration)
    nats = server.server.perform { engine in
      let nats = PlayedNATS(engine)
      prepare(nats)
      engine.connect(toNATS: nats)
      return nats
    }
    settle()
    if !lines.isEmpty {
      let client = try server.connect()
      for line in lines { _ = try client.ask(line) }
    }
  }

  /// A client that has said HELLO and these lines.
  package func framed(_ lines: String...) throws -> TestClient {
    let client = try server.framed()
    for line in lines { _ = try client.ask(line) }
    return client
  }

  /// Sends lines, and lets them arrive and what they cause come to rest.
  package func say(_ client: TestClient, _ lines: String) throws {
    try client.say(lines)
    try client.waitForArrival()
    settle()
  }

  /// Does something with NATS, as a turn of the server.
  @discardableResult
  package func play<R: Sendable>(_ body: @escaping @Sendable (PlayedNATS) -> R) -> R {
    server.server.perform { [nats] _ in body(nats) }
  }

  package func fail(_ kind: String, _ faults: PlayedNATS.Fault...) {
    play { $0.faults[kind] = faults }
  }

  /// The values that the stream of `name` holds.
  package func stored(_ name: String) -> [String] {
    play { $0.streams["flow_\(name)"]?.messages.map(\.text) ?? [] }
  }

  /// The requests since the last call, of this kind.
  package func takeRequests(_ kind: String) -> [String] {
    play { nats in
      defer { nats.requests.removeAll { $0.hasPrefix(kind) } }
      return nats.requests.filter { $0.hasPrefix(kind) }
    }
  }

  /// Lets all that is under way come to rest, then lets time pass.
  package func advance(seconds: Double) {
    settle()
    var left = seconds
    // Timers and answers take turns: each second a few answers may come.
    while left > 0 {
      server.advance(seconds: min(0.25, left))
      settle()
      left -= 0.25
    }
  }

  /// Lets answers come that are on their way, and what clients have said be read.
  package func settle() { for _ in 0..<12 { server.readWhatWaits() } }
}

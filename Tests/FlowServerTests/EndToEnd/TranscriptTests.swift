import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("protocol.md")
struct TranscriptTests {
  @Test("has transcripts")
  func exist() throws {
    #expect(try Transcript.all(in: "protocol.md").count >= 5)
  }

  @Test(
    "a live server answers exactly as the page says",
    .timeLimit(.minutes(10)),
    arguments: try Transcript.all(in: "protocol.md").filter { !$0.needsNATS }
  )
  func plain(_ transcript: Transcript) throws {
    try replay(transcript, nats: [])
  }

  @Test(
    "a live server with a NATS answers exactly as the page says",
    .enabled(if: NATSServer.program != nil, "needs nats-server"),
    .timeLimit(.minutes(10)),
    arguments: try Transcript.all(in: "protocol.md").filter(\.needsNATS)
  )
  func shared(_ transcript: Transcript) throws {
    let nats = try NATSServer()
    try replay(transcript, nats: [nats.address])
    withExtendedLifetime(nats) {}
  }

  private func replay(_ transcript: Transcript, nats: [String]) throws {
    let server = try TestServer(.ofTests(tokens: transcript.tokens, nats: nats), time: .real)
    var clients: [String: TestClient] = [:]
    func client(_ name: String) throws -> TestClient {
      if let client = clients[name] { return client }
      let client = try TestClient(port: server.port)
      clients[name] = client
      return client
    }
    var sender: TestClient?
    for (name, step) in transcript.steps {
      let client = try client(name)
      // The lines of another client must arrive first, as on the page.
      if let sender, sender !== client { try sender.waitForArrival() }
      sender = client
      switch step {
      case .send(let line): try client.say(line)
      case .receive(let pattern):
        let line = try client.line()
        #expect(Transcript.matches(line, pattern), "expected \(pattern), got \(line)")
      case .event(.halfCloses): client.endInput()
      case .event(.closes):
        client.close()
        clients[name] = nil
      case .event(.isClosed):
        #expect(try client.rest() == [])
        clients[name] = nil
      }
    }
    for (name, client) in clients {
      #expect(try client.linesSoFar() == [], "\(name) received more")
    }
  }

  @Test(
    "… matches any part of a line",
    arguments: [
      ("OK", "OK", true), ("OK 1", "OK", false), ("HI flow/0.1.0 proto=1", "HI … proto=1", true),
      ("HI flow/0.1.0 proto=2", "HI … proto=1", false), ("a b c d", "a … c …", true),
      ("a c", "a … c … d", false), ("", "…", true),
    ]
  )
  func matching(_ line: String, _ pattern: String, _ isMatch: Bool) {
    #expect(Transcript.matches(line, pattern) == isMatch)
  }
}

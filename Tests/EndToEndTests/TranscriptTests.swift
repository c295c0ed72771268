import FlowTestSupport
import Testing

@Suite("protocol.md")
struct TranscriptTests {
  @Test("has transcripts")
  func exist() throws {
    #expect(try Transcript.all(in: "protocol.md").count >= 5)
  }

  @Test("a live server answers as the page says", arguments: try Transcript.all(in: "protocol.md"))
  func replay(_ transcript: Transcript) throws {
    let server = try LiveServer()
    var clients: [String: TestClient] = [:]
    func client(_ name: String) throws -> TestClient {
      if let client = clients[name] { return client }
      let client = try TestClient(port: server.port)
      clients[name] = client
      return client
    }
    for step in transcript.steps {
      switch step {
      case .send(let name, let line): try client(name).say(line)
      case .receive(let name, let pattern):
        let line = try client(name).line()
        #expect(Transcript.matches(line, pattern), "expected \(pattern), got \(line)")
      }
    }
  }
}

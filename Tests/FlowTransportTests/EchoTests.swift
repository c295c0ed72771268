import Testing

@testable import FlowTransport

@Suite("Echo")
struct EchoTests {
  @Test("sends back what comes", arguments: SystemPlatform.PollerKind.allCases)
  func echo(_ kind: SystemPlatform.PollerKind) throws {
    let host = try Host(kind) { Echo() }
    let peer = try Peer(host.address)
    for line in ["a\n", "hello\n", String(repeating: "x", count: 5000) + "\n"] {
      peer.send(line)
      #expect(peer.readText(line.utf8.count) == line)
    }
    peer.close()
    #expect(host.journal.has("closed"))
    #expect(host.journal.entries == ["ended", "closed"])
  }

  @Test(
    "a half-closed peer gets every answer, then the end",
    arguments: SystemPlatform.PollerKind.allCases
  )
  func halfClose(_ kind: SystemPlatform.PollerKind) throws {
    let host = try Host(kind) { Echo() }
    let peer = try Peer(host.address)
    peer.send("one\ntwo\nthree\n")
    peer.endOutput()
    #expect(peer.readToEnd() == Array("one\ntwo\nthree\n".utf8))
    #expect(host.journal.has("closed"))
  }
}

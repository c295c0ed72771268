import Testing

@testable import FlowTransport

@Suite("Echo")
struct EchoTests {
  @Test("sends back what comes")
  func echo() throws {
    let host = try Host { Echo() }
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
    "a half-closed peer gets every answer, then the end"
  )
  func halfClose() throws {
    let host = try Host { Echo() }
    let peer = try Peer(host.address)
    peer.send("one\ntwo\nthree\n")
    peer.endOutput()
    #expect(peer.readToEnd() == Array("one\ntwo\nthree\n".utf8))
    #expect(host.journal.has("closed"))
  }
}

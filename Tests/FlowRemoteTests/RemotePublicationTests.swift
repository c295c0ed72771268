import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("FlowRemote.publish")
struct RemotePublicationTests {
  private let address: String

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders")
  }

  @Test("finishing what the server has ended gives the error that it ended with")
  func ended() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let handler = PublicationEvents()
    let publication = remote.publish(to: "nothing", handler: handler)
    let error = try #require(handler.ended.wait().first)
    #expect(error.code == "unknown-name")
    let finished = Arrivals<RemoteError?>()
    publication.finish { finished.add($0.error) }
    #expect(finished.wait() == [error])
  }

  @Test("finishing again is told that it is closed")
  func twice() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let publication = remote.publish(to: "orders", handler: PublicationEvents())
    let finished = Arrivals<RemoteError?>()
    remote.perform {
      for _ in 1...2 { publication.finish { finished.add($0.error) } }
    }
    #expect(Set(finished.wait(for: 2).map { $0?.code }) == ["closed", nil])
    publication.finish { finished.add($0.error) }
    #expect(finished.wait(for: 3).last == .closed)
  }
}

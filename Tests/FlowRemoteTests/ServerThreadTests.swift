import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

/// What a server does on threads other than its loop's; the thread sanitizer runs these tests.
@Suite("a server's other threads", .timeLimit(.minutes(10)))
struct ServerThreadTests {
  @Test("send large values to several clients at a time, whole and in order")
  func sending() async throws {
    var configuration = Configuration.ofTests()
    configuration.threads = 4
    let server = try TestServer(
      configuration,
      definitions: "SUBJECT images flow=slowest stall=600s",
      time: .real
    )
    let sender = try await FlowRemote.connect(to: server.address)
    let readers = (0..<6).map { _ in RemoteRecorder<[UInt8]>(first: .unlimited) }
    for reader in readers {
      try await FlowRemote.connect(to: server.address).publisher("images").subscribe(reader)
    }
    try await Patience.suspend(for: "six subscriptions") {
      try await sender.command("LIST streams").rows.count == 6
    }
    let values = (0..<20).map { [UInt8](repeating: UInt8(65 + $0), count: 200_000) }
    let subject = sender.subject("images")
    for value in values { subject.send(value) }
    try await subject.finish()
    for reader in readers {
      let isWhole = reader.wait(for: values.count) == values
      #expect(isWhole)
    }
    withExtendedLifetime(server) {}
  }

  @Test("free large values while others are sent")
  func freeing() async throws {
    let (_, address) = try TestServer.start()
    let recorders = (0..<4).map { _ in RemoteRecorder<[UInt8]>(first: .unlimited) }
    for recorder in recorders {
      try await FlowRemote.connect(to: address).publisher("(1...5000).publisher.collect()")
        .subscribe(recorder)
    }
    let text = "[" + (1...5000).map(String.init).joined(separator: ",") + "]"
    for recorder in recorders { #expect(recorder.waitForTexts(1) == [text]) }
  }
}

import Dispatch
import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("values that are large, or too large")
struct LargeValueTests {
  private let address: String
  private let tooLarge = RemoteError.refused(
    code: "value-too-long",
    text: "the value has 1048577 bytes; the limit is 1048576 bytes"
  )

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders flow=slowest")
  }

  private func recorder() async throws -> RemoteRecorder<[UInt8]> {
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    let remote = try await FlowRemote.connect(to: address)
    remote.publisher("orders").subscribe(recorder)
    try await remote.command("PING")
    return recorder
  }

  private func values(_ count: Int, of size: Int) -> [[UInt8]] {
    (0..<count).map { [UInt8](repeating: 65 + UInt8($0 % 26), count: size) }
  }

  @Test("all arrive that are sent", arguments: [300_000, 1_000_000])
  func sent(_ size: Int) async throws {
    let recorder = try await recorder()
    let remote = try await FlowRemote.connect(to: address)
    let subject = remote.subject("orders")
    let values = values(40, of: size)
    DispatchQueue(label: "test").async {
      for value in values { subject.send(value) }
    }
    let isWhole = recorder.wait(for: 40) == values
    #expect(isWhole)
  }

  @Test("all arrive that a publisher gives", arguments: [300_000, 1_000_000])
  func published(_ size: Int) async throws {
    let recorder = try await recorder()
    let values = values(40, of: size)
    let publishing = values.publisher.append(Empty(completeImmediately: false))
      .subscribe(try await FlowRemote.connect(to: address).subject("orders"))
    let isWhole = recorder.wait(for: 40) == values
    #expect(isWhole)
    publishing.cancel()
  }

  @Test("all arrive that answer a call", arguments: [300_000, 1_000_000])
  func answered(_ size: Int) async throws {
    let values = values(40, of: size)
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("images") { _ in values.publisher }
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    try await FlowRemote.connect(to: address).publisher("ask(images, 1)").subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    let isWhole = recorder.values == values
    #expect(isWhole)
    service.cancel()
  }

  @Test("a value over the limit ends the subject here behind those before it, and says why")
  func tooLargeForSubject() async throws {
    let recorder = try await recorder()
    let remote = try await FlowRemote.connect(to: address)
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let subject = remote.subject("orders") { ended.add($0) }
    subject.send([65])
    subject.send([UInt8](repeating: 66, count: remote.largestValue + 1))
    subject.send([67])
    #expect(ended.wait() == [.failure(tooLarge)])
    #expect(recorder.wait(for: 1) == [[65]])
    let counting = Counting(["1", String(repeating: "2", count: remote.largestValue + 1), "3"])
    let publishing = counting.subscribe(remote.subject("orders") { ended.add($0) })
    #expect(ended.wait(for: 2).last == .failure(tooLarge))
    #expect(counting.isCancelled)
    #expect(recorder.waitForTexts(2) == ["A", "1"])
    publishing.cancel()
    // The server's subject goes on.
    #expect(try await remote.command("SEND orders 4").field("to") == "1")
  }

  @Test("a value over the limit ends the publication, and says why")
  func tooLargeForPublication() async throws {
    let recorder = try await recorder()
    let remote = try await FlowRemote.connect(to: address)
    let size = remote.largestValue + 1
    let handler = PublicationEvents { publication in
      for value in [[65], [UInt8](repeating: 66, count: size), [67]] {
        _ = unsafe value.withUnsafeBytes(publication.send)
      }
    }
    let publication = remote.publish(to: "orders", handler: handler)
    #expect(handler.ended.wait() == [tooLarge])
    #expect(recorder.wait(for: 1) == [[65]])
    let finished = Arrivals<RemoteError?>()
    publication.finish { finished.add($0.error) }
    #expect(finished.wait() == [tooLarge])
    try await Patience.suspend(for: "the end of the publication") {
      try await !remote.command("LIST streams").rows.contains { $0.contains("publisher") }
    }
  }

  @Test("a value over the limit fails its call, and the service goes on")
  func tooLargeForCall() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let size = remote.largestValue + 1
    let service = remote.serve("images") { argument in
      [[UInt8]]([[65], .init(repeating: 66, count: argument == [49] ? size : 1), [67]]).publisher
    }
    let other = try await FlowRemote.connect(to: address)
    let first = RemoteRecorder<[UInt8]>(first: .unlimited)
    other.publisher("ask(images, 1)").subscribe(first)
    #expect(first.waitForFailure() == .failed(code: "value-too-long", text: tooLarge.text))
    #expect(first.texts == ["A"])
    let second = RemoteRecorder<[UInt8]>(first: .unlimited)
    other.publisher("ask(images, 2)").subscribe(second)
    #expect(second.waitForCompletion() == .finished)
    #expect(second.texts == ["A", "B", "C"])
    service.cancel()
  }
}

import Dispatch
import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("FlowRemote.serve")
struct RemoteServiceTests {
  private struct Order: Codable, Equatable {
    var id: Int
  }

  private let server: Server
  private let address: String

  init() throws {
    (server, address) = try TestServer.start("SUBJECT orders")
  }

  /// What `expression` gives, read without limit.
  private func results(_ expression: String) async throws -> RemoteRecorder<[UInt8]> {
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    try await FlowRemote.connect(to: address).publisher(expression).subscribe(recorder)
    return recorder
  }

  @Test("each call is answered by a publisher, whose end is the end of the call")
  func answers() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("double") { argument in
      [argument, argument].publisher
    }
    let recorder = try await results("(1...3).publisher.flatMap { ask(double, $0) }")
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == ["1", "1", "2", "2", "3", "3"])
    service.cancel()
  }

  @Test("arguments and answers are Codable values")
  func typed() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("next", taking: Order.self, jobs: 3) { order in
      Just(Order(id: order.id + 1))
    }
    let recorder = try await results(#"ask(next, ["id": 7]).map { $0.id }"#)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == ["8"])
    let mistaken = try await results("ask(next, 7)")
    let reason = "payload is \"7\": expected Dictionary<String, Any>"
    #expect(mistaken.waitForFailure() == .failed(code: "undecodable", text: reason))
    service.cancel()
  }

  @Test("bytes may be answered by values, and may be any")
  func encoded() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("count") { Just(Order(id: $0.count)) }
    let echo = remote.serve("echo") { Just($0 + Array("\r\n".utf8)) }
    #expect(try await results(#"ask(count, "four")"#).waitForTexts(1) == [#"{"id":6}"#])
    #expect(try await results("ask(echo, 1)").waitForTexts(1) == ["1\r\n"])
    service.cancel()
    echo.cancel()
  }

  @Test("the publisher is asked for what the pipeline asks of the call")
  func demand() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let asked = Arrivals<Subscribers.Demand>()
    let service = remote.serve("numbers") { _ in
      Counting(upTo: 100).handleEvents(receiveRequest: { asked.add($0) })
    }
    let recorder = RemoteRecorder<[UInt8]>(first: .max(2))
    try await FlowRemote.connect(to: address).publisher("ask(numbers, 0)").subscribe(recorder)
    #expect(recorder.waitForTexts(2) == ["1", "2"])
    #expect(asked.all == [.max(2)])
    recorder.request(.max(3))
    #expect(recorder.waitForTexts(5) == ["1", "2", "3", "4", "5"])
    #expect(asked.all.reduce(.none, +) == .max(5))
    service.cancel()
  }

  @Test("no more calls are open than there are jobs", arguments: [1, 3])
  func jobs(_ jobs: Int) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let open = Arrivals<PassthroughSubject<[UInt8], RemoteError>>()
    let service = remote.serve("slow", jobs: jobs) { _ in
      let subject = PassthroughSubject<[UInt8], RemoteError>()
      open.add(subject)
      return subject
    }
    let recorder = try await results("(1...7).publisher.flatMap { ask(slow, $0) }")
    #expect(open.wait(for: jobs).count == jobs)
    for index in 0..<7 {
      try await remote.command("PING")
      try await remote.command("PING")
      let seen = open.wait(for: min(7, jobs + index))
      #expect(seen.count == min(7, jobs + index))
      seen[index].send(Array("\(index)".utf8))
      seen[index].send(completion: .finished)
    }
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == (0..<7).map(String.init))
    service.cancel()
  }

  @Test("a publisher may signal on any thread")
  func threads() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let queue = DispatchQueue(label: "test", attributes: .concurrent)
    let service = remote.serve("elsewhere", taking: Int.self, jobs: 8) { number in
      (0..<20).publisher.map { number * 100 + $0 }.receive(on: queue)
    }
    let recorder = try await results("(1...50).publisher.flatMap { ask(elsewhere, $0) }")
    #expect(recorder.waitForCompletion() == .finished)
    let numbers = recorder.texts.compactMap { Int($0) }
    for number in 1...50 {
      #expect(numbers.filter { $0 / 100 == number } == (0..<20).map { number * 100 + $0 })
    }
    service.cancel()
  }

  @Test("a failure fails the call with its code and text; the service goes on")
  func failure() async throws {
    struct Broken: Error {}
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("fail", taking: Int.self) { number in
      number == 1
        ? Fail<Int, any Error>(error: RemoteError.failed(code: "boom", text: "two\nlines"))
        : Fail(error: Broken())
    }
    #expect(
      try await results("ask(fail, 1)").waitForFailure()
        == .failed(code: "boom", text: #"two\nlines"#)
    )
    #expect(
      try await results("ask(fail, 2)").waitForFailure()
        == .failed(code: "upstream", text: "Broken()")
    )
    service.cancel()
  }

  @Test(
    "a failure that no line can say fails the call with as much as one can",
    arguments: [
      ("boom", String(repeating: "x", count: 70_000)),
      ("boom", String(repeating: "\n€", count: 40_000)),
      ("boom", "e" + String(repeating: "\u{301}", count: 40)), ("é", "why"), ("", "why"),
      ("two words", "why"), (String(repeating: "x", count: 200), "why"),
    ]
  )
  func unsayable(_ code: String, _ text: String) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("fail") { _ in
      Fail<[UInt8], RemoteError>(error: .failed(code: code, text: text))
    }
    for _ in 1...2 {
      let error = try #require(try await results("ask(fail, 1)").waitForFailure())
      #expect(error.code == (code == "boom" ? "boom" : "upstream"))
      #expect(error.text.first == text.first || error.text.first == "\\" || error.text.first == "e")
      #expect(error.text.utf8.count < 65_536)
      #expect(text.utf8.count < 60_000 || error.text.hasSuffix("…"))
    }
    service.cancel()
  }

  @Test("a call that nobody wants any more cancels its publisher, and makes room for another")
  func cancel() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let cancelled = Arrivals<String>()
    let begun = Arrivals<String>()
    let service = remote.serve("wait") { argument in
      begun.add(String(decoding: argument, as: UTF8.self))
      return Empty<[UInt8], RemoteError>(completeImmediately: false)
        .handleEvents(receiveCancel: { cancelled.add("cancelled") })
    }
    let recorder = try await results("ask(wait, 1)")
    #expect(begun.wait() == ["1"])
    recorder.cancel()
    #expect(cancelled.wait() == ["cancelled"])
    let other = try await results("ask(wait, 2)")
    #expect(begun.wait(for: 2) == ["1", "2"])
    service.cancel()
    #expect(cancelled.wait(for: 2).count == 2)
    #expect(other.waitForFailure()?.code == "worker-lost")
  }

  @Test("a service that is let go of takes no more calls, and releases what answered")
  func release() async throws {
    final class Token: Sendable {}
    let remote = try await FlowRemote.connect(to: address)
    weak var released: Token?
    do {
      let token = Token()
      released = token
      let service = remote.serve("token") { _ in
        Just(Array("\(type(of: token))".utf8))
      }
      #expect(try await results("ask(token, 1)").waitForTexts(1) == ["Token"])
      withExtendedLifetime(service) {}
    }
    try await remote.command("PING")
    try await Patience.suspend(for: "the release of what answered") { released == nil }
    #expect(try await remote.command("LIST services").text == "list 0")
  }

  @Test("a worker that is lost fails its calls, and another one answers what is tried again")
  func lost() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let begun = Arrivals<Int>()
    let hanging = remote.serve("work") { _ in
      begun.add(1)
      return Empty<[UInt8], RemoteError>(completeImmediately: false)
    }
    let recorder = try await results("ask(work, 1).retry(1)")
    #expect(begun.wait() == [1])
    let other = try await FlowRemote.connect(to: address)
    let answering = other.serve("work") { Just($0) }
    try await other.command("PING")
    remote.close()
    #expect(recorder.waitForTexts(1) == ["1"])
    hanging.cancel()
    answering.cancel()
  }

  @Test("a service is offered again on a new connection, and open calls are cancelled")
  func reconnect() async throws {
    let states = Arrivals<FlowRemote.State>()
    let remote = try await FlowRemote.test(address, states: states)
    let cancelled = Arrivals<Int>()
    let begun = Arrivals<Int>()
    let service = remote.serve("work", taking: Int.self, jobs: 2) { number in
      begun.add(number)
      return Just(number).append(Empty(completeImmediately: number > 1))
        .handleEvents(receiveCancel: { cancelled.add(number) })
    }
    let first = try await results("ask(work, 1)")
    #expect(first.waitForTexts(1) == ["1"])
    try await TestServer.kill(server)
    #expect(cancelled.wait() == [1])
    _ = try TestServer.start(on: address)
    #expect(states.wait { $0.last == .connected }.last == .connected)
    let second = try await results("(2...9).publisher.flatMap { ask(work, $0) }")
    #expect(second.waitForCompletion() == .finished)
    #expect(second.texts.sorted() == (2...9).map(String.init))
    service.cancel()
  }

  @Test("thousands of calls, a few at a time")
  func many() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let service = remote.serve("same", jobs: 16) { Just($0) }
    let call = "flatMap(maxPublishers: .max(100)) { ask(same, $0) }"
    let count = RandomCases.count(20_000)
    let recorder = try await results("(1...\(count)).publisher.\(call)")
    #expect(recorder.waitForCompletion() == .finished)
    let isWhole = recorder.texts == (1...count).map(String.init)
    #expect(isWhole)
    service.cancel()
  }

  @Test("why a service is refused is told")
  func refusal() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let ended = Arrivals<RemoteError>()
    let service = remote.serve("not a name", ended: { ended.add($0) }) { Just($0) }
    #expect(ended.wait().first?.code == "usage")
    service.cancel()
  }
}

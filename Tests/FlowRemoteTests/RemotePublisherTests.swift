import Dispatch
import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("FlowRemote.publisher", .timeLimit(.minutes(10)))
struct RemotePublisherTests {
  private let address: String

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders\nSUBJECT slow flow=slowest")
  }

  @Test("gives the values of an expression, then its end")
  func values() async throws {
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    try await FlowRemote.connect(to: address)
      .publisher("(1...5).publisher.map { $0 * 2 }").subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == ["2", "4", "6", "8", "10"])
  }

  @Test("never gives more than was asked for")
  func demand() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>()
    remote.publisher("(1...10).publisher").subscribe(recorder)
    try await remote.command("PING")
    #expect(recorder.values.isEmpty)
    recorder.request(.max(2))
    #expect(recorder.waitForTexts(2) == ["1", "2"])
    try await remote.command("PING")
    #expect(recorder.texts == ["1", "2"])
    recorder.request(.max(1))
    #expect(recorder.waitForTexts(3) == ["1", "2", "3"])
    try await remote.command("PING")
    #expect(recorder.values.count == 3)
  }

  @Test("what is asked for in one turn is one REQ, and is what was asked for")
  func coalescing() async throws {
    let lines = Arrivals<String>()
    var settings = FlowRemote.Settings.ofTests
    settings.trace = { if !$0.isInput { lines.add($0.line) } }
    let remote = try await FlowRemote.connect(to: address, settings: settings)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(3), afterEach: .max(1))
    remote.publisher("slow").subscribe(recorder)
    let other = try await FlowRemote.connect(to: address)
    let done = Arrivals<Subscribers.Completion<RemoteError>>()
    let publishing = Counting(["a", "b", "c", "d"]).append(Empty(completeImmediately: false))
      .subscribe(other.subject("slow") { done.add($0) })
    #expect(recorder.waitForTexts(4) == ["a", "b", "c", "d"])
    remote.perform {
      recorder.request(.max(5))
      recorder.request(.max(6))
    }
    try await remote.command("PING")
    try await remote.command("PING")
    let requests = lines.all.filter { $0.hasPrefix("REQ 1 ") }
    #expect(requests.last == "REQ 1 11")
    let counts = requests.compactMap { Int($0.dropFirst(6)) }
    #expect(counts.reduce(0, +) == 4 + 11)
    #expect(lines.all.contains("SUB slow 3 as=1"))
    publishing.cancel()
  }

  @Test("what a subscriber asks for while it receives is asked of the server")
  func demandInReceive() async throws {
    let recorder = RemoteRecorder<[UInt8]>(first: .max(1), afterEach: .max(1))
    try await FlowRemote.connect(to: address).publisher("(1...500).publisher").subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == (1...500).map(String.init))
  }

  @Test("thousands of values pass flatMap, buffer and receive(on:) in order")
  func operators() async throws {
    let end = Arrivals<Subscribers.Completion<RemoteError>>()
    let values = Arrivals<Int>()
    let count = RandomCases.count(20_000)
    let cancellable = try await FlowRemote.connect(to: address)
      .publisher("(1...\(count)).publisher", as: Int.self)
      .buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest)
      .receive(on: DispatchQueue(label: "test"))
      .flatMap(maxPublishers: .max(3)) { Just($0 * 2).setFailureType(to: RemoteError.self) }
      .sink {
        end.add($0)
      } receiveValue: {
        values.add($0)
      }
    #expect(end.wait() == [.finished])
    #expect(values.all == (1...count).map { $0 * 2 })
    cancellable.cancel()
  }

  @Test("its values are an asynchronous sequence that pulls")
  func sequence() async throws {
    var received: [Int] = []
    let publisher = try await FlowRemote.connect(to: address)
      .publisher("(1...1000).publisher", as: Int.self)
    for try await value in publisher.values {
      received.append(value)
      if value == 5 { break }
    }
    #expect(received == [1, 2, 3, 4, 5])
  }

  @Test("a failure keeps its code and its text")
  func failure() async throws {
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    let remote = try await FlowRemote.connect(to: address)
    remote.publisher("orders").subscribe(recorder)
    try await remote.command("FAIL orders boom all is lost")
    #expect(recorder.waitForFailure() == .failed(code: "boom", text: "all is lost"))
  }

  @Test("a name that is not there, and a mistake, fail the subscriber with what the server says")
  func refusal() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("nothing").subscribe(recorder)
    #expect(recorder.waitForFailure()?.code == "unknown-name")
    let mistaken = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders.fliter { $0 }").subscribe(mistaken)
    guard case .refused("syntax", let text) = mistaken.waitForFailure() else {
      Issue.record("it is not refused")
      return
    }
    #expect(text.contains("did you mean \"filter\"?"))
  }

  @Test("nothing comes after cancel, and everything is released")
  func cancel() async throws {
    let remote = try await FlowRemote.connect(to: address)
    weak var released: RemoteRecorder<[UInt8]>?
    do {
      let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
      released = recorder
      remote.publisher("orders").subscribe(recorder)
      #expect(try await remote.command("SEND orders 1").field("to") == "1")
      #expect(recorder.waitForTexts(1) == ["1"])
      recorder.cancel()
      #expect(try await remote.command("SEND orders 2").field("to") == "0")
      #expect(recorder.texts == ["1"])
      #expect(recorder.completion == nil)
    }
    try await Patience.suspend(for: "the release of the subscriber") { released == nil }
  }

  @Test("a subscriber is released with its end")
  func releasedAtEnd() async throws {
    let remote = try await FlowRemote.connect(to: address)
    weak var released: RemoteRecorder<[UInt8]>?
    do {
      let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
      released = recorder
      remote.publisher("(1...3).publisher").subscribe(recorder)
      #expect(recorder.waitForCompletion() == .finished)
      recorder.cancel()
    }
    try await remote.command("PING")
    try await Patience.suspend(for: "the release of the subscriber") { released == nil }
  }

  @Test("misses are told with their count and reason")
  func misses() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let missed = Arrivals<String>()
    let recorder = RemoteRecorder<[UInt8]>(first: .max(1))
    remote.publisher("orders").handleMisses { missed.add("\($0) \($1)") }.subscribe(recorder)
    for value in 1...3 { try await remote.command("SEND orders \(value)") }
    #expect(recorder.texts == ["1"])
    recorder.request(.max(1))
    try await remote.command("PING")
    try await remote.command("SEND orders 4")
    #expect(recorder.waitForTexts(2) == ["1", "4"])
    #expect(missed.all == ["2 no-demand"])
  }

  @Test("a token without the right hold is told for which of its streams no publisher waits")
  func freeFlow() async throws {
    let (_, guarded) = try TestServer.start(
      "SUBJECT orders\nSUBJECT slow flow=slowest",
      tokens: [Token("guest", rights: .subscribe)]
    )
    var settings = FlowRemote.Settings.ofTests
    settings.token = "guest"
    let remote = try await FlowRemote.connect(to: guarded, settings: settings)
    let told = Arrivals<String>()
    for name in ["orders", "slow", "slow.map { $0 }"] {
      remote.publisher(name).handleFreeFlow { told.add(name) }
        .subscribe(RemoteRecorder<[UInt8]>(first: .unlimited))
    }
    try await remote.command("PING")
    #expect(told.all == ["slow", "slow.map { $0 }"])
  }
}

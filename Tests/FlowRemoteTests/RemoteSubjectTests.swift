import Dispatch
import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("FlowRemote.subject")
struct RemoteSubjectTests {
  private let address: String

  init() throws {
    (_, address) = try TestServer.start("SUBJECT orders flow=slowest\nSUBJECT taps")
  }

  @Test("a fast publisher is held back by a slow subscriber, and nothing is lost")
  func backpressure() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(1), afterEach: .max(1))
    remote.publisher("orders").subscribe(recorder)
    let source = try await FlowRemote.connect(to: address)
    let counting = Counting(upTo: 5000)
    let publishing = counting.subscribe(source.subject("orders"))
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == (1...5000).map(String.init))
    #expect(counting.mostAsked == 1)
    publishing.cancel()
  }

  @Test("a publisher is asked for what was granted, and for no more")
  func grants() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let source = try await FlowRemote.connect(to: address)
    let counting = Counting(upTo: 100)
    let publishing = counting.subscribe(source.subject("orders"))
    try await source.command("PING")
    #expect(counting.mostAsked == 0)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(7))
    remote.publisher("orders").subscribe(recorder)
    #expect(recorder.waitForTexts(7).count == 7)
    try await remote.command("PING")
    try await source.command("PING")
    #expect(counting.mostAsked == 7)
    #expect(counting.demand == 0)
    #expect(recorder.values.count == 7)
    publishing.cancel()
    #expect(counting.isCancelled)
  }

  @Test("a grant counts that comes before the answer to PUB, which waits behind that of a SEND")
  func earlyGrant() async throws {
    // The SEND waits as long as a busy machine needs.
    let (_, address) = try TestServer.start("set send-wait 600s\nSUBJECT orders flow=slowest")
    let remote = try await FlowRemote.connect(to: address)
    try await remote.command("SUBJECT full flow=slowest")
    let source = try await FlowRemote.connect(to: address)
    source.command("SEND full 1") { _ in }
    let publishing = Counting(upTo: 3).subscribe(source.subject("orders"))
    func wait(for publication: String) async throws {
      try await Patience.suspend(for: "a publication of \(publication)") {
        try await remote.command("LIST streams").rows.contains { $0.contains(publication) }
      }
    }
    try await wait(for: "name=orders demand=0")
    let recorder = RemoteRecorder<[UInt8]>(first: .max(3))
    remote.publisher("orders").subscribe(recorder)
    try await wait(for: "name=orders demand=3 values=0 held")
    let room = RemoteRecorder<[UInt8]>(first: .max(1))
    remote.publisher("full").subscribe(room)
    #expect(recorder.waitForTexts(3) == ["1", "2", "3"])
    publishing.cancel()
  }

  @Test("a publisher that can give all at once fills a free subject without end", arguments: [9000])
  func free(_ count: Int) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    try await remote.command("PING")
    let source = try await FlowRemote.connect(to: address)
    let publishing = (1...count).publisher.map { Array(String($0).utf8) }
      .subscribe(source.subject("taps"))
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == (1...count).map(String.init))
    publishing.cancel()
  }

  @Test("several publishers share a subject, each with what it is granted")
  func several() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .max(2), afterEach: .max(1))
    remote.publisher("orders").subscribe(recorder)
    let source = try await FlowRemote.connect(to: address)
    let subject = source.subject("orders")
    let idle = PassthroughSubject<[UInt8], RemoteError>()
    let publishing =
      [idle.subscribe(subject)]
      + ["a", "b"].map { letter in
        Counting((1...200).map { "\(letter)\($0)" }).append(Empty(completeImmediately: false))
          .subscribe(subject)
      }
    let texts = recorder.waitForTexts(400)
    #expect(texts.filter { $0.hasPrefix("a") } == (1...200).map { "a\($0)" })
    #expect(texts.filter { $0.hasPrefix("b") } == (1...200).map { "b\($0)" })
    for one in publishing { one.cancel() }
  }

  @Test("what is sent waits for room, and the thread that sends with it")
  func sending() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let subject = remote.subject("orders")
    let sent = Arrivals<Int>()
    DispatchQueue(label: "test").async {
      for value in 1...40000 { subject.send(Array(String(value).utf8)) }
      sent.add(1)
    }
    // The inbox and what was taken from it are full long before the end.
    let reader = try await FlowRemote.connect(to: address)
    #expect(sent.all.isEmpty)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    reader.publisher("orders").subscribe(recorder)
    #expect(recorder.waitForTexts(40000) == (1...40000).map(String.init))
    #expect(sent.wait() == [1])
    #expect(subject.missed == 0)
    try await subject.finish()
  }

  @Test("on the connection's own queue a full inbox counts what it does not take")
  func overrun() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let subject = remote.subject("orders")
    let done = Arrivals<Int>()
    remote.perform {
      for _ in 1...40000 { subject.send([1]) }
      done.add(1)
    }
    #expect(done.wait() == [1])
    #expect(subject.missed > 0)
    #expect(subject.missed < 40000)
  }

  @Test("finish waits until the server has it all; the subject goes on")
  func finish() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    try await remote.command("PING")
    let other = try await FlowRemote.connect(to: address)
    let subject = other.subject("orders")
    for value in ["", " ", "a\nb", "\r", "= 1 2", "# x", "ö\u{0}"] {
      subject.send(Array(value.utf8))
    }
    try await subject.finish()
    try await remote.command("PING")
    #expect(recorder.texts == ["", " ", "a\nb", "\r", "= 1 2", "# x", "ö\u{0}"])
    #expect(recorder.completion == nil)
    await #expect(throws: RemoteError.closed) { try await subject.finish() }
  }

  @Test("a completion completes the server's subject behind the last value")
  func completion() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    let subject = remote.subject("orders")
    subject.subscribe(recorder)
    try await remote.command("PING")
    subject.send([65])
    subject.send(completion: .finished)
    subject.send([66])
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.texts == ["A"])
    let error = await #expect(throws: RemoteError.self) {
      try await remote.command("SEND orders 1")
    }
    #expect(error?.code == "completed")
  }

  @Test("a failure fails the server's subject with its code and text")
  func failure() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    try await remote.command("PING")
    let boom = RemoteError.failed(code: "boom", text: "two\nlines")
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let publishing = Counting(["1"], then: .failure(boom))
      .subscribe(remote.subject("taps") { ended.add($0) })
    #expect(recorder.waitForFailure() == .failed(code: "boom", text: #"two\nlines"#))
    #expect(recorder.texts == ["1"])
    #expect(ended.wait() == [.finished])
    publishing.cancel()
  }

  @Test("a failure that no line can say fails the subject with as much as one can")
  func unsayable() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    remote.publisher("taps").subscribe(recorder)
    try await remote.command("PING")
    let text = String(repeating: "x", count: 70_000)
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let subject = remote.subject("taps") { ended.add($0) }
    subject.send(completion: .failure(.failed(code: "two words", text: text)))
    #expect(ended.wait() == [.finished])
    let error = try #require(recorder.waitForFailure())
    #expect(error.code == "upstream")
    #expect(text.hasPrefix(error.text.dropLast()) && error.text.hasSuffix("x…"))
  }

  @Test("a grant that is none is refused", arguments: [-1, 0, .min])
  func mistakenGrant(_ grant: Int) async throws {
    let remote = try await FlowRemote.connect(to: address)
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let counting = Counting(upTo: 3)
    let publishing = counting.subscribe(remote.subject("orders", grant: grant) { ended.add($0) })
    guard case .failure(.refused("usage", _))? = ended.wait().first else {
      Issue.record("it is \(ended.all)")
      return
    }
    #expect(counting.isCancelled)
    publishing.cancel()
  }

  @Test("a subject that is not there, or is deleted, cancels the publisher and says why")
  func refusal() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let counting = Counting(upTo: 10)
    let publishing = counting.subscribe(remote.subject("nothing") { ended.add($0) })
    guard case .failure(.refused("unknown-name", _))? = ended.wait().first else {
      Issue.record("it is \(ended.all)")
      return
    }
    #expect(counting.isCancelled)
    let deleted = Counting(upTo: 10)
    let other = deleted.subscribe(remote.subject("orders") { ended.add($0) })
    try await remote.command("DELETE orders")
    guard case .failure(.failed("deleted", _))? = ended.wait(for: 2).last else {
      Issue.record("it is \(ended.all)")
      return
    }
    #expect(deleted.isCancelled)
    publishing.cancel()
    other.cancel()
  }

  @Test("through AnySubscriber it takes a publisher, too")
  func anySubscriber() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    let subject = remote.subject("orders")
    subject.subscribe(recorder)
    let counting = Counting(upTo: 1000)
    counting.subscribe(AnySubscriber(subject))
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.values.count == 1000)
    #expect(counting.mostAsked <= 64)
  }

  @Test("everything is released with the last reference")
  func release() async throws {
    weak var released: FlowRemote?
    weak var source: Counting?
    do {
      let remote = try await FlowRemote.connect(to: address)
      released = remote
      let counting = Counting(upTo: 10)
      source = counting
      let subject = remote.subject("orders")
      subject.send([65])
      let publishing = counting.subscribe(subject)
      try await remote.command("PING")
      publishing.cancel()
      remote.close()
      await #expect(throws: RemoteError.closed) { try await subject.finish() }
    }
    try await Patience.suspend(for: "the release of both objects") {
      source == nil && released == nil
    }
  }
}

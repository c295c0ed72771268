import FlowCore
import FlowRemote
import FlowServer
import Testing

@Suite("a remote server")
struct RemoteTests {
  private let server: Server
  private let address: String

  init() throws {
    (server, address) = try TestServers.start()
  }

  private func connect() throws -> Remote {
    try Remote.connect(to: address)
  }

  /// Runs a command and waits for its answer.
  private func run(
    _ line: String,
    on remote: Remote
  ) throws -> Result<RemoteAnswer, RemoteError> {
    let promise = Promise<Result<RemoteAnswer, RemoteError>>()
    remote.command(line) { promise.keep($0) }
    return try #require(promise.wait())
  }

  @Test("greets and answers commands in order")
  func commands() throws {
    let remote = try connect()
    #expect(remote.product.hasPrefix("flow/"))
    #expect(remote.largestValue == 1_048_576)
    #expect(try run("SUBJECT orders", on: remote).get().text.hasPrefix("subject orders"))
    let list = try run("LIST subjects", on: remote).get()
    #expect(list.rows.count == 1)
    #expect(list.text == "list 1")
    #expect(try run("PING hello", on: remote).get().text == "pong hello")
    let sent = try run("SEND orders 1", on: remote).get()
    #expect(sent.field("to") == "0")
    #expect(sent.field("no") == nil)
    let refused = try run("SHOW nothing", on: remote)
    #expect(throws: RemoteError.self) { try refused.get() }
    if case .failure(let error) = refused { #expect(error.code == "unknown-name") }
  }

  @Test("a publisher gives the values of an expression, then its end")
  func publisher() throws {
    let recorder = Recorder(first: .unlimited)
    try connect().publisher("(1...5).publisher.map { $0 * 2 }").subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.values == ["2", "4", "6", "8", "10"])
  }

  @Test("never gives more than was asked for")
  func demand() throws {
    let remote = try connect()
    let recorder = Recorder()
    remote.publisher("(1...10).publisher").subscribe(recorder)
    _ = try run("PING", on: remote)
    #expect(recorder.values.isEmpty)
    recorder.request(.max(2))
    #expect(recorder.wait(for: 2) == ["1", "2"])
    _ = try run("PING", on: remote)
    #expect(recorder.values == ["1", "2"])
    recorder.request(.max(1))
    #expect(recorder.wait(for: 3) == ["1", "2", "3"])
    _ = try run("PING", on: remote)
    #expect(recorder.values.count == 3)
  }

  @Test("what a subscriber asks for while it receives is asked of the server")
  func demandInReceive() throws {
    let recorder = Recorder(first: .max(1), afterEach: .max(1))
    try connect().publisher("(1...500).publisher").subscribe(recorder)
    #expect(recorder.waitForCompletion() == .finished)
    #expect(recorder.values == (1...500).map(String.init))
  }

  @Test("a failure keeps its code and its text")
  func failure() throws {
    let recorder = Recorder(first: .unlimited)
    try connect().publisher("Fail(\"boom\")").subscribe(recorder)
    guard case .failure(let error) = recorder.waitForCompletion() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.message.contains("boom"))
  }

  @Test("a name that is not there fails the subscriber")
  func unknownName() throws {
    let recorder = Recorder(first: .unlimited)
    try connect().publisher("nothing").subscribe(recorder)
    guard case .failure(let error) = recorder.waitForCompletion() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.code == "unknown-name")
  }

  @Test("nothing comes after cancel")
  func cancel() throws {
    let remote = try connect()
    _ = try run("SUBJECT orders", on: remote).get()
    let recorder = Recorder(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    #expect(try run("SEND orders 1", on: remote).get().field("to") == "1")
    #expect(recorder.wait(for: 1) == ["1"])
    recorder.cancel()
    #expect(try run("SEND orders 2", on: remote).get().field("to") == "0")
    #expect(recorder.values == ["1"])
    #expect(recorder.completion == nil)
  }

  @Test("a publisher into a slowest subject is held back by its slowest subscriber")
  func publication() throws {
    let remote = try connect()
    _ = try run("SUBJECT orders flow=slowest", on: remote).get()
    let recorder = Recorder(first: .max(1), afterEach: .max(1))
    remote.publisher("orders").subscribe(recorder)

    let source = try connect()
    let ended = Promise<Subscribers.Completion<RemoteError>>()
    let counting = Counting(upTo: 1000)
    counting.subscribe(source.subscriber(sendingTo: "orders") { ended.keep($0) })
    #expect(ended.wait() == .finished)
    #expect(recorder.wait(for: 1000) == (1...1000).map(String.init))
    #expect(counting.mostAsked <= 256)
  }

  @Test("a publication to nowhere fails and cancels its publisher")
  func publicationToNowhere() throws {
    let remote = try connect()
    let ended = Promise<Subscribers.Completion<RemoteError>>()
    let counting = Counting(upTo: 10)
    counting.subscribe(remote.subscriber(sendingTo: "nothing") { ended.keep($0) })
    guard case .failure(let error) = ended.wait() else {
      Issue.record("it did not fail")
      return
    }
    #expect(error.code == "unknown-name")
    #expect(counting.isCancelled)
  }

  @Test("values of any octets cross unchanged")
  func octets() throws {
    let remote = try connect()
    _ = try run("SUBJECT orders flow=slowest", on: remote).get()
    let values = ["", " ", "a\nb", "\r", "= 1 2", "# x", "ö\u{0}"]
    let recorder = Recorder(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    let list = Counting(values)
    let subscriber = remote.subscriber(sendingTo: "orders")
    list.subscribe(subscriber)
    #expect(recorder.wait(for: values.count) == values)
  }

  @Test("when the server goes, streams and commands fail")
  func serverGone() throws {
    let closed = Promise<RemoteError>()
    var settings = Remote.Settings()
    settings.closed = { closed.keep($0) }
    let remote = try Remote.connect(to: address, settings: settings)
    _ = try run("SUBJECT orders", on: remote).get()
    let recorder = Recorder(first: .unlimited)
    remote.publisher("orders").subscribe(recorder)
    _ = try run("PING", on: remote).get()
    server.stop(drain: 0) {}
    #expect(closed.wait() != nil)
    guard case .failure = recorder.waitForCompletion() else {
      Issue.record("it did not fail")
      return
    }
    #expect(throws: RemoteError.self) { try run("PING", on: remote).get() }
  }

  @Test("closing here ends every stream")
  func close() throws {
    let remote = try connect()
    let recorder = Recorder(first: .max(1))
    remote.publisher("(1...3).publisher").subscribe(recorder)
    #expect(recorder.wait(for: 1) == ["1"])
    remote.close()
    let error = RemoteError(code: RemoteError.closed, message: "closed here")
    #expect(recorder.waitForCompletion() == .failure(error))
  }

  @Test("an address where nobody listens says so")
  func unreachable() throws {
    let error = #expect(throws: RemoteError.self) {
      try Remote.connect(to: "unix:/nonexistent/socket")
    }
    #expect(error?.code == RemoteError.unreachable)
  }
}

import FlowCore
import FlowRemote
import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("RemotePublisher.values", .timeLimit(.minutes(10)))
struct RemoteValuesTests {
  private func connect(
    _ definitions: String = ""
  ) async throws -> (remote: FlowRemote, lines: Arrivals<String>) {
    let (_, address) = try TestServer.start(definitions)
    let lines = Arrivals<String>()
    var settings = FlowRemote.Settings.ofTests
    settings.trace = { if !$0.isInput { lines.add($0.line) } }
    return (try await FlowRemote.connect(to: address, settings: settings), lines)
  }

  @Test("come in order, and end with their publisher")
  func values() async throws {
    let (remote, _) = try await connect()
    var received: [Int] = []
    let count = RandomCases.count(20_000)
    for try await value in remote.publisher("(1...\(count)).publisher", as: Int.self).values {
      received.append(value)
    }
    #expect(received == Array(1...count))
  }

  @Test("copies of an iterator give out the values of one stream, each once and in order")
  func copies() async throws {
    let (remote, lines) = try await connect()
    let count = RandomCases.count(3000)
    var one = remote.publisher("(1...\(count)).publisher", as: Int.self).values.makeAsyncIterator()
    var other = one
    for number in 1...count {
      #expect(try await (number % 3 == 0 ? other.next() : one.next()) == number)
    }
    #expect(try await other.next() == nil)
    #expect(try await one.next() == nil)
    #expect(lines.all.filter { $0.hasPrefix("SUB") }.count == 1)
  }

  @Test("what has arrived is not given out any more when the task is cancelled")
  func cancelledMidway() async throws {
    let (remote, _) = try await connect()
    let enough = RandomCases.count(5000)
    let task = Task {
      var count = 0
      for try await _ in remote.publisher("(1...100000).publisher").values {
        count += 1
        if count == enough { withUnsafeCurrentTask { $0?.cancel() } }
      }
      return count
    }
    #expect(try await task.value == enough)
  }

  @Test("nothing is asked for before next, and then the one value that is awaited")
  func first() async throws {
    let (remote, lines) = try await connect("SUBJECT kept current 5")
    var values = remote.publisher("kept", as: Int.self).values.makeAsyncIterator()
    try await remote.command("PING")
    #expect(lines.all == ["HELLO 1", "SUB kept as=1", "PING"])
    #expect(try await values.next() == 5)
    // More may follow where an answer takes long, as on a machine that is busy.
    #expect(lines.all.dropFirst(3).first == "REQ 1 1")
  }

  @Test("a failure is thrown once, then there is nothing")
  func failure() async throws {
    let (remote, _) = try await connect()
    var values = remote.publisher("Fail(\"boom\")").values.makeAsyncIterator()
    await #expect(throws: RemoteError.self) { try await values.next() }
    #expect(try await values.next() == nil)
  }

  @Test("what cannot be decoded fails after the values before it")
  func undecodable() async throws {
    let (remote, _) = try await connect()
    var values = remote.publisher("[1, 2, \"x\"].publisher", as: Int.self).values
      .makeAsyncIterator()
    #expect(try await values.next() == 1)
    #expect(try await values.next() == 2)
    await #expect(throws: RemoteError.self) { try await values.next() }
  }

  @Test("letting the iterator go, or cancelling the task, ends the stream")
  func cancel() async throws {
    let (remote, lines) = try await connect("SUBJECT orders flow=slowest")
    for try await _ in remote.publisher("(1...1000).publisher").values { break }
    try await remote.command("PING")
    #expect(lines.all.contains("CANCEL 1"))
    let task = Task {
      var values = remote.publisher("orders").values.makeAsyncIterator()
      return try await values.next()
    }
    _ = lines.wait { $0.contains("REQ 2 1") }
    task.cancel()
    #expect(try await task.value == nil)
    _ = lines.wait { $0.contains("CANCEL 2") }
  }
}

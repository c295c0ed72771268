import FlowCore
import FlowRemote
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("a cancelled task", .timeLimit(.minutes(10)))
struct CancelledTaskTests {
  private let address: String
  private let other: FlowRemote

  init() async throws {
    // A SEND waits as long as a busy machine needs.
    (_, address) = try TestServer.start("set send-wait 600s\nSUBJECT jobs flow=slowest")
    other = try await FlowRemote.connect(to: address)
  }

  /// Cancels a task once `isWaiting` returns true, and expects that it ends long before its own patience.
  private func cancel<Success: Sendable>(
    _ task: Task<Success, any Error>,
    once isWaiting: () async throws -> Bool
  ) async throws {
    try await Patience.suspend(for: "the task to wait", until: isWaiting)
    let start = ContinuousClock.now
    task.cancel()
    await #expect(throws: RemoteError.taskCancelled) { _ = try await task.value }
    #expect(start.duration(to: .now) < .seconds(Patience.seconds / 2))
  }

  @Test("stops waiting for a server that does not greet")
  func connecting() async throws {
    let silent = try SilentServer()
    let address = silent.address
    let hasBegun = Guarded(false)
    let task = Task {
      hasBegun.withLock { $0 = true }
      return try await FlowRemote.connect(to: address)
    }
    try await cancel(task) { hasBegun.withLock { $0 } }
    withExtendedLifetime(silent) {}
  }

  @Test("leaves no connection, whenever it is cancelled")
  func connections() async throws {
    for yields in 0..<40 {
      let remote = Task { [address] in try await FlowRemote.connect(to: address) }
      let conversation = Task { [address] in
        try await TypedConversation.connect(to: address) { _ in }
      }
      for _ in 0..<yields { await Task.yield() }
      remote.cancel()
      conversation.cancel()
      _ = await (remote.result, conversation.result)
    }
    try await Patience.suspend(for: "the connections to end") {
      try await other.command("LIST clients").text == "list 1"
    }
  }

  @Test("stops waiting for an answer, which no other command then gets")
  func command() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let task = Task { try await remote.command("SEND jobs 1") }
    try await cancel(task) {
      try await other.command("LIST").rows.contains { $0.contains("waiting=1") }
    }
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    other.publisher("jobs").subscribe(recorder)
    #expect(recorder.waitForTexts(1) == ["1"])
    #expect(try await remote.command("PING 2").text == "pong 2")
  }

  @Test("stops waiting for the end of a subject, which is still sent")
  func finish() async throws {
    let remote = try await FlowRemote.connect(to: address)
    let ended = Arrivals<Subscribers.Completion<RemoteError>>()
    let subject = remote.subject("jobs") { ended.add($0) }
    subject.send([65])
    let task = Task { try await subject.finish() }
    try await cancel(task) {
      try await other.command("LIST streams").rows.contains { $0.contains("publication") }
    }
    let recorder = RemoteRecorder<[UInt8]>(first: .unlimited)
    other.publisher("jobs").subscribe(recorder)
    #expect(recorder.waitForTexts(1) == ["A"])
    #expect(ended.wait() == [.finished])
  }
}

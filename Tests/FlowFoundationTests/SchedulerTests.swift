import FlowCore
import FlowFoundation
import FlowTestSupport
import Foundation
import Testing

@Suite("RunLoop, OperationQueue and Timer")
struct SchedulerTests {
  /// Runs `body` on a thread whose run loop then goes on until `isDone`, with patience.
  private func onRunLoop(
    _ body: @escaping @Sendable (RunLoop) -> Void,
    until isDone: @escaping @Sendable () -> Bool
  ) async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let loop = RunLoop.current
        body(loop)
        let end = Date() + Double(Patience.seconds)
        while !isDone(), Date() < end { _ = loop.run(mode: .default, before: Date() + 0.05) }
        continuation.resume()
      }
    }
  }

  @Test("a run loop runs actions in order, later ones at their time")
  func runLoop() async {
    let log = Log()
    await onRunLoop { loop in
      loop.schedule(after: loop.now.advanced(by: .milliseconds(30))) { log.add("later") }
      loop.schedule { log.add("one") }
      loop.schedule { log.add("two") }
      log.add("zero")
    } until: {
      log.entries.count == 4
    }
    #expect(log.entries == ["zero", "one", "two", "later"])
  }

  @Test("a run loop that sleeps is woken by an action")
  func wakes() async {
    let log = Log()
    await onRunLoop { loop in
      let loop = HandedOver(loop)
      // Keeps the loop asleep, rather than going round for want of anything to wait for.
      loop.value.add(Timer(timeInterval: 600, repeats: false) { _ in }, forMode: .default)
      let start = Date()
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) {
        loop.value.schedule { log.add("woken") }
      }
      while log.entries.isEmpty, Date() < start + 300 {
        _ = loop.value.run(mode: .default, before: Date() + 300)
      }
      if Date() < start + 250 { log.add("in time") }
    } until: {
      true
    }
    #expect(log.entries == ["woken", "in time"])
  }

  @Test("a run loop repeats until it is cancelled")
  func repeats() async {
    let log = Log()
    await onRunLoop { loop in
      let repeating = loop.schedule(after: loop.now, interval: .milliseconds(5)) {
        log.add("tick")
        guard log.entries.count == 3 else { return }
        log.letGo()
        log.add("cancelled")
        loop.schedule(after: loop.now.advanced(by: .milliseconds(60))) { log.add("end") }
      }
      log.keep(AnyCancellable(repeating))
    } until: {
      log.entries.last == "end"
    }
    #expect(log.entries == ["tick", "tick", "tick", "cancelled", "end"])
  }

  @Test("an operation queue runs now, later, and again and again")
  func operationQueue() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let log = Log()
    let done = DispatchSemaphore(value: 0)
    queue.schedule { log.add("now") }
    queue.schedule(after: queue.now.advanced(by: .milliseconds(20))) { log.add("later") }
    try waitUntilIdle(queue)
    #expect(log.entries == ["now", "later"])
    let repeating = queue.schedule(after: queue.now, interval: .milliseconds(5)) { done.signal() }
    for count in 1...3 {
      #expect(done.wait(timeout: Patience.deadline) == .success, "waited for repetition \(count)")
    }
    repeating.cancel()
    try waitUntilIdle(queue)
  }

  @Test("a cancelled repetition does not keep the queue waiting")
  func cancelledEarly() throws {
    let queue = OperationQueue()
    queue.schedule(after: queue.now.advanced(by: .seconds(600)), interval: .seconds(600)) {}
      .cancel()
    try waitUntilIdle(queue)
    #expect(queue.operationCount == 0)
  }

  private func waitUntilIdle(_ queue: OperationQueue) throws {
    try Patience.wait(for: "the end of all operations") { queue.operationCount == 0 }
  }

  @Test("values hop to an operation queue in order")
  func receive() {
    let queue = OperationQueue()
    let log = Log()
    let done = DispatchSemaphore(value: 0)
    let subscription = (1...100).publisher
      .receive(on: queue)
      .sink(receiveCompletion: { _ in done.signal() }, receiveValue: { log.add("\($0)") })
    #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the completion")
    #expect(log.entries == (1...100).map(String.init))
    subscription.cancel()
  }

  @Test("a timer publishes dates while it is connected")
  func timer() async {
    let log = Log()
    await onRunLoop { loop in
      let subscription = Timer.publish(every: 0.005, on: loop, in: .default)
        .autoconnect()
        .prefix(3)
        .sink(receiveCompletion: { _ in log.add("end") }, receiveValue: { _ in log.add("date") })
      log.keep(subscription)
    } until: {
      log.entries.last == "end"
    }
    #expect(log.entries == ["date", "date", "date", "end"])
  }
}

/// What happened, on whatever thread.
private final class Log: @unchecked Sendable {  // the lock guards both
  private let lock = NSLock()
  private var kept: [AnyCancellable] = []
  private var noted: [String] = []

  var entries: [String] { lock.withLock { noted } }

  func add(_ entry: String) { lock.withLock { noted.append(entry) } }
  func keep(_ subscription: AnyCancellable) { lock.withLock { kept.append(subscription) } }

  func letGo() {
    let all = lock.withLock {
      defer { kept = [] }
      return kept
    }
    for subscription in all { subscription.cancel() }
  }
}

/// Carries a run loop to another thread.
private struct HandedOver<Value>: @unchecked Sendable {  // only `schedule` is called there
  let value: Value

  init(_ value: Value) { self.value = value }
}

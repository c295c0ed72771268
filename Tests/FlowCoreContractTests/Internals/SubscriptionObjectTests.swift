import FlowCore
import Testing

@Suite("A subscription that is a struct")
struct SubscriptionObjectTests {
  private final class Log {
    var lines: [String] = []
  }

  private struct Noting: Subscription {
    let combineIdentifier = CombineIdentifier()
    let log: Log

    func request(_ demand: Subscribers.Demand) { log.lines.append("request \(demand)") }
    func cancel() { log.lines.append("cancel") }
  }

  private struct Source: Publisher {
    typealias Output = Int
    typealias Failure = Never

    let log = Log()

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
      subscriber.receive(subscription: Noting(log: log))
    }
  }

  @Test("gets the requests and the cancellation of buffer")
  func buffer() {
    let source = Source()
    source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropOldest).sink { _ in }.cancel()
    #expect(source.log.lines == ["request max(2)", "cancel"])
  }

  @Test("gets the requests and the cancellation of flatMap")
  func flatMap() {
    let source = Source()
    source.flatMap(maxPublishers: .max(3)) { Just($0) }.sink { _ in }.cancel()
    #expect(source.log.lines == ["request max(3)", "cancel"])
  }
}

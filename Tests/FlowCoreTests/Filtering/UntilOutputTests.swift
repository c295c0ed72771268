import FlowCore
import FlowTestSupport
import Testing

@Suite("drop(untilOutputFrom:), prefix(untilOutputFrom:)")
struct UntilOutputTests {
  @Test("drop lets values through from the other's first value on")
  func drop() {
    #expect(play("-1-2-3-4-|", "----x-y|") { $0.drop(untilOutputFrom: $1) } == "-----3-4-|")
  }

  @Test("drop ends with the other if that has published nothing, and only once")
  func dropEnds() {
    #expect(play("-1-2-3-4-|", "----|") { $0.drop(untilOutputFrom: $1) } == "----|")
    #expect(play("-1-2-3-4-|", "----✕") { $0.drop(untilOutputFrom: $1) } == "----✕")
  }

  @Test("a dropped value uses up demand, as in Combine")
  func dropDemand() {
    let source = ProbePublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(.max(1))
    source.drop(untilOutputFrom: PassthroughSubject<Int, Never>()).subscribe(subscriber)
    #expect(source.send(1))
    #expect(!source.send(2))
  }

  @Test("prefix finishes at the other's first value, and not at its end")
  func prefix() {
    #expect(play("-1-2-3-4-|", "----x-y|") { $0.prefix(untilOutputFrom: $1) } == "-1-2|")
    #expect(play("-1-2-3-4-|", "----✕") { $0.prefix(untilOutputFrom: $1) } == "-1-2-3-4-|")
  }

  @Test(
    "prefix ends at once, with a subscription, if the other publishes before there is an upstream"
  )
  func prefixEndsBeforeItBegins() {
    let source = ProbePublisher<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>()
    source.prefix(untilOutputFrom: Just(1)).append(7).subscribe(subscriber)
    #expect(subscriber.values == [7])
    #expect(subscriber.isFinished)
    #expect(source.cancels == source.subscriptions)
  }

  @Test("the other is let go of after its first value: it might wait for those without demand")
  func lettingGo() {
    let (source, other) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    source.drop(untilOutputFrom: other).subscribe(RecordingSubscriber<Int, Never>())
    #expect(other.send(1))
    #expect(other.cancels == 1)
    #expect(source.cancels == 0)
    let (upstream, end) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    upstream.prefix(untilOutputFrom: end).subscribe(RecordingSubscriber<Int, Never>())
    #expect(end.send(1))
    #expect(end.cancels == 1)
    #expect(upstream.cancels == 1)
  }

  @Test("prefix cancels the upstream, and the other when the upstream ends first")
  func prefixCancels() {
    let (source, other) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    let subscriber = RecordingSubscriber<Int, Never>()
    source.prefix(untilOutputFrom: other).subscribe(subscriber)
    #expect(other.requests == [.max(1)])
    source.send(completion: .finished)
    #expect(other.cancels == 1)
    #expect(subscriber.isFinished)
  }
}

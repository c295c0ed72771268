import FlowCore
import FlowTestSupport
import Testing

@Suite("withLatest(from:)")
struct WithLatestTests {
  @Test("each value goes with the newest of the other")
  func newest() {
    let drawn = play("-1--2-3---4|", "--a--b-cd|") { $0.withLatest(from: $1) { $0 + $1 } }
    #expect(drawn == "----[2a]-[3b]---[4d]|")
  }

  @Test("without a transform it makes pairs")
  func pairs() {
    let subscriber = RecordingSubscriber<(Int, String), Never>()
    [1, 2].publisher.withLatest(from: Just("a")).subscribe(subscriber)
    #expect(subscriber.values.map { "\($0)\($1)" } == ["1a", "2a"])
    #expect(subscriber.isFinished)
  }

  @Test("a value left out is made up for")
  func demand() {
    let source = ProbePublisher<Int, Never>()
    let other = PassthroughSubject<Int, Never>()
    let subscriber = RecordingSubscriber<Int, Never>(.max(1))
    source.withLatest(from: other) { $0 + $1 }.subscribe(subscriber)
    #expect(source.send(1) && source.send(2))
    other.send(10)
    #expect(source.send(3))
    #expect(!source.send(4))
    #expect(subscriber.values == [13])
  }

  @Test("it ends when the other ends without a value, and when either fails")
  func ends() {
    #expect(play("-1-2-3-", "---|") { $0.withLatest(from: $1) { $0 + $1 } } == "---|")
    #expect(play("-1-2-3-", "a-✕") { $0.withLatest(from: $1) { $0 + $1 } } == "-[1a]✕")
    #expect(play("-1-✕", "a------") { $0.withLatest(from: $1) { $0 + $1 } } == "-[1a]-✕")
  }

  @Test("the kept value is let go of at the end, and by a cancellation", arguments: [true, false])
  func release(_ cancels: Bool) {
    final class Token {}
    let source = PassthroughSubject<Int, Never>()
    let other = PassthroughSubject<Token, Never>()
    let subscriber = RecordingSubscriber<Int, Never>()
    source.withLatest(from: other) { value, _ in value }.subscribe(subscriber)
    weak let witness: Token? = {
      let token = Token()
      other.send(token)
      return token
    }()
    source.send(1)
    #expect(subscriber.values == [1])
    #expect(witness != nil)
    if cancels { subscriber.subscription?.cancel() } else { source.send(completion: .finished) }
    #expect(witness == nil)
  }
}

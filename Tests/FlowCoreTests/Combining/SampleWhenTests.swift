import FlowCore
import FlowTestSupport
import Testing

@Suite("sample(when:)")
struct SampleWhenTests {
  @Test("each newest value comes once, when the other publishes")
  func newest() {
    #expect(play("-12---3---|", "x--xx--x-x") { $0.sample(when: $1) } == "---2---3--|")
  }

  @Test("it ends as soon as either ends, without what has not been sampled")
  func ends() {
    #expect(play("-1-|", "x-----x") { $0.sample(when: $1) } == "---|")
    #expect(play("-1------", "--x-|") { $0.sample(when: $1) } == "--1-|")
    #expect(play("-1-✕", "--x--") { $0.sample(when: $1) } == "--1✕")
    #expect(play("-1----", "--x✕") { $0.sample(when: $1) } == "--1✕")
  }

  @Test("without demand a value waits for the other's next one that is wanted")
  func demand() {
    let source = PassthroughSubject<Int, Never>()
    let other = ProbePublisher<Int, Never>()
    let log = RecordingSubscriber<Int, Never>(.none)
    source.sample(when: other).subscribe(log)
    source.send(1)
    #expect(!other.send(0))
    log.request(.max(1))
    #expect(other.demand == .max(1))
    #expect(other.send(0))
    source.send(2)
    #expect(!other.send(0))
    log.request(.max(1))
    #expect(other.send(0))
    #expect(log.values == [1, 2])
    log.request(.max(1))
    // Nothing is new, so it may come once more.
    #expect(other.send(0) && other.send(0))
    #expect(log.violations == [])
  }

  @Test("the kept value is let go of when it has been sampled")
  func release() {
    final class Token {}
    let source = PassthroughSubject<Token, Never>()
    let other = PassthroughSubject<Void, Never>()
    var count = 0
    let link = source.sample(when: other).sink { _ in count += 1 }
    weak let witness: Token? = {
      let token = Token()
      source.send(token)
      return token
    }()
    #expect(witness != nil)
    other.send()
    #expect(count == 1)
    #expect(witness == nil)
    withExtendedLifetime(link) {}
  }
}

import FlowCore
import FlowTestSupport
import Testing

@Suite("concatMap, removeDuplicates by key")
struct ConcatMapTests {
  @Test("concatMap runs one publisher at a time")
  func concatMap() {
    #expect(
      play("12--|") { source, clock in
        source.buffer(size: 8, prefetch: .keepFull, whenFull: .dropNewest).concatMap {
          [$0, $0].publisher.delay(for: 2, scheduler: clock)
        }
      } == "--(11)-(22|)"
    )
  }

  @Test("a flatMap with a ceiling fails rather than hold more publishers, and lets go of all")
  func ceiling() {
    let source = PassthroughSubject<Int, TestError>()
    let inner = (0..<3).map { _ in PassthroughSubject<Int, TestError>() }
    let recorder = RecordingSubscriber<Int, TestError>()
    source.flatMap { inner[$0] }.failing(with: TestError(), above: 2).subscribe(recorder)
    source.send(0)
    source.send(1)
    inner[1].send(completion: .finished)
    source.send(2)
    inner[2].send(7)
    #expect(recorder.values == [7])
    #expect(recorder.completions.isEmpty)
    source.send(0)
    #expect(recorder.failure == TestError())
    inner[2].send(8)
    #expect(recorder.values == [7])
  }

  @Test("removeDuplicates(by:) compares keys")
  func byKey() {
    #expect([1, 11, 2, 12, 1].publisher.removeDuplicates { $0 % 10 }.record().values == [1, 2, 1])
    let words = ["a", "b", "cc", "dd", "e"].publisher.removeDuplicates(by: \.count)
    #expect(words.record().values == ["a", "cc", "e"])
  }
}

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

  @Test("removeDuplicates(by:) compares keys")
  func byKey() {
    #expect([1, 11, 2, 12, 1].publisher.removeDuplicates { $0 % 10 }.record().values == [1, 2, 1])
    let words = ["a", "b", "cc", "dd", "e"].publisher.removeDuplicates(by: \.count)
    #expect(words.record().values == ["a", "cc", "e"])
  }
}

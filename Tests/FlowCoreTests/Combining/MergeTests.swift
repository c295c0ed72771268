import FlowCore
import Testing

@Suite("merge")
struct MergeTests {
  private func values(_ publisher: some Publisher<Int, Never>) -> [Int] {
    var values: [Int] = []
    _ = publisher.sink { values.append($0) }
    return values
  }

  @Test("a merge takes several more publishers and stays one merge")
  func several() {
    let (a, b, c) = (Just(1), [2].publisher, Just(3))
    let two: Publishers.Merge4<Just<Int>, Publishers.Sequence<[Int], Never>, Just<Int>, Just<Int>> =
      a.merge(with: b).merge(with: c, Just(4))
    #expect(values(two) == [1, 2, 3, 4])
    #expect(
      values(Publishers.Merge(a, b).merge(with: c, a, a, a, a, a)) == [1, 2, 3, 1, 1, 1, 1, 1]
    )
    #expect(
      values(Publishers.Merge3(a, b, c).merge(with: c, a, a, a, b)) == [1, 2, 3, 3, 1, 1, 1, 2]
    )
    #expect(
      values(Publishers.Merge4(a, b, c, c).merge(with: a, b, c, a)) == [1, 2, 3, 3, 1, 2, 3, 1]
    )
    #expect(
      values(Publishers.Merge5(a, b, c, c, c).merge(with: a, b, c)) == [1, 2, 3, 3, 3, 1, 2, 3]
    )
    #expect(
      values(Publishers.Merge6(a, b, c, c, c, c).merge(with: a, b)) == [1, 2, 3, 3, 3, 3, 1, 2]
    )
  }
}

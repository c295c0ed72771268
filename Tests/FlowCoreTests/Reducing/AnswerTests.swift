import FlowCore
import FlowTestSupport
import Testing

@Suite("allSatisfy, contains, min, max, count")
struct AnswerTests {
  let subject = PassthroughSubject<Int, Oops>()

  private func answer<P: Publisher>(
    _ values: [Int],
    through make: (PassthroughSubject<Int, Oops>) -> P
  )
    -> String
  {
    let subject = PassthroughSubject<Int, Oops>()
    let log = make(subject).record()
    for value in values { subject.send(value) }
    subject.send(completion: .finished)
    return log.line
  }

  @Test("allSatisfy is true until a value fails, which ends it")
  func allSatisfy() {
    #expect(answer([1, 2]) { $0.allSatisfy { $0 < 3 } } == "AllSatisfy true |")
    #expect(answer([]) { $0.allSatisfy { $0 < 3 } } == "AllSatisfy true |")
    var seen: [Int] = []
    let line = answer([1, 5, 2]) {
      $0.allSatisfy { value in
        seen.append(value)
        return value < 3
      }
    }
    #expect(line == "AllSatisfy false |")
    #expect(seen == [1, 5])
  }

  @Test("contains is false until the value comes, which ends it")
  func contains() {
    #expect(answer([1, 2, 3]) { $0.contains(2) } == "Contains true |")
    #expect(answer([1, 3]) { $0.contains(2) } == "Contains false |")
    #expect(answer([1, 3]) { $0.contains { $0 > 2 } } == "ContainsWhere true |")
    #expect(answer([]) { $0.contains { _ in true } } == "ContainsWhere false |")
  }

  @Test("the answer waits for demand, an early one too")
  func demand() {
    let log = subject.contains(1).record(.none)
    subject.send(1)
    #expect(log.line == "Contains")
    log.request(1)
    #expect(log.line == "Contains true |")
  }

  @Test("min and max are the first of those that are alike")
  func extremes() {
    #expect(answer([3, 1, 2]) { $0.min() } == "Comparison 1 |")
    #expect(answer([3, 1, 2]) { $0.max() } == "Comparison 3 |")
    #expect(answer([13, 21, 11]) { $0.min { $0 % 10 < $1 % 10 } } == "Comparison 21 |")
    #expect(answer([12, 23, 13]) { $0.max { $0 % 10 < $1 % 10 } } == "Comparison 23 |")
    #expect(answer([]) { $0.min() } == "Comparison |")
  }

  @Test("count counts, last(where:) keeps the last that passes")
  func countAndLast() {
    #expect(answer([7, 7]) { $0.count() } == "Count 2 |")
    #expect(answer([1, 2, 3]) { $0.last { $0 < 3 } } == "LastWhere 2 |")
    #expect(answer([1]) { $0.last { $0 > 3 } } == "LastWhere |")
  }

  @Test("an error thrown is the failure")
  func errors() {
    let oops: (Int) throws -> Bool = { _ in throw Oops() }
    let both: (Int, Int) throws -> Bool = { _, _ in throw Oops() }
    #expect(answer([1]) { $0.tryAllSatisfy(oops) } == "TryAllSatisfy ✕oops")
    #expect(answer([1]) { $0.tryContains(where: oops) } == "TryContainsWhere ✕oops")
    #expect(answer([1]) { $0.tryFirst(where: oops) } == "TryFirstWhere ✕oops")
    #expect(answer([1]) { $0.tryLast(where: oops) } == "TryLastWhere ✕oops")
    #expect(answer([1]) { $0.tryDrop(while: oops) } == "TryDropWhile ✕oops")
    #expect(answer([1]) { $0.tryPrefix(while: oops) } == "TryPrefixWhile ✕oops")
    #expect(answer([1, 2]) { $0.tryMin(by: both) } == "TryComparison ✕oops")
    #expect(answer([1, 2]) { $0.tryMax(by: both) } == "TryComparison ✕oops")
    #expect(answer([1, 2]) { $0.tryRemoveDuplicates(by: both) } == "TryRemoveDuplicates 1 ✕oops")
  }
}

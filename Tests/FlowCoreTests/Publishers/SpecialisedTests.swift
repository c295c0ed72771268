import FlowCore
import FlowTestSupport
import Testing

/// Operators on publishers whose values are at hand make publishers of the same kind.
@Suite("Just, Optional, Result and Sequence, with operators")
struct SpecialisedTests {
  typealias Values = Publishers.Sequence<[Int], Never>

  private func refuse(_: Int) throws -> Bool { throw Oops() }

  @Test("Just stays a Just as long as its value does")
  func just() {
    #expect(Just(1).map { $0 + 1 } == Just(2))
    #expect(Just(1).allSatisfy { $0 > 1 } == Just(false))
    #expect(Just(1).contains(1) == Just(true))
    #expect(Just(1).collect() == Just([1]))
    #expect(Just(1).count() == Just(1))
    #expect(Just(1).min() == Just(1))
    #expect(Just(1).replaceEmpty(with: 2) == Just(1))
    #expect(Just(1).removeDuplicates() == Just(1))
    #expect(Just(1).reduce(2, +).result == .success(3))
    #expect(Just(1).setFailureType(to: Oops.self).result == .success(1))
  }

  @Test("what may leave the value out makes an Optional of a Just")
  func justToOptional() {
    let none: Int?.Publisher = .init(nil)
    let one: Int?.Publisher = .init(1)
    #expect(Just(1).filter { $0 > 1 } == none)
    #expect(Just(1).dropFirst() == none)
    #expect(Just(1).dropFirst(0) == one)
    #expect(Just(1).prefix(0) == none)
    #expect(Just(1).prefix(9) == one)
    #expect(Just(1).drop { $0 == 1 } == none)
    #expect(Just(1).first { $0 == 1 } == one)
    #expect(Just(1).output(at: 0) == one)
    #expect(Just(1).output(at: 1) == none)
    #expect(Just(1).output(in: 1...) == none)
    #expect(Just(1).compactMap { $0 > 1 ? $0 : nil } == none)
  }

  @Test("what throws makes a Result of a Just")
  func justToResult() {
    #expect(throws: Oops()) { try Just(1).tryMap(refuse).result.get() }
    #expect(throws: Oops()) { try Just(1).tryAllSatisfy(refuse).result.get() }
    #expect(throws: Oops()) { try Just(1).tryContains(where: refuse).result.get() }
    #expect(throws: Never.self) { try Just(1).tryReduce(1, +).result.get() }
  }

  @Test("Just with more before or after it is a sequence")
  func justToSequence() {
    #expect(Just(3).prepend(1, 2) == Values(sequence: [1, 2, 3]))
    #expect(Just(1).append(Set([2])) == Values(sequence: [1, 2]))
  }

  @Test("an Optional without a value answers nothing, as Combine's")
  func optional() {
    let none: Int?.Publisher = .init(nil)
    let one: Int?.Publisher = .init(1)
    #expect(none.count() == .init(nil))
    #expect(none.allSatisfy { _ in true } == .init(nil))
    #expect(none.collect() == .init([]))
    #expect(none.replaceEmpty(with: 2) == Just(2))
    #expect(one.map { $0 + 1 } == .init(2))
    #expect(one.reduce(1, +) == .init(2))
    #expect(one.filter { $0 > 1 } == none)
    #expect(one.output(in: 0...) == one)
    #expect(one.output(in: 0..<0) == none)
  }

  @Test("a Result keeps its error")
  func result() {
    let one = Result<Int, Oops>.Publisher(1)
    let oops = Result<Int, Oops>.Publisher(Oops())
    #expect(one.map { $0 + 1 }.result == .success(2))
    #expect(oops.map { $0 + 1 }.result == .failure(Oops()))
    #expect(oops.replaceError(with: 7).result == .success(7))
    #expect(oops.mapError { Oops(word: $0.word + "!") }.result == .failure(Oops(word: "oops!")))
    #expect(one.contains(1).result == .success(true))
    #expect(oops.count().result == .failure(Oops()))
    #expect(throws: Oops()) { try one.tryMin { _, _ in throw Oops() }.result.get() }
    #expect(one.line() == "Once 1 |")
    #expect(oops.line() == "Empty ✕oops")
    let optional = Result<Int?, Oops>.Publisher(nil as Int?)
    #expect(optional.replaceError(with: 1).result == .success(nil))
  }

  @Test("a sequence stays one where it is transformed or cut")
  func sequence() {
    let numbers = [1, 1, 2, 3].publisher
    #expect(numbers.map { $0 * 2 } == Values(sequence: [2, 2, 4, 6]))
    #expect(numbers.compactMap { $0 > 2 ? nil : $0 } == Values(sequence: [1, 1, 2]))
    #expect(numbers.filter { $0 > 1 } == Values(sequence: [2, 3]))
    #expect(numbers.scan(0, +) == Values(sequence: [1, 2, 4, 7]))
    #expect(numbers.removeDuplicates() == Values(sequence: [1, 2, 3]))
    #expect(numbers.prefix { $0 < 2 } == Values(sequence: [1, 1]))
    #expect(numbers.output(in: 1..<3) == Values(sequence: [1, 2]))
    #expect(Array(numbers.dropFirst(2).sequence) == [2, 3])
    #expect(Array(numbers.prefix(2).sequence) == [1, 1])
    #expect(Array(numbers.drop { $0 < 2 }.sequence) == [2, 3])
    #expect([1, nil].publisher.replaceNil(with: 0) == Values(sequence: [1, 0]))
    #expect(numbers.prepend(0).append([4]) == Values(sequence: [0, 1, 1, 2, 3, 4]))
  }

  @Test("a sequence answers at once")
  func sequenceAnswers() {
    let numbers = [3, 1, 2].publisher
    #expect(numbers.count() == Just(3))
    #expect(numbers.setFailureType(to: Oops.self).count().result == .success(3))
    #expect(numbers.min() == .init(1))
    #expect(numbers.max(by: >) == .init(1))
    #expect(numbers.first() == .init(3))
    #expect(numbers.last() == .init(2))
    #expect(numbers.last { $0 > 2 } == .init(3))
    #expect(numbers.output(at: 1) == .init(1))
    #expect(numbers.output(at: 3) == .init(nil))
    #expect(numbers.contains(2).result == .success(true))
    #expect(numbers.allSatisfy { $0 > 1 }.result == .success(false))
    #expect(numbers.reduce(0, +).result == .success(6))
    #expect(numbers.collect().result == .success([3, 1, 2]))
    #expect(throws: Oops()) { try numbers.tryContains(where: refuse).result.get() }
  }

  @Test("a negative count traps at once")
  func traps() async {
    await #expect(processExitsWith: .failure) { _ = Just(1).dropFirst(-1) }
    await #expect(processExitsWith: .failure) { _ = Just(1).prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = Int?.Publisher(1).output(at: -1) }
  }
}

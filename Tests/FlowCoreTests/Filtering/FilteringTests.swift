import FlowCore
import FlowTestSupport
import Testing

@Suite("filter, first, prefix, drop, removeDuplicates")
struct FilteringTests {
  let subject = PassthroughSubject<Int, Oops>()

  /// Whether the subject is still wanted: nobody is sent a value any more if not.
  func isWanted(by log: SignalLog<Int, Oops>, _ value: Int = 0) -> Bool {
    let count = log.events.count
    subject.send(value)
    return log.events.count > count
  }

  @Test("filter leaves values out and asks for others instead")
  func filter() {
    let log = (1...9).stream.filter { $0 % 2 == 0 }.record(.max(2))
    #expect(log.line == "1...9 2 4")
    log.request(2)
    #expect(log.line == "1...9 2 4 6 8")
  }

  @Test("first() finishes with the first value and cancels")
  func first() {
    let log = subject.first().record()
    subject.send(1)
    #expect(log.line == "First 1 |")
    #expect(!isWanted(by: log))
    #expect([Int]().stream.first().line() == "First |")
  }

  @Test("first(where:) passes over others, on one request")
  func firstWhere() {
    let log = subject.first { $0 > 2 }.record(.max(1))
    for value in 1...5 { subject.send(value) }
    #expect(log.line == "TryFirst 3 |")
    #expect([1, 2].stream.first { $0 > 2 }.line() == "TryFirst |")
  }

  @Test("prefix sends so many, then finishes and cancels")
  func prefix() {
    let log = subject.prefix(2).record()
    subject.send(1)
    #expect(log.line == "Output 1")
    subject.send(2)
    subject.send(3)
    #expect(log.line == "Output 1 2 |")
    #expect(!isWanted(by: log))
    #expect(Just(1).eraseToAnyPublisher().prefix(2).line() == "Output 1 |")
    #expect(subject.prefix(0).line(.none) == "Output |")
  }

  @Test("output(at:) and output(in:) count from 0, and ask for others instead")
  func output() {
    let letters = ["a", "b", "c", "d"].stream
    #expect(letters.output(at: 2).line(.max(1)) == "Output c |")
    #expect(letters.output(in: 1...2).line(.max(1)) == "Output b")
    #expect(letters.output(in: 1...2).line() == "Output b c |")
    #expect(letters.output(in: 2...).line() == "Output c d |")
    #expect(letters.output(in: 3..<3).line() == "Output |")
    #expect(letters.output(in: 9...).line() == "Output |")
    #expect(letters.output(at: .max).line() == "Output |")
    #expect(letters.output(at: .max - 1).line() == "Output |")
  }

  @Test("prefix(while:) ends at the first value that fails, which is not sent")
  func prefixWhile() {
    let log = subject.prefix { $0 < 3 }.record()
    for value in [1, 2, 3, 1] { subject.send(value) }
    #expect(log.line == "PrefixWhile 1 2 |")
  }

  @Test("dropFirst leaves out so many, and asks for others instead")
  func dropFirst() {
    #expect((1...5).stream.dropFirst(2).line(.max(2)) == "Drop 3 4")
    #expect((1...3).stream.dropFirst().line() == "Drop 2 3 |")
    #expect((1...3).stream.dropFirst(0).line() == "Drop 1 2 3 |")
    #expect((1...3).stream.dropFirst(5).line() == "Drop |")
  }

  @Test("drop(while:) leaves out the beginning only")
  func dropWhile() {
    #expect([1, 2, 5, 1].stream.drop { $0 < 3 }.line() == "DropWhile 5 1 |")
    #expect([1, 2, 5, 1].stream.drop { $0 < 3 }.line(.max(1)) == "DropWhile 5")
  }

  @Test("removeDuplicates compares with the last value sent")
  func removeDuplicates() {
    #expect([1, 1, 2, 2, 1].stream.removeDuplicates().line() == "RemoveDuplicates 1 2 1 |")
    let close = [10, 11, 12, 20].stream.removeDuplicates { abs($0 - $1) < 2 }
    #expect(close.line() == "RemoveDuplicates 10 12 20 |")
  }

  @Test("a failure passes through, a cancellation stops everything")
  func failureAndCancellation() {
    let publishers: [AnyPublisher<Int, Oops>] = [
      subject.filter { _ in true }.eraseToAnyPublisher(),
      subject.first { _ in false }.eraseToAnyPublisher(),
      subject.prefix(9).eraseToAnyPublisher(),
      subject.prefix { _ in true }.eraseToAnyPublisher(),
      subject.dropFirst().eraseToAnyPublisher(),
      subject.drop { _ in false }.eraseToAnyPublisher(),
      subject.removeDuplicates().eraseToAnyPublisher(),
    ]
    let cancelled = publishers.map { $0.record() }
    for log in cancelled { log.cancel() }
    let failed = publishers.map { $0.record(.none) }
    subject.send(completion: .failure(Oops()))
    #expect(cancelled.allSatisfy { $0.events.count == 1 })
    #expect(failed.allSatisfy { $0.line.hasSuffix(" ✕oops") && $0.events.count == 2 })
  }

  @Test("ignoreOutput sends only the end, without demand")
  func ignoreOutput() {
    let log = subject.ignoreOutput().record(.none)
    subject.send(1)
    subject.send(completion: .failure(Oops()))
    #expect(log.line == "PassthroughSubject ✕oops")
    #expect([1, 2].stream.ignoreOutput().line(.none) == "[1, 2] |")
  }

  @Test("a negative count traps")
  func negativeCount() async {
    await #expect(processExitsWith: .failure) { _ = [1].stream.prefix(-1) }
    await #expect(processExitsWith: .failure) { _ = [1].stream.dropFirst(-1).sink { _ in } }
  }
}

import FlowCore
import FlowTestSupport
import Testing

@Suite("collect(_:), map(\\.), replaceNil, encode, decode, measureInterval")
struct CollectingTests {
  let subject = PassthroughSubject<Int, Oops>()

  @Test("collect(_:) sends arrays of so many, and the rest at the end")
  func collect() {
    let log = subject.collect(2).record()
    for value in 1...3 { subject.send(value) }
    #expect(log.line == "CollectByCount [1, 2]")
    subject.send(completion: .finished)
    #expect(log.line == "CollectByCount [1, 2] [3] |")
  }

  @Test("collect(_:) asks for as many values as its arrays hold; a failure loses the rest")
  func collectDemand() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.collect(3).record(.max(2)) { _, _ in .max(1) }
    #expect(probe.demand == .max(6))
    for value in 1...4 { probe.send(value) }
    #expect(probe.demand == .max(5))
    probe.send(completion: .failure(Oops()))
    #expect(log.line == "CollectByCount [1, 2, 3] ✕oops")
  }

  @Test("map takes up to three key paths")
  func keyPaths() {
    let words = Just("abc").eraseToAnyPublisher()
    #expect(words.map(\.count).line() == "Just 3 |")
    #expect(words.map(\.count, \.isEmpty).line() == "Just (3, false) |")
    #expect(words.map(\.count, \.isEmpty, \.self).line() == "Just (3, false, \"abc\") |")
  }

  @Test("transforms and tests in a row are one operator")
  func fusion() {
    let map: Publishers.Map<PassthroughSubject<Int, Oops>, String> =
      subject.map { $0 + 1 }.map { "\($0)" }
    let tryMap: Publishers.TryMap<PassthroughSubject<Int, Oops>, Int> =
      subject.map { $0 + 1 }.tryMap { $0 * 2 }.map { $0 + 1 }.tryMap { $0 * 2 }
    let compactMap: Publishers.CompactMap<PassthroughSubject<Int, Oops>, Int> =
      subject.compactMap { $0 == 0 ? nil : $0 }.map { $0 + 1 }.compactMap { $0 }
    let filter: Publishers.TryFilter<PassthroughSubject<Int, Oops>> =
      subject.filter { $0 > 0 }.filter { $0 < 9 }.tryFilter { $0 != 5 }.filter { $0 != 6 }
    let logs = (map.record(), tryMap.record(), compactMap.record(), filter.record())
    for value in [0, 1, 5, 6, 9] { subject.send(value) }
    #expect(logs.0.values == ["1", "2", "6", "7", "10"])
    #expect(logs.1.values == [6, 10, 26, 30, 42])
    #expect(logs.2.values == [2, 6, 7, 10])
    #expect(logs.3.values == [1])
  }

  @Test("replaceNil fills the gaps")
  func replaceNil() {
    let numbers = PassthroughSubject<Int?, Never>()
    let log = numbers.replaceNil(with: 0).record()
    for value in [1, nil, 3] { numbers.send(value) }
    #expect(log.values == [1, 0, 3])
  }

  @Test("encode and decode fail with what their coders throw")
  func coding() {
    let log = subject.encode(encoder: Plain()).record()
    subject.send(7)
    #expect(log.line == "Encode 7")
    let texts = PassthroughSubject<String, Oops>()
    let numbers = texts.decode(type: Int.self, decoder: Plain()).record()
    texts.send("8")
    texts.send("x")
    #expect(numbers.line == "Decode 8 ✕Mismatch()")
  }

  @Test("measureInterval measures from the subscription, then from value to value")
  func measureInterval() {
    let clock = VirtualTimeScheduler()
    let log = subject.measureInterval(using: clock).record()
    clock.advance(by: .seconds(2))
    subject.send(1)
    clock.advance(by: .seconds(3))
    subject.send(2)
    subject.send(3)
    #expect(log.values == [.seconds(2), .seconds(3), .seconds(0)])
  }

  @Test("a breakpoint stops the process when it is told to")
  func breakpoint() async {
    let log = subject.breakpoint(receiveOutput: { $0 < 0 }).record()
    subject.send(1)
    #expect(log.line == "PassthroughSubject 1")
    await #expect(processExitsWith: .failure) {
      _ = Just(-1).eraseToAnyPublisher().breakpoint(receiveOutput: { $0 < 0 }).sink { _ in }
    }
    await #expect(processExitsWith: .failure) {
      _ = Fail<Int, Oops>(error: Oops()).breakpointOnError().sink(
        receiveCompletion: { _ in },
        receiveValue: { _ in }
      )
    }
  }
}

import FlowCore
import FlowTestSupport
import Testing

@Suite("map, compactMap, scan and their trying kind")
struct TransformingTests {
  let subject = PassthroughSubject<Int, Oops>()

  @Test("map transforms each value and is not seen otherwise")
  func map() {
    let log = subject.map { $0 * 2 }.map { "<\($0)>" }.record(.max(2))
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .failure(Oops()))
    #expect(log.line == "PassthroughSubject <2> <4> ✕oops")
    #expect(["a", "bcd"].publisher.map(\.count).line() == "[\"a\", \"bcd\"] 1 3 |")
  }

  @Test("maps in a row run in order, each once per value")
  func mapsInARow() {
    var log: [String] = []
    let publisher = [1, 2].stream
      .map { value in
        log.append("a\(value)")
        return value + 10
      }
      .map { value in
        log.append("b\(value)")
        return value
      }
    #expect(publisher.line() == "[1, 2] 11 12 |")
    #expect(log == ["a1", "b11", "a2", "b12"])
  }

  @Test("compactMap leaves out nil and asks for another value instead")
  func compactMap() {
    let log = ["1", "x", "3", "4"].stream.compactMap { Int($0) }.record(.max(2))
    #expect(log.line == "[\"1\", \"x\", \"3\", \"4\"] 1 3")
  }

  @Test("scan publishes the running result, from the beginning for each subscriber")
  func scan() {
    let publisher = [1, 2, 3].stream.scan(10, +)
    #expect(publisher.line() == "[1, 2, 3] 11 13 16 |")
    #expect(publisher.line(.max(2)) == "[1, 2, 3] 11 13")
  }

  @Test("an error thrown is the failure, and the upstream is cancelled")
  func trying() {
    func odd(_ value: Int) throws -> Int {
      guard value % 2 == 1 else { throw Oops(word: "even") }
      return value
    }
    let logs = [
      subject.tryMap { try odd($0) }.record(),
      subject.tryCompactMap { try odd($0) == 1 ? 1 : nil }.record(),
      subject.tryScan(0) { try $0 + odd($1) }.record(),
      subject.tryFilter { try odd($0) == 1 }.record(),
    ]
    for value in 1...3 { subject.send(value) }
    #expect(
      logs.map(\.line) == [
        "TryMap 1 ✕even", "TryCompactMap 1 ✕even", "TryScan 1 ✕even", "TryFilter 1 ✕even",
      ]
    )
  }

  @Test("trying passes demand, cancellation, an upstream's failure and the end through")
  func tryingPassesThrough() {
    let log = subject.tryMap { $0 }.record(.max(1))
    let cancelled = subject.tryMap { $0 }.record()
    cancelled.cancel()
    subject.send(1)
    subject.send(2)
    subject.send(completion: .failure(Oops()))
    #expect(log.line == "TryMap 1 ✕oops")
    #expect(cancelled.line == "TryMap")
    #expect([1].publisher.tryMap { $0 }.line() == "TryMap 1 |")
  }

  @Test("setFailureType changes nothing but the type")
  func setFailureType() {
    let publisher = [1, 2].publisher.setFailureType(to: Oops.self)
    #expect(publisher.line() == "[1, 2] 1 2 |")
    #expect(publisher == [1, 2].publisher.setFailureType(to: Oops.self))
  }
}

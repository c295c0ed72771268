import Dispatch
import FlowCore
import FlowTestSupport
import Testing

/// Operators that join or hold values deliver one at a time, without blocking requests and cancellations.
@Suite("flatMap, merge, buffer and threads", .timeLimit(.minutes(10)))
struct OwnerThreadTests {
  typealias Stream = AnyPublisher<Int, Never>

  static func operators(on subject: PassthroughSubject<Int, Never>) -> [Stream] {
    [
      subject.flatMap { Just($0) }.eraseToAnyPublisher(),
      subject.flatMap { Just($0).eraseToAnyPublisher() }.eraseToAnyPublisher(),
      subject.merge(with: PassthroughSubject()).eraseToAnyPublisher(),
      subject.buffer(size: 9, prefetch: .byRequest, whenFull: .dropNewest).eraseToAnyPublisher(),
      subject.buffer(size: 9, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher(),
    ]
  }

  @Test("a request during a delivery returns at once, and is met later", arguments: 0..<5)
  func request(_ index: Int) {
    let subject = PassthroughSubject<Int, Never>()
    let (entered, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let log = Self.operators(on: subject)[index].record(.max(1)) { _, value in
      guard value == 1 else { return .none }
      entered.signal()
      #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the other thread")
      return .none
    }
    let box = Unchecked(log)
    onFourThreads { thread in
      switch thread {
      case 0: subject.send(1)
      case 1:
        #expect(entered.wait(timeout: Patience.deadline) == .success, "waited for a delivery")
        box.value.request(1)
        done.signal()
      default: break
      }
    }
    subject.send(2)
    subject.send(3)
    #expect(log.values == [1, 2])
  }

  @Test("a cancellation during a delivery returns at once", arguments: 0..<5)
  func cancel(_ index: Int) {
    let subject = PassthroughSubject<Int, Never>()
    let (entered, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let log = Self.operators(on: subject)[index].record { _, _ in
      entered.signal()
      #expect(done.wait(timeout: Patience.deadline) == .success, "waited for the other thread")
      return .none
    }
    let box = Unchecked(log)
    onFourThreads { thread in
      switch thread {
      case 0: subject.send(1)
      case 1:
        #expect(entered.wait(timeout: Patience.deadline) == .success, "waited for a delivery")
        box.value.cancel()
        done.signal()
      default: break
      }
    }
    done.signal()
    subject.send(2)
    subject.send(completion: .finished)
    #expect(log.values == [1])
    #expect(log.events.count == 2)
  }

  @Test("two joined streams, ended by a value, do not deadlock")
  func noDeadlock() {
    for _ in 0..<200 {
      let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
      let log = a.flatMap { Just($0).eraseToAnyPublisher() }
        .buffer(size: 4, prefetch: .keepFull, whenFull: .dropOldest)
        .merge(with: b.flatMap { [$0, $0].publisher })
        .prefix(3)
        .record(.max(1)) { _, _ in .max(1) }
      onFourThreads { thread in
        for value in 0..<4 { (thread % 2 == 0 ? a : b).send(value) }
      }
      #expect(log.line.hasSuffix("|"))
      #expect(log.values.count == 3)
    }
  }
}

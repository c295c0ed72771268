import FlowCore
import FlowTestSupport
import Testing

/// Tests rules of `docs/contract.md` with several threads or many values, with every operator.
@Suite("Contract, from several threads", .timeLimit(.minutes(10)))
struct ContractThreadTests {
  typealias Recording = RecordingSubscriber<Int, TestError>

  static let rounds = 100

  @Test(
    "1.1, 1.3, 1.7: threads send, request, run the clock and complete",
    arguments: contractTable
  )
  func signals(_ candidate: Candidate) {
    for round in 0..<Self.rounds {
      let clock = VirtualTimeScheduler()
      let subject = PassthroughSubject<Int, TestError>()
      let subscriber = Recording(.max(1))
      candidate.apply(subject.eraseToAnyPublisher(), clock).subscribe(subscriber)
      onFourThreads { thread in
        for step in 1...20 {
          switch thread {
          case 0, 1: subject.send(step)
          case 2: subscriber.request(.max(1 + step % 2))
          default:
            clock.run()
            if step == 20, round % 2 == 0 { subject.send(completion: .finished) }
          }
        }
      }
      clock.run()
      subject.send(completion: .finished)
      subscriber.request(.max(100))
      clock.run()
      #expect(subscriber.violations == [])
      #expect(subscriber.isFinished || candidate.name.hasSuffix(".customError)"))
    }
  }

  @Test("3.5, 3.7: two threads cancel while two send", arguments: contractTable)
  func cancellation(_ candidate: Candidate) {
    for round in stride(from: 0, to: Self.rounds, by: RandomCases.step) {
      let clock = VirtualTimeScheduler()
      let subject = PassthroughSubject<Int, TestError>()
      let subscriber = Recording()
      candidate.apply(subject.eraseToAnyPublisher(), clock).subscribe(subscriber)
      onFourThreads { thread in
        if thread < 2 {
          for step in 1...10 { subject.send(step) }
        } else {
          for _ in 0..<round { clock.run() }
          subscriber.subscription?.cancel()
        }
      }
      clock.run()
      let values = subscriber.values
      let completions = subscriber.completions.count
      subject.send(99)
      subject.send(completion: .finished)
      clock.run()
      #expect(subscriber.values == values)
      #expect(subscriber.completions.count == completions)
      #expect(subscriber.violations == [])
    }
  }

  @Test("3.3: a request in each of 2,000 values does not recurse", arguments: contractTable)
  func recursion(_ candidate: Candidate) {
    let clock = VirtualTimeScheduler()
    let source = (1...2_000).publisher.setFailureType(to: TestError.self)
    var stack: (lowest: UInt, highest: UInt) = (.max, 0)
    let subscriber = Recording(.max(1)) { subscriber, _ in
      var here = 0
      let address = withUnsafeMutablePointer(to: &here) { UInt(bitPattern: $0) }
      stack = (min(stack.lowest, address), max(stack.highest, address))
      subscriber.request(.max(1))
      return .none
    }
    candidate.apply(source.eraseToAnyPublisher(), clock).subscribe(subscriber)
    clock.run()
    #expect(subscriber.violations == [])
    #expect(subscriber.completions.count == 1)
    #expect(subscriber.values.isEmpty || stack.highest - stack.lowest < 32_768)
  }

  @Test("3.8, 3.17: demand adds up, and saturates", arguments: contractTable)
  func saturation(_ candidate: Candidate) {
    let clock = VirtualTimeScheduler()
    let subject = PassthroughSubject<Int, TestError>()
    let subscriber = Recording(.max(.max))
    candidate.apply(subject.eraseToAnyPublisher(), clock).subscribe(subscriber)
    subscriber.request(.max(.max))
    subscriber.request(.unlimited)
    subscriber.request(.max(1))
    for step in 1...3 { subject.send(step) }
    subject.send(completion: .finished)
    clock.run()
    #expect(subscriber.violations == [])
    #expect(subscriber.isFinished)
  }
}

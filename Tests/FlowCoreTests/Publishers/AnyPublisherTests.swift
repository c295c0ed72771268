import FlowCore
import FlowTestSupport
import Testing

@Suite("AnyPublisher and AnySubscriber")
struct AnyPublisherTests {
  @Test("passes everything through: values, demand, cancellation, the end")
  func everythingThrough() {
    let subject = PassthroughSubject<Int, Oops>()
    let log = subject.eraseToAnyPublisher().record(.max(1)) { _, value in
      value == 1 ? .max(1) : .none
    }
    for value in 1...3 { subject.send(value) }
    log.request(1)
    subject.send(4)
    subject.send(completion: .failure(Oops()))
    #expect(log.line == "PassthroughSubject 1 2 4 ✕oops")
    let cancelled = subject.eraseToAnyPublisher().record(.none)
    cancelled.cancel()
    #expect(cancelled.line == "Empty ✕oops")
  }

  @Test("erasing twice is erasing once")
  func twice() {
    let publisher = Just(1).eraseToAnyPublisher()
    #expect(AnyPublisher(publisher).line() == "Just 1 |")
    #expect(String(describing: publisher) == "AnyPublisher")
  }

  @Test("releases the subscriber when the upstream lets it go")
  func release() {
    let subject = PassthroughSubject<Int, Never>()
    weak var payload: Payload?
    let link: AnyCancellable
    do {
      let strong = Payload()
      payload = strong
      let erased = subject.map { $0 + strong.number }.eraseToAnyPublisher()
      link = erased.map { $0 * 2 }.eraseToAnyPublisher().sink { _ in }
    }
    #expect(payload != nil)
    link.cancel()
    #expect(payload == nil)
  }

  @Test("AnySubscriber made of closures asks for what its closures ask for")
  func closures() {
    var log: [String] = []
    let subscriber = AnySubscriber<Int, Never>(
      receiveSubscription: {
        log.append("\($0)")
        $0.request(.max(1))
      },
      receiveValue: {
        log.append("\($0)")
        return $0 == 1 ? .max(1) : .none
      },
      receiveCompletion: { log.append("\($0)") }
    )
    [1, 2, 3].publisher.subscribe(subscriber)
    #expect(log == ["[1, 2, 3]", "1", "2"])
  }

  @Test("AnySubscriber made of a subject sends everything to it")
  func subject() {
    let subject = PassthroughSubject<Int, Never>()
    let log = subject.record()
    [1, 2].publisher.subscribe(AnySubscriber(subject))
    #expect(log.line == "PassthroughSubject 1 2 |")
  }
}

import FlowCore
import FlowTestSupport
import Testing

@Suite("Scenarios: failures, futures and subjects")
struct OutcomeScenarios {
  let clock = VirtualTimeScheduler()

  /// Answers after some seconds; the answer to 2 is a failure.
  private func fetch(_ id: Int, _ seconds: Double = 1) -> AnyPublisher<String, TestError> {
    let answer: AnyPublisher<String, TestError> =
      id == 2
      ? Fail(error: TestError("fetch")).eraseToAnyPublisher()
      : Just("data\(id)").setFailureType(to: TestError.self).eraseToAnyPublisher()
    return answer.delay(for: .seconds(seconds), scheduler: clock).eraseToAnyPublisher()
  }

  @Test("13: three fetches, the second fails: as is")
  func fetches() {
    let recorder = Recorder<String, TestError>()
    [1, 2, 3].publisher.setFailureType(to: TestError.self)
      .flatMap(maxPublishers: .max(1)) { fetch($0) }
      .subscribe(recorder)
    clock.advance(toSecond: 10)
    #expect(recorder.values == ["data1"])
    #expect(recorder.failure == TestError("fetch"))
  }

  @Test("13: replaced outside, it stops with a dummy value")
  func replacedOutside() {
    let recorder = Recorder<String, Never>()
    [1, 2, 3].publisher.setFailureType(to: TestError.self)
      .flatMap(maxPublishers: .max(1)) { fetch($0) }
      .replaceError(with: "dummy")
      .subscribe(recorder)
    clock.advance(toSecond: 10)
    #expect(recorder.values == ["data1", "dummy"])
    #expect(recorder.isFinished)
  }

  @Test("13: replaced inside, there are three values")
  func replacedInside() {
    let recorder = Recorder<String, Never>()
    [1, 2, 3].publisher
      .flatMap(maxPublishers: .max(1)) { fetch($0).replaceError(with: "dummy") }
      .subscribe(recorder)
    clock.advance(toSecond: 10)
    #expect(recorder.values == ["data1", "dummy", "data3"])
    #expect(recorder.isFinished)
  }

  @Test("13: caught into results inside, there are three results")
  func results() {
    let recorder = Recorder<Result<String, TestError>, Never>()
    [1, 2, 3].publisher
      .flatMap(maxPublishers: .max(1)) { id in
        fetch(id)
          .map { Result<String, TestError>.success($0) }
          .catch { Just(.failure($0)) }
      }
      .subscribe(recorder)
    clock.advance(toSecond: 10)
    #expect(
      recorder.values == [.success("data1"), .failure(TestError("fetch")), .success("data3")]
    )
  }

  @Test("14: answers come in the order of the requests, never two at once")
  func inOrder() {
    let recorder = Recorder<String, TestError>(clock: clock)
    var running = 0
    var most = 0
    [1, 3, 4].publisher.setFailureType(to: TestError.self)
      .flatMap(maxPublishers: .max(1)) { id in
        fetch(id, id == 1 ? 3 : id == 3 ? 1 : 2)
          .handleEvents(
            receiveSubscription: { _ in
              running += 1
              most = max(most, running)
            },
            receiveCompletion: { _ in running -= 1 }
          )
      }
      .subscribe(recorder)
    clock.advance(toSecond: 20)
    #expect(recorder.values == ["data1", "data3", "data4"])
    #expect(recorder.times == [3, 4, 6])
    #expect(most == 1)
  }

  @Test("16: the first promise counts, the closure runs once and at once, late ones get the same")
  func future() {
    var runs = 0
    let future = Future<Int, TestError> { promise in
      runs += 1
      promise(.success(1))
      promise(.success(2))
    }
    #expect(runs == 1)
    for _ in 0..<2 {
      let recorder = Recorder<Int, TestError>()
      future.subscribe(recorder)
      #expect(recorder.values == [1])
      #expect(recorder.isFinished)
    }
    #expect(runs == 1)
    var keep: Future<Int, TestError>.Promise?
    let later = Future<Int, TestError> { keep = $0 }
    let patient = Recorder<Int, TestError>(.none)
    later.subscribe(patient)
    keep?(.success(7))
    #expect(patient.values == [])
    patient.request(.max(1))
    #expect(patient.values == [7])
    #expect(patient.isFinished)
  }

  @Test("17: retry subscribes again, and gives up in the end", arguments: [2, 100])
  func retry(_ failures: Int) {
    var subscriptions = 0
    let source = Deferred { () -> AnyPublisher<Int, TestError> in
      subscriptions += 1
      return subscriptions <= failures
        ? Fail(error: TestError("try \(subscriptions)")).eraseToAnyPublisher()
        : Just(5).setFailureType(to: TestError.self).eraseToAnyPublisher()
    }
    let recorder = Recorder<Int, TestError>()
    source.retry(3).subscribe(recorder)
    if failures == 2 {
      #expect(recorder.values == [5])
      #expect(recorder.isFinished)
      #expect(subscriptions == 3)
    } else {
      #expect(recorder.failure == TestError("try 4"))
      #expect(subscriptions == 4)
    }
  }

  @Test("18: a chain of flatMaps gives the value or the first failure")
  func chain() {
    struct Outer: Error, Equatable { var cause: TestError }
    func run(_ input: Int) -> Recorder<String, Outer> {
      let recorder = Recorder<String, Outer>()
      Just(input)
        .setFailureType(to: TestError.self)
        .flatMap { value -> AnyPublisher<Int, TestError> in
          value > 0
            ? Just(value * 2).setFailureType(to: TestError.self).eraseToAnyPublisher()
            : Fail(error: TestError("first")).eraseToAnyPublisher()
        }
        .flatMap { value -> AnyPublisher<String, TestError> in
          value < 10
            ? Just("\(value)").setFailureType(to: TestError.self).eraseToAnyPublisher()
            : Fail(error: TestError("second")).eraseToAnyPublisher()
        }
        .mapError { Outer(cause: $0) }
        .subscribe(recorder)
      return recorder
    }
    #expect(run(2).values == ["4"])
    #expect(run(0).failure == Outer(cause: TestError("first")))
    #expect(run(9).failure == Outer(cause: TestError("second")))
  }

  @Test("18: first cancels an endless upstream")
  func first() {
    let recorder = Recorder<Int, Never>()
    var cancels = 0
    clock.timerPublisher(every: .seconds(1)).autoconnect()
      .scan(0) { count, _ in count + 1 }
      .handleEvents(receiveCancel: { cancels += 1 })
      .first()
      .subscribe(recorder)
    clock.advance(toSecond: 5)
    #expect(recorder.values == [1])
    #expect(recorder.isFinished)
    #expect(cancels == 1)
    #expect(clock.nextDeadline == nil)
  }

  @Test("19: a subscriber after a send gets only later values")
  func passthrough() {
    let subject = PassthroughSubject<Int, Never>()
    subject.send(1)
    let recorder = Recorder<Int, Never>()
    subject.subscribe(recorder)
    subject.send(2)
    subject.send(completion: .finished)
    subject.send(3)
    #expect(recorder.values == [2])
    #expect(recorder.isFinished)
    let late = Recorder<Int, Never>()
    subject.subscribe(late)
    #expect(late.values == [])
    #expect(late.isFinished)
  }

  @Test("20: the latest at once, and the latest at the time of the request")
  func currentValue() {
    let subject = CurrentValueSubject<Int, Never>(1)
    subject.send(2)
    let eager = Recorder<Int, Never>()
    subject.subscribe(eager)
    #expect(eager.values == [2])
    let patient = Recorder<Int, Never>(.none)
    subject.subscribe(patient)
    subject.send(3)
    subject.value = 4
    #expect(patient.values == [])
    patient.request(.max(1))
    #expect(patient.values == [4])
    patient.request(.max(1))
    #expect(patient.values == [4])
    subject.send(5)
    #expect(patient.values == [4, 5])
    #expect(eager.values == [2, 3, 4, 5])
    #expect(subject.value == 5)
  }

  @Test("21: updates, then the end; nothing after", arguments: [true, false])
  func progress(_ succeeds: Bool) {
    let subject = PassthroughSubject<Double, TestError>()
    let recorder = Recorder<Double, TestError>()
    subject.subscribe(recorder)
    for ratio in [0.1, 0.5, 1] { subject.send(ratio) }
    subject.send(completion: succeeds ? .finished : .failure(TestError("stopped")))
    subject.send(2)
    subject.send(completion: .finished)
    #expect(recorder.values == [0.1, 0.5, 1])
    #expect(recorder.completions.count == 1)
    #expect(recorder.isFinished == succeeds)
  }

  @Test("22: letting go of the result of sink cancels; storing it keeps it")
  func cancellable() {
    let subject = PassthroughSubject<Int, Never>()
    var values: [Int] = []
    var cancels = 0
    let source = subject.handleEvents(receiveCancel: { cancels += 1 })
    var result: AnyCancellable? = source.sink { values.append($0) }
    subject.send(1)
    result = nil
    #expect(cancels == 1)
    subject.send(2)
    #expect(values == [1])
    #expect(result == nil)
    var stored: Set<AnyCancellable> = []
    source.sink { values.append($0) }.store(in: &stored)
    subject.send(3)
    #expect(values == [1, 3])
    stored.removeAll()
    #expect(cancels == 2)
  }
}

import FlowCore
import FlowTestSupport
import Testing

@Suite("zip, combineLatest, switchToLatest")
struct ZipTests {
  @Test("zip pairs first with first, and ends when no pair can come")
  func zip() {
    let drawn = play(["-1-2---3-|", "---a-b--c-d"]) { sources, _ in
      sources[0].zip(sources[1]) { $0 + $1 }
    }
    #expect(drawn == "---[1a]-[2b]--[3c]|")
  }

  @Test("zip asks both for what is asked of it, and keeps what has no partner")
  func zipDemand() {
    let (a, b) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    let subscriber = RecordingSubscriber<Int, Never>(.max(2)) { _, value in
      value == 11 ? .max(3) : .none
    }
    a.zip(b) { $0 + $1 }.subscribe(subscriber)
    #expect(a.requests == [.max(2)])
    #expect(b.requests == [.max(2)])
    #expect(a.send(1) && a.send(2) && !a.send(3))
    #expect(subscriber.values == [])
    #expect(b.send(10))
    #expect(subscriber.values == [11])
    // The side whose value made the pair is told by what its `receive` returns.
    #expect(a.requests == [.max(2), .max(3)])
    #expect(b.requests == [.max(2)])
    #expect(b.demand == .max(4))
  }

  @Test("a failure ends a zip at once, and cancels the other")
  func zipFailure() {
    let (a, b) = (ProbePublisher<Int, TestError>(), ProbePublisher<Int, TestError>())
    let subscriber = RecordingSubscriber<Int, TestError>()
    a.zip(b) { $0 + $1 }.subscribe(subscriber)
    a.send(1)
    b.send(completion: .failure(TestError("b")))
    #expect(subscriber.failure == TestError("b"))
    #expect(a.cancels == 1)
    #expect(subscriber.values == [])
  }

  @Test("combineLatest publishes the newest of both, from when both have published")
  func combineLatest() {
    let drawn = play(["-1-2---3-|", "--a--b----|"]) { sources, _ in
      sources[0].combineLatest(sources[1]) { $0 + $1 }
    }
    #expect(drawn == "--[1a][2a]-[2b]-[3b]--|")
  }

  @Test("combineLatest never sends more than asked for, and then the newest")
  func combineLatestDemand() {
    let (a, b) = (PassthroughSubject<Int, Never>(), CurrentValueSubject<Int, Never>(10))
    let subscriber = RecordingSubscriber<Int, Never>(.max(1))
    a.combineLatest(b) { $0 + $1 }.subscribe(subscriber)
    a.send(1)
    b.send(20)
    #expect(subscriber.values == [11])
    subscriber.request(.max(1))
    b.send(30)
    #expect(subscriber.values == [11, 31] || subscriber.values == [11, 21])
    #expect(subscriber.violations == [])
  }

  @Test("combineLatest sends a value without demand at the next request, and reports replaced ones")
  func combineLatestBehind() {
    let (a, b) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    let subscriber = RecordingSubscriber<[Int], Never>(.max(1))
    var dropped: [Int] = []
    [a, b].combineLatest { dropped.append($0) }.subscribe(subscriber)
    for demand in 2...4 {
      a.send(demand)
      if demand == 2 { b.send(10) }
      subscriber.request(.max(1))
    }
    #expect(subscriber.values == [[2, 10], [3, 10], [4, 10]])
    #expect(b.demand == .max(3))
    // The last request has been met, so these come without demand, though `b` was asked for more.
    b.send(20)
    b.send(30)
    b.send(40)
    #expect(subscriber.values.last == [4, 20])
    #expect(dropped == [30])
    subscriber.request(.max(1))
    #expect(subscriber.values.last == [4, 40])
    a.send(5)
    #expect(dropped == [30])
    #expect(subscriber.violations == [])
  }

  @Test("combineLatest finishes after the newest values, when they are requested")
  func combineLatestEnd() {
    let (a, b) = (ProbePublisher<Int, TestError>(), ProbePublisher<Int, TestError>())
    var dropped: [Int] = []
    let subscriber = RecordingSubscriber<[Int], TestError>(.max(1))
    [a, b].combineLatest { dropped.append($0) }.subscribe(subscriber)
    a.send(1)
    b.sendLate(10)
    b.sendLate(20)
    a.send(completion: .finished)
    b.send(completion: .finished)
    #expect(subscriber.values == [[1, 10]])
    #expect(!subscriber.isFinished)
    subscriber.request(.max(1))
    #expect(subscriber.values == [[1, 10], [1, 20]])
    #expect(subscriber.isFinished)
    #expect(dropped == [])
    #expect(subscriber.violations == [])
  }

  @Test("combineLatest drops the newest values when it fails, and when it is cancelled")
  func combineLatestCut() {
    for isCancelled in [false, true] {
      let (a, b) = (ProbePublisher<Int, TestError>(), ProbePublisher<Int, TestError>())
      var dropped: [Int] = []
      let subscriber = RecordingSubscriber<[Int], TestError>(.max(1))
      [a, b].combineLatest { dropped.append($0) }.subscribe(subscriber)
      a.send(1)
      b.sendLate(10)
      b.sendLate(20)
      a.send(completion: .finished)
      if isCancelled {
        subscriber.cancel()
        subscriber.subscription?.request(.max(1))
      } else {
        b.send(completion: .failure(TestError("b")))
        #expect(dropped == [20])
      }
      #expect(subscriber.values == [[1, 10]])
      #expect(subscriber.failure == (isCancelled ? nil : TestError("b")))
    }
  }

  @Test("three and four go together, too")
  func several() {
    let a = [1, 2, 3].publisher
    let b = ["a", "b"].publisher
    var seen: [String] = []
    _ = a.zip(b, a, b) { "\($0)\($1)\($2)\($3)" }.sink { seen.append($0) }
    #expect(seen == ["1a1a", "2b2b"])
    _ = a.combineLatest(b, a).sink { seen.append("\($0.0)\($0.1)\($0.2)") }
    #expect(seen.suffix(3) == ["3b1", "3b2", "3b3"])
    _ = [a, a].zip().sink { seen.append("\($0)") }
    #expect(seen.suffix(3) == ["[1, 1]", "[2, 2]", "[3, 3]"])
    _ = [a, a].combineLatest().sink { seen.append("\($0)") }
    #expect(seen.last == "[3, 3]")
  }

  @Test("switchToLatest drops the publisher before, and ends with the last")
  func switchToLatest() {
    let outer = PassthroughSubject<ProbePublisher<Int, Never>, Never>()
    let (first, second) = (ProbePublisher<Int, Never>(), ProbePublisher<Int, Never>())
    let subscriber = RecordingSubscriber<Int, Never>(.max(3))
    outer.switchToLatest().subscribe(subscriber)
    outer.send(first)
    first.send(1)
    outer.send(second)
    #expect(first.cancels == 1)
    first.sendLate(99)
    #expect(second.requests == [.max(2)])
    second.send(2)
    outer.send(completion: .finished)
    #expect(!subscriber.isFinished)
    second.send(completion: .finished)
    #expect(subscriber.values == [1, 2])
    #expect(subscriber.isFinished)
  }

  @Test("a switch from inside a value is taken up after it")
  func reentrantSwitch() {
    let outer = PassthroughSubject<AnyPublisher<Int, Never>, Never>()
    var values: [Int] = []
    let link = outer.switchToLatest().sink { value in
      values.append(value)
      if value == 1 { outer.send([10, 11].publisher.eraseToAnyPublisher()) }
    }
    outer.send([1, 2, 3].publisher.eraseToAnyPublisher())
    #expect(values == [1, 10, 11])
    link.cancel()
  }
}

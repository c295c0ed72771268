import FlowCore
import FlowTestSupport
import Testing

@Suite("what operators ask of their upstream, and when")
struct DemandTests {
  private let subject = PassthroughSubject<Int, Oops>()
  private let requests = Requests()

  private final class Requests {
    var all: [Subscribers.Demand] = []
  }

  private var source: Publishers.HandleEvents<PassthroughSubject<Int, Oops>> {
    let requests = requests
    return subject.handleEvents(receiveRequest: { requests.all.append($0) })
  }

  @Test("first asks for everything, and keeps its value for demand")
  func first() {
    let log = source.first().record(.none)
    #expect(requests.all == [.unlimited])
    subject.send(1)
    subject.send(2)
    #expect(log.line == "First")
    log.request(1)
    #expect(log.line == "First 1 |")
  }

  @Test("no limit stays no limit on its way to a subscription of the program's own")
  func unlimited() {
    let asked = Asked(requests: requests)
    _ = asked.output(in: 1...2).record()
    _ = asked.replaceError(with: 0).record()
    _ = asked.replaceEmpty(with: 0).record()
    _ = asked.collect(4).record()
    _ = asked.dropFirst(2).record()
    _ = asked.append(1).record()
    _ = asked.removeDuplicates().record()
    _ = asked.tryMap { $0 }.record()
    #expect(requests.all == Array(repeating: .unlimited, count: 8))
  }

  /// Only keeps what it is asked for.
  private struct Asked: Publisher {
    typealias Output = Int
    typealias Failure = Oops

    let requests: Requests

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Oops {
      subscriber.receive(subscription: Asking(requests: requests))
    }

    private final class Asking: Subscription {
      let requests: Requests

      init(requests: Requests) { self.requests = requests }

      func request(_ demand: Subscribers.Demand) { requests.all.append(demand) }
      func cancel() {}
    }
  }

  @Test("dropFirst asks for as many more as it leaves out, with the first request")
  func dropFirst() {
    let log = source.dropFirst(2).record(.max(1))
    #expect(requests.all == [.max(3)])
    for value in 1...4 { subject.send(value) }
    #expect(log.line == "Drop 3")
  }

  @Test("retry asks its upstream for what comes back with a value; a negative count has no end")
  func retry() {
    let log = source.retry(-1).record(.max(1))
    for _ in 1...3 { subject.send(1) }
    #expect(requests.all == [.max(1)])
    #expect(log.line == "Retry 1")
  }
}

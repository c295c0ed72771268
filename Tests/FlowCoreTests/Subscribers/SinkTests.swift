import FlowCore
import FlowTestSupport
import Testing

@Suite("sink, assign and AnyCancellable")
struct SinkTests {
  @Test("asks for everything and hands on values, then the end, once")
  func values() {
    var log: [String] = []
    let subject = PassthroughSubject<Int, Oops>()
    let link = subject.sink(
      receiveCompletion: { log.append("\($0)") },
      receiveValue: { log.append("\($0)") }
    )
    subject.send(1)
    subject.send(2)
    subject.send(completion: .failure(Oops()))
    link.cancel()
    #expect(log == ["1", "2", "failure(oops)"])
  }

  @Test("dropping what sink returns cancels at that moment")
  func dropped() {
    let subject = PassthroughSubject<Int, Never>()
    var seen: [Int] = []
    var link: AnyCancellable? = subject.sink { seen.append($0) }
    subject.send(1)
    link = nil
    subject.send(2)
    #expect(seen == [1])
    #expect(link == nil)
  }

  @Test("store(in:) keeps it until the collection lets it go")
  func stored() {
    let subject = PassthroughSubject<Int, Never>()
    var seen: [Int] = []
    var set: Set<AnyCancellable> = []
    var array: [AnyCancellable] = []
    subject.sink { seen.append($0) }.store(in: &set)
    subject.sink { seen.append(-$0) }.store(in: &array)
    subject.send(1)
    set.removeAll()
    subject.send(2)
    array.removeAll()
    subject.send(3)
    #expect(seen == [1, -1, -2])
  }

  @Test("Subscribers.Sink refuses a second subscription")
  func secondSubscription() {
    var seen: [Int] = []
    let sink = Subscribers.Sink<Int, Never>(
      receiveCompletion: { _ in },
      receiveValue: { seen.append($0) }
    )
    let (first, second) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
    first.subscribe(sink)
    second.subscribe(sink)
    first.send(1)
    second.send(2)
    sink.cancel()
    first.send(3)
    #expect(seen == [1])
  }

  @Test("assign sets a property, and holds the object until the end")
  func assign() {
    final class Model {
      var value = 0 { didSet { history.append(value) } }
      var history: [Int] = []
    }
    weak var model: Model?
    let subject = PassthroughSubject<Int, Never>()
    let link: AnyCancellable
    do {
      let strong = Model()
      model = strong
      link = subject.assign(to: \.value, on: strong)
    }
    subject.send(1)
    subject.send(2)
    #expect(model?.history == [1, 2])
    subject.send(completion: .finished)
    #expect(model == nil)
    link.cancel()
  }

  @Test("an AnyCancellable runs its closure once, on cancel or on release")
  func closure() {
    var count = 0
    var link: AnyCancellable? = AnyCancellable { count += 1 }
    link?.cancel()
    link?.cancel()
    link = nil
    #expect(count == 1)
    link = AnyCancellable { count += 1 }
    link = nil
    #expect(count == 2)
  }
}

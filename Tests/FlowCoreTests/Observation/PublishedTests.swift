import FlowCore
import FlowTestSupport
import Testing

@Suite("@Published")
struct PublishedTests {
  final class Model: ObservableObject {
    @Published var count = 0
  }

  let model = Model()

  @Test("publishes the present value, then each new one before it is set")
  func values() {
    var seen: [[Int]] = []
    let subscription = model.$count.sink { [model] in seen.append([$0, model.count]) }
    model.count = 1
    model.count += 1
    #expect(seen == [[0, 0], [1, 0], [2, 1]])
    subscription.cancel()
  }

  @Test("sends the newest when it is asked for")
  func demand() {
    let recorder = RecordingSubscriber<Int, Never>(.none)
    model.$count.subscribe(recorder)
    model.count = 1
    model.count = 2
    recorder.request(.max(1))
    #expect(recorder.values == [2])
    model.count = 3
    recorder.request(.max(2))
    #expect(recorder.values == [2, 3])
    #expect(recorder.violations == [])
    recorder.cancel()
  }

  @Test("overwrites what a subscriber sets it to meanwhile, as in Combine")
  func setWhileSending() {
    var seen: [Int] = []
    let subscription = model.$count.sink { [model] in
      seen.append($0)
      if $0 == 5 { model.count = 3 }
    }
    model.count = 5
    #expect(seen == [0, 5, 3])
    #expect(model.count == 5)
    subscription.cancel()
  }

  @Test("sends both values to who subscribes while one is sent")
  func subscribedWhileSending() {
    let late = RecordingSubscriber<Int, Never>(.unlimited)
    let subscription = model.$count.sink { [model] in
      if $0 == 1 { model.$count.subscribe(late) }
    }
    model.count = 1
    model.count = 2
    #expect(late.values == [0, 1, 2])
    subscription.cancel()
    late.cancel()
  }

  @Test("is set by assign(to:) as long as it lives, and tells its object")
  func assign() {
    let source = PassthroughSubject<Int, Never>()
    var changes = 0
    var cancels = 0
    weak var released: Model?
    do {
      let model = Model()
      released = model
      let subscription = model.objectWillChange.sink { changes += 1 }
      source.handleEvents(receiveCancel: { cancels += 1 }).assign(to: &model.$count)
      source.send(7)
      #expect(model.count == 7)
      #expect(changes == 1)
      #expect(cancels == 0)
      subscription.cancel()
    }
    #expect(released == nil)
    #expect(cancels == 1)
    source.send(8)
  }

  @Test("lets a publisher go that has finished")
  func finishedAssignment() {
    let probe = ProbePublisher<Int, Never>()
    probe.assign(to: &model.$count)
    #expect(probe.requests == [.unlimited])
    _ = probe.send(3)
    probe.send(completion: .finished)
    #expect(model.count == 3)
    #expect(probe.cancels == 0)
  }
}

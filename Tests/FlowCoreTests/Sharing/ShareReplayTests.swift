import FlowCore
import FlowTestSupport
import Testing

@Suite("share(replay:)")
struct ShareReplayTests {
  let probe = ProbePublisher<Int, TestError>()

  @Test("subscribes once, asks for everything, and sends late subscribers the last values")
  func replays() {
    let shared = probe.share(replay: 2)
    let (first, late) = (
      RecordingSubscriber<Int, TestError>(.unlimited),
      RecordingSubscriber<Int, TestError>(.max(1))
    )
    #expect(probe.subscriptions == 0)
    shared.subscribe(first)
    #expect(probe.requests == [.unlimited])
    for value in 1...3 { _ = probe.send(value) }
    shared.subscribe(late)
    #expect(probe.subscriptions == 1)
    #expect(late.values == [2])
    _ = probe.send(4)
    late.request(.max(5))
    #expect(first.values == [1, 2, 3, 4])
    #expect(late.values == [2, 3, 4])
    #expect(first.violations + late.violations == [])
  }

  @Test("cancels with the last subscriber, and then begins anew")
  func counts() {
    let shared = probe.share(replay: 1)
    let recorders = (0..<3).map { _ in RecordingSubscriber<Int, TestError>(.unlimited) }
    shared.subscribe(recorders[0])
    shared.subscribe(recorders[1])
    _ = probe.send(1)
    recorders[0].cancel()
    recorders[0].cancel()
    #expect(probe.cancels == 0)
    recorders[1].cancel()
    #expect(probe.cancels == 1)
    shared.subscribe(recorders[2])
    #expect(probe.subscriptions == 2)
    #expect(recorders[2].values == [])
  }

  @Test("sends who comes after the end the last values and the end")
  func afterTheEnd() {
    let shared = [1, 2, 3].publisher.share(replay: 2)
    let first = RecordingSubscriber<Int, Never>(.unlimited)
    let late = RecordingSubscriber<Int, Never>(.unlimited)
    shared.subscribe(first)
    shared.subscribe(late)
    #expect(first.values == [1, 2, 3])
    #expect(late.values == [2, 3])
    #expect(first.isFinished && late.isFinished)
  }

  @Test("holds nothing after the end")
  func released() {
    weak var released: RecordingSubscriber<Int, TestError>?
    let shared = probe.share(replay: 1)
    do {
      let recorder = RecordingSubscriber<Int, TestError>(.unlimited)
      released = recorder
      shared.subscribe(recorder)
      probe.send(completion: .finished)
      recorder.release()
    }
    probe.release()
    #expect(released == nil)
  }
}

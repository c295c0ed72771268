import FlowCore
import FlowTestSupport
import Testing

@Suite("flatMap under a limited demand")
struct LimitedDemandTests {
  let clock = VirtualTimeScheduler()

  @Test("asks its upstream for the next when a child has ended", arguments: [false, true])
  func next(_ hasBuffer: Bool) {
    let subject = PassthroughSubject<Int, Never>()
    let recorder = Recorder<Int, Never>(.max(3), clock: clock)
    let source =
      hasBuffer
      ? subject.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest).eraseToAnyPublisher()
      : subject.eraseToAnyPublisher()
    source
      .flatMap(maxPublishers: .max(1)) {
        Just($0).delay(for: .seconds(2), scheduler: clock).eraseToAnyPublisher()
      }
      .subscribe(recorder)
    for value in 1...10 { subject.send(value) }
    clock.at(3) { subject.send(11) }
    clock.advance(toSecond: 30)
    #expect(recorder.values == (hasBuffer ? [1, 2, 3] : [1, 11]))
    recorder.request(.max(2))
    #expect(recorder.values == (hasBuffer ? [1, 2, 3, 4] : [1, 11]))
    clock.advance(toSecond: 60)
    #expect(recorder.values == (hasBuffer ? [1, 2, 3, 4, 5] : [1, 11]))
  }
}

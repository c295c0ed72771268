import FlowCore
import FlowTestSupport
import Testing

@Suite("timeout, subscribe(on:)")
struct TimeoutTests {
  let clock = VirtualTimeScheduler()
  let subject = PassthroughSubject<Int, Oops>()

  @Test("timeout ends when nothing has come for a while, with an error if there is one")
  func silence() {
    #expect(play("-1-2---------3-|") { $0.timeout(4, scheduler: $1) } == "-1-2---|")
    #expect(play("-1-2--3|") { $0.timeout(4, scheduler: $1) } == "-1-2--3|")
    #expect(
      play("-1------") { $0.timeout(4, scheduler: $1, customError: { MarbleFailure() }) }
        == "-1---✕"
    )
    #expect(play("--------") { $0.timeout(4, scheduler: $1) } == "----|")
  }

  @Test("timeout cancels the upstream, and waits again from the first request on")
  func cancelsUpstream() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.timeout(.seconds(2), scheduler: clock).record(.none)
    clock.advance(by: .seconds(1))
    log.request(3)
    clock.advance(by: .seconds(1))
    log.request(1)
    #expect(probe.requests == [.max(3), .max(1)])
    #expect(probe.cancels == 0)
    clock.advance(by: .seconds(1))
    #expect(probe.cancels == 1)
    #expect(log.line == "Timeout |")
    #expect(clock.nextDeadline == nil)
  }

  @Test("the timeout of a cancelled subscription never fires")
  func cancelled() {
    let log = subject.timeout(1, scheduler: clock).record()
    log.cancel()
    #expect(clock.nextDeadline == nil)
    clock.run()
    #expect(log.line == "Timeout")
  }

  @Test("timeout traps on a scheduler that cannot wait")
  func immediate() async {
    await #expect(processExitsWith: .failure) {
      _ = Just(1).timeout(1, scheduler: ImmediateScheduler.shared).sink { _ in }
    }
  }

  @Test("subscribe(on:) subscribes, requests and cancels on the scheduler")
  func subscribeOn() {
    let probe = ProbePublisher<Int, Oops>()
    let log = probe.subscribe(on: clock).record(.max(2))
    #expect(probe.subscriptions == 0)
    clock.run()
    #expect(log.line == "SubscribeOn")
    #expect(probe.requests == [.max(2)])
    probe.send(1)
    #expect(log.line == "SubscribeOn 1")
    log.request(4)
    #expect(probe.requests == [.max(2)])
    log.cancel()
    probe.send(2)
    #expect(probe.cancels == 0)
    clock.run()
    #expect(probe.requests == [.max(2), .max(4)])
    #expect(probe.cancels == 1)
    #expect(log.line == "SubscribeOn 1")
  }
}

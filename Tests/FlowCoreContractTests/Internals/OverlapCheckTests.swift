#if DEBUG
import Dispatch
import FlowCore
import FlowTestSupport
import Testing

@Suite("Overlapping signals")
struct OverlapCheckTests {
  @Test("a debug build traps if two threads send to one subscriber at once")
  func overlap() async {
    await #expect(processExitsWith: .failure) {
      final class Stage: @unchecked Sendable {  // the semaphores order all uses
        var subscriber: AnySubscriber<Int, Never>?
      }
      let stage = Stage()
      let (isInside, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      /// Stores its subscriber in `stage`, for the test to send to.
      struct Lent: Publisher {
        typealias Output = Int
        typealias Failure = Never
        let stage: Stage
        func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
          stage.subscriber = AnySubscriber(subscriber)
          subscriber.receive(subscription: Subscriptions.empty)
        }
      }
      let link = Lent(stage: stage).map { $0 }.sink { value in
        guard value == 1 else { return }
        isInside.signal()
        _ = isDone.wait(timeout: Patience.deadline)
      }
      DispatchQueue.global().async {
        isInside.wait()
        _ = stage.subscriber?.receive(2)
        isDone.signal()
      }
      _ = stage.subscriber?.receive(1)
      link.cancel()
    }
  }
}
#endif

import Dispatch

/// A Dispatch timer that starts a loop's turn.
final class QueueTimer: @unchecked Sendable {  // Dispatch's timers are safe on any thread
  private let timer: any DispatchSourceTimer

  init(_ queue: DispatchQueue) {
    timer = DispatchSource.makeTimerSource(queue: queue)
    // A finite time makes Dispatch allocate its timer descriptors before others use them up.
    timer.schedule(deadline: .now() + .seconds(3600), leeway: .nanoseconds(0))
  }

  deinit { timer.cancel() }

  func start(_ loop: EventLoop) {
    timer.setEventHandler { @Sendable [weak loop] in loop?.timerFired() }
    timer.activate()
  }

  func arm(_ due: UInt64?) {
    let deadline = due.map { DispatchTime(uptimeNanoseconds: $0) } ?? .distantFuture
    timer.schedule(deadline: deadline, leeway: .nanoseconds(0))
  }
}

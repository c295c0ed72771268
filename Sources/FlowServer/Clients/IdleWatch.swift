internal import FlowCore

/// Looks regularly for clients that were silent for too long or have vanished.
final class IdleWatch {
  private unowned let engine: Engine
  private var isUnderWay = false

  init(engine: Engine) { self.engine = engine }

  func begin() {
    guard !isUnderWay else { return }
    isUnderWay = true
    let period = max(1, min(engine.configuration.timeouts.idle, 15_000_000_000))
    let date = engine.clock.now.advanced(by: .nanoseconds(Int(period)))
    engine.clock.schedule(after: date) { [weak self] in self?.closeSilentClients() }
  }

  private func closeSilentClients() {
    isUnderWay = false
    guard engine.clients.count > 0 else { return }
    for client in engine.clients.inOrder {
      client.closeIfIdle()
      client.closeIfVanished()
    }
    begin()
  }
}

import FlowTransport

/// Somebody who only says PING, ten times a second, and is answered quickly whatever others do.
final class Bystander {
  /// What he may have to wait, in nanoseconds of the world.
  private static let patience: UInt64 = 500_000_000
  private static let pause: UInt64 = 100_000_000

  private let world: World
  private let oracle: Oracle
  private var actor: Actor?
  private var asked: UInt64?
  private var forgiven: UInt64 = 0
  private var hasLeft = false

  init(_ world: World, _ oracle: Oracle) {
    self.world = world
    self.oracle = oracle
    var model = ActorModel(name: "bystander")
    model.gulp = 4096
    let actor = Actor(
      model,
      world,
      heard: { [weak self] item in self?.hears(item.text) },
      ended: { [weak self] _ in self?.asked = nil }
    )
    self.actor = actor
    if let place = ServerProcess.place { _ = actor.connect(to: place) }
    actor.say("AUTH \(ServerProcess.password)\nHELLO 1 name=bystander\n")
    ask()
  }

  private func ask() {
    guard !hasLeft, let actor, actor.isOpen else { return }
    if let asked {
      let waited = world.now - asked
      if waited > Self.patience + forgiven {
        oracle.complain("the bystander has waited \(waited / 1_000_000) ms")
        return leave()
      }
    } else {
      asked = world.now
      forgiven = 0
      actor.say("PING\n")
    }
    world.after(Self.pause) { [weak self] in self?.ask() }
  }

  private func hears(_ line: String) {
    if line == "PONG" { asked = nil }
  }

  /// The machine stands still for so long.
  func forgive(_ nanoseconds: UInt64) { forgiven += nanoseconds + Self.patience }

  func leave() {
    hasLeft = true
    actor?.close()
    actor = nil
  }
}

// What happens to NATS and to the servers on it, and what they have to tell of it.
extension Play {
  func perform(_ event: NATSEvent) {
    guard let nats else { return }
    oracle.cover("nats \("\(event)".prefix { $0 != " " })")
    switch event {
    case .stop(let time):
      oracle.stored.isTroubled(for: time)
      nats.stop()
      startNATS(after: time)
    case .cut:
      oracle.stored.isTroubled()
      nats.cut()
    case .slow(let time):
      oracle.stored.isTroubled(for: time > 0 ? Self.longest : 0)
      nats.setSlowness(time * 1_000_000)
    case .fill(let count): nats.setRoom(count)
    case .hasRoom: nats.setRoom(nil)
    case .loseEnd(let subject, let count):
      oracle.stored.isTroubled()
      oracle.stored.loses(nats.loseEnd(of: subject, count), of: subject)
      startNATS(after: Self.pause)
    case .loseStream(let subject):
      oracle.stored.isTroubled()
      oracle.stored.loses(nats.loseStream(of: subject), of: subject)
      startNATS(after: Self.pause)
    }
  }

  /// How many milliseconds NATS needs to start again.
  private static let pause = 100
  /// More milliseconds than any story lasts.
  private static let longest = 1_000_000

  private func startNATS(after milliseconds: Int) {
    world.after(UInt64(milliseconds) * 1_000_000) { [weak self] in self?.nats?.start() }
  }

  /// Kills a server; another one begins in its place so many milliseconds later.
  func kill(_ who: String, for milliseconds: Int) {
    guard let server = who == "second" ? second : process, server.isRunning else { return }
    oracle.cover("server killed")
    let isFirst = server === process
    oracle.stored.isTroubled(for: milliseconds)
    oracle.stored.isKilled(second: !isFirst)
    if isFirst { bystander?.leave() }
    server.kill()
    world.after(UInt64(milliseconds) * 1_000_000) { [self] in
      if !server.start() { oracle.complain("a server does not start after another was killed") }
      if isFirst { bystander = Bystander(world, oracle) }
    }
  }

  /// What is stored has come to those who read it, and all servers know what is lost.
  func checkStored() {
    for (actor, witness) in everybody where actor.isOpen && witness.farewell == nil {
      witness.checkStored()
    }
    for server in [process, second].compactMap({ $0 }) {
      let rows = told("LIST subjects", by: server)
      for name in oracle.stored.names {
        guard let row = rows.first(where: { $0.hasPrefix("* subject \(name) ") }) else { continue }
        oracle.stored.check(row: row, of: name, bySecond: server === second)
      }
    }
  }
}

internal import FlowTransport

// A value may go to thousands of clients, and writing to a socket is the most expensive part.
// So a turn writes as long as it has time, and the other clients follow in later turns.

extension Engine {
  /// How many clients one turn always writes to.
  static let many = 32
  /// How long a turn may write to more clients, in nanoseconds.
  private static let limit: UInt64 = 5_000_000

  /// Ends the turn of the clients that were written to, as far as there is time.
  func endMany() {
    let number = loop.turnUnderWay
    if turn.sending.turn != number { turn.sending = (number, loop.now + Self.limit) }
    let count = turn.ending.count
    var place = 0
    while place < count, loop.now < turn.sending.until {
      let portion = place..<min(count, place + Self.many)
      if loop.threads > 1 { flushLarge(portion) }
      turn.ending.forEach(at: portion) { $0.endTurn() }
      place = portion.upperBound
    }
    guard place < count else { return }
    let isFirst = turn.late.isEmpty
    turn.ending.forEach(at: place..<count) { turn.late.append($0) }
    if isFirst { endLateClients() }
  }

  /// Sends large output on several threads, if the configuration allows them.
  func flushLarge(_ places: Range<Int>) {
    var connections: [Connection] = []
    turn.ending.forEach(at: places) { connections.append($0.connection) }
    loop.flushLarge(connections)
  }

  /// Ends the turn of clients that an earlier turn had no time for.
  private func endLateClients() {
    nextTurn { [self] in
      let end = loop.now + Self.limit
      repeat {
        for _ in 0..<Self.many { turn.late.popFirst().map(endLate) }
      } while !turn.late.isEmpty && loop.now < end
      turn.late.release()
      if !turn.late.isEmpty { endLateClients() }
    }
  }

  private func endLate(_ client: Client) {
    // A closed client has nothing more to do, and may not be referenced any more.
    guard client.ending != .closed else { return releaseLater(client) }
    client.connection.sendHeldBack()
    client.endTurn()
  }
}

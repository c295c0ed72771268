internal import FlowTransport

// What a subject sends may be for thousands, and to send to a connection takes longer than anything
// else that is done for it. So a turn sends to as many as there is time for, and the others follow in
// the next ones, with the sockets in between.

extension Engine {
  /// More clients than these are not sent to in one turn in any case.
  static let many = 32
  /// How long a turn sends to many, in nanoseconds.
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

  /// Sends what is large of the output of some of those that were written to, on as many threads as there may be.
  func flushLarge(_ places: Range<Int>) {
    var connections: [Connection] = []
    turn.ending.forEach(at: places) { connections.append($0.connection) }
    loop.flushLarge(connections)
  }

  /// Ends the turn of those that there was no time for, in the next ones.
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
    // One that is closed has nothing more to do, and may be nobody else's any more.
    guard client.ending != .closed else { return releaseLater(client) }
    client.connection.goOn()
    client.endTurn()
  }
}

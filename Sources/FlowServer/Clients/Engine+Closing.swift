internal import FlowCore
internal import FlowTransport
internal import FlowWire

// Connections that are closing, and whose peers may not read what is still to be sent.
extension Engine {
  /// How often a closing connection is given time, if its peer goes on reading.
  private static let patience = 6

  /// Sees to it that a closing connection ends though its peer does not read.
  func limitClosing(_ connection: Connection) {
    connection.flush()
    if connection.unsent > 0 { look(at: connection, rounds: Self.patience) }
  }

  private func look(at connection: Connection, rounds: Int) {
    let unsent = connection.unsent
    let date = clock.now.advanced(by: .nanoseconds(Int(configuration.farewell)))
    clock.schedule(after: date) { [weak self, weak connection] in
      guard let self, let connection, connection.isFlushing else { return }
      guard rounds > 1, connection.unsent < unsent else { return connection.reset() }
      look(at: connection, rounds: rounds - 1)
    }
  }

  /// Ends all connections in this turn: their peers get what the kernel takes at once.
  func closeAll() {
    for client in clientsInOrder {
      client.bye(.shutdown, "the server is shutting down")
      // A peer that reads is left to its BYE; nobody waits for another.
      if client.connection.unsent > 0 { client.connection.close() }
    }
  }
}

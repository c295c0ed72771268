/// What NATS says in one go; places are offsets in the buffer it was read from.
package enum NATSFrame: Equatable, Sendable {
  /// What the server says of itself, as JSON.
  case info(Range<Int>)
  case message(NATSMessage)
  case ping
  case pong
  case ok
  /// What the server objects to, without its quotes.
  case error(String)
}

/// Where the parts of a message stand.
package struct NATSMessage: Equatable, Sendable {
  package var subject: Range<Int>
  /// The number that the subscription was made with.
  package var subscription: UInt64
  /// Where an answer goes; empty if none is expected.
  package var reply: Range<Int>
  /// The header lines with their end; empty if there are none.
  package var headers: Range<Int>
  package var payload: Range<Int>
}

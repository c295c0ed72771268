/// A frame from NATS; ranges are offsets in the buffer.
package enum NATSFrame: Equatable, Sendable {
  /// The server's INFO, as JSON.
  case info(Range<Int>)
  case message(NATSMessage)
  case ping
  case pong
  case ok
  /// The text of `-ERR`, without its quotes.
  case error(String)
}

/// The parts of a message, as offsets in the buffer.
package struct NATSMessage: Equatable, Sendable {
  package var subject: Range<Int>
  /// The number of the subscription, chosen by Flow.
  package var subscription: UInt64
  /// The subject to answer at; empty if no answer is expected.
  package var reply: Range<Int>
  /// The header lines with their line ends; empty if there are none.
  package var headers: Range<Int>
  package var payload: Range<Int>
}

/// Connects to NATS by sockets, or plays NATS in a test.
package protocol NATSDialer: AnyObject {
  /// Connects to `address`, which is `HOST:PORT`.
  ///
  /// It calls `opened` exactly once, in a later turn.
  func dial(
    _ address: String,
    opened: @escaping (Result<any NATSWire, NATSError>) -> Void
  )
}

/// A connection to NATS.
package protocol NATSWire: AnyObject {
  /// The receiver of events, set by the link.
  var receiver: (any NATSReceiver)? { get set }
  /// Sends bytes at the end of the turn.
  func send(_ bytes: [UInt8])
  /// Closes the connection; the receiver gets no further calls.
  func close()
}

/// Receives input and the end of a connection.
package protocol NATSReceiver: AnyObject {
  /// Handles all unread input; returns the number of bytes consumed.
  func received(_ buffer: UnsafeRawBufferPointer) -> Int
  /// The connection was lost.
  func wireClosed(_ reason: String)
}

/// The owner of a link, which also provides its clock.
package protocol NATSLinkOwner: AnyObject {
  /// In nanoseconds.
  var now: Int64 { get }
  func after(_ nanoseconds: Int64, _ work: @escaping () -> Void)
  /// The link accepts requests from now on.
  func linkIsUp()
  /// The link is down; pending requests get no answer.
  func linkIsAway(_ reason: NATSError)
  /// A message arrived at `subject`, which matches the `hears` of the link.
  func linkHears(_ subject: String)
  /// A message arrived at `subject`, which matches the `talks` of the link; answer at `reply`.
  func linkHears(_ subject: String, from reply: String, _ payload: UnsafeRawBufferPointer)
  /// A call arrived that was pulled from the stream of calls.
  func linkBrings(_ call: NATSValue)
  func linkNotes(_ text: String)
}

extension NATSLinkOwner {
  package func linkHears(
    _ subject: String,
    from reply: String,
    _ payload: UnsafeRawBufferPointer
  ) {}
  package func linkBrings(_ call: NATSValue) {}
}

/// Receives the values that a JetStream consumer pulls.
package protocol NATSConsumer: AnyObject {
  func received(_ value: NATSValue)
  /// Handles the status of a pull; `pending` of its values will not come.
  func received(_ status: NATSHeaders.Status, pending: Int)
}

/// A pulled value; valid during a call only.
@safe  // memory 8
package struct NATSValue {
  package let sequence: UInt64
  /// How many more values match the consumer.
  package let pending: UInt64
  package let subject: UnsafeRawBufferPointer
  package let payload: UnsafeRawBufferPointer
  /// The subject at which it is acknowledged.
  package let ack: UnsafeRawBufferPointer
  private let buffer: UnsafeRawBufferPointer
  private let headers: NATSHeaders?

  init(_ message: NATSMessage, _ ack: AckSubject, in buffer: UnsafeRawBufferPointer) {
    sequence = ack.sequence
    pending = ack.pending
    unsafe self.buffer = unsafe buffer
    unsafe subject = unsafe part(buffer, message.subject)
    unsafe payload = unsafe part(buffer, message.payload)
    unsafe self.ack = unsafe part(buffer, message.reply)
    headers = message.headers.isEmpty ? nil : unsafe NATSHeaders(buffer, message.headers)
  }

  /// The id by which NATS recognizes repetitions of it.
  package var messageID: UnsafeRawBufferPointer? { unsafe find(headers?.messageID) }
  /// Whether a Flow server made the message id, whose number grows from value to value.
  package var isOfFlow: Bool { headers?.isOfFlow == true }
  package var batchID: UnsafeRawBufferPointer? { unsafe find(headers?.batchID) }
  /// How the subject ended, if this message is its end.
  package var end: String? {
    guard let end = headers?.end else { return nil }
    return unsafe text(part(buffer, end))
  }

  private func find(_ range: Range<Int>?) -> UnsafeRawBufferPointer? {
    guard let range else { return nil }
    return unsafe part(buffer, range)
  }
}

/// What connects to NATS: sockets, or a test that plays NATS.
package protocol NATSDialer: AnyObject {
  /// Connects to `address`, which is `HOST:PORT`, and tells the link that asked how it went.
  ///
  /// `opened` is called later, in a turn of its own, and exactly once.
  func dial(
    _ address: String,
    opened: @escaping (Result<any NATSWire, NATSError>) -> Void
  )
}

/// A connection to NATS, as its link uses it.
package protocol NATSWire: AnyObject {
  /// Whom it tells what comes; set by the link that gets it.
  var receiver: (any NATSReceiver)? { get set }
  /// Sends bytes, at the end of the turn.
  func send(_ bytes: [UInt8])
  /// Closes; the receiver is told nothing more.
  func close()
}

/// Who takes what comes on a wire.
package protocol NATSReceiver: AnyObject {
  /// Takes input: `buffer` is all that is unread; returns how many bytes were used.
  func received(_ buffer: UnsafeRawBufferPointer) -> Int
  /// The connection is gone.
  func wireClosed(_ reason: String)
}

/// Who needs NATS: the owner of a link, with the clock that the link goes by.
package protocol NATSLinkOwner: AnyObject {
  /// Nanoseconds.
  var now: Int64 { get }
  func after(_ nanoseconds: Int64, _ work: @escaping () -> Void)
  /// Requests can be made from now on.
  func linkIsUp()
  /// No more is heard of any request that was made.
  func linkIsAway(_ reason: NATSError)
  /// A message came to `subject`, which the link was asked to hear.
  func linkHears(_ subject: String)
  /// A message came to `subject`, which is one of those that the link talks at; `reply` is where an
  /// answer goes.
  func linkHears(_ subject: String, from reply: String, _ payload: UnsafeRawBufferPointer)
  /// A call came that was pulled from the stream of calls.
  func linkBrings(_ call: NATSValue)
  /// Something to be logged.
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

/// Whose values come on a link.
package protocol NATSConsumer: AnyObject {
  /// Takes a value that was pulled.
  func received(_ value: NATSValue)
  /// Hears what became of a pull: of `pending` values, if any, that do not come.
  func received(_ status: NATSHeaders.Status, pending: Int)
}

/// A value that was pulled; valid during a call only.
@safe  // memory 8
package struct NATSValue {
  /// Its place in the stream.
  package let sequence: UInt64
  /// How many values that the consumer wants come after it.
  package let pending: UInt64
  package let subject: UnsafeRawBufferPointer
  package let payload: UnsafeRawBufferPointer
  /// Where it is acknowledged.
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

  /// What a repetition of it, and of its batch, is known by.
  package var messageID: UnsafeRawBufferPointer? { unsafe find(headers?.messageID) }
  /// Whether a Flow server made the message id, so that its number grows from value to value.
  package var isOfFlow: Bool { headers?.isOfFlow == true }
  /// The batch that it was published in.
  package var batchID: UnsafeRawBufferPointer? { unsafe find(headers?.batchID) }
  /// How the subject has ended, if this is its end.
  package var end: String? {
    guard let end = headers?.end else { return nil }
    return unsafe text(part(buffer, end))
  }

  private func find(_ range: Range<Int>?) -> UnsafeRawBufferPointer? {
    guard let range else { return nil }
    return unsafe part(buffer, range)
  }
}

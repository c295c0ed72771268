import FlowWire

/// The events of a stream of a connection; all on the connection's queue.
protocol LinkStream: AnyObject {
  /// Whether the stream has ended, or has told the server that it ends.
  var isEnding: Bool { get }
  /// A value arrived.
  func received(_ payload: UnsafeRawBufferPointer)
  /// The values at hand, from one read of the socket, have been given; or there were none.
  func valuesPassed()
  /// The turn ends, which is when what is owed to the server is said.
  func settle()
  /// `count` values passed this stream by.
  func missed(_ count: UInt64, reason: String)
  /// The server allows `count` more values.
  func granted(_ count: Demand)
  /// A call came, with its argument.
  func called(_ number: UInt64, _ argument: UnsafeRawBufferPointer)
  /// The server allows `count` more values of a call.
  func granted(_ count: Demand, call number: UInt64)
  /// The caller has cancelled a call.
  func cancelled(call number: UInt64)
  /// The socket takes bytes again after having been full.
  func socketDrained()
  /// The connection is lost, and will be made again.
  func connectionLost()
  /// The connection was made again; the stream is to be opened with the same id.
  func connectionRestored()
  /// `DONE`, or why it ended otherwise; nothing follows.
  func ended(_ error: RemoteError?)
}

extension LinkStream {
  func received(_ payload: UnsafeRawBufferPointer) {}
  func valuesPassed() {}
  func settle() {}
  func missed(_ count: UInt64, reason: String) {}
  func granted(_ count: Demand) {}
  func called(_ number: UInt64, _ argument: UnsafeRawBufferPointer) {}
  func granted(_ count: Demand, call number: UInt64) {}
  func cancelled(call number: UInt64) {}
  func socketDrained() {}
}

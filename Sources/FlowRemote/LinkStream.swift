import FlowWire

/// Receives the events of one stream, on the connection's queue.
protocol LinkStream: AnyObject {
  /// Whether the stream has ended, or has told the server that it ends.
  var isEnding: Bool { get }
  func received(_ payload: UnsafeRawBufferPointer)
  /// All values of one read of the socket have been delivered.
  func valuesPassed()
  /// The turn ends: send the signals owed to the server.
  func settle()
  func missed(_ count: UInt64, reason: String)
  /// The server granted `count` more values.
  func granted(_ count: Demand)
  func called(_ number: UInt64, _ argument: UnsafeRawBufferPointer)
  /// The server granted `count` more values of a call.
  func granted(_ count: Demand, call number: UInt64)
  func cancelled(call number: UInt64)
  /// The socket takes bytes again after being full.
  func socketDrained()
  /// The connection was lost and will be restored.
  func connectionLost()
  /// The connection was restored; open the stream again with the same id.
  func connectionRestored()
  /// The stream finished, or failed with `error`; no event follows.
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

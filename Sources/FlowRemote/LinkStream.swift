import FlowWire

/// What a stream of a connection can be told; all on the connection's queue.
protocol LinkStream: AnyObject {
  /// One value came.
  func received(_ payload: UnsafeRawBufferPointer)
  /// The values at hand, from one read of the socket, have been given; or there were none.
  func valuesPassed()
  /// `count` values passed this stream by.
  func missed(_ count: UInt64, reason: String)
  /// The server allows `count` more values.
  func granted(_ count: Demand)
  /// The socket takes octets again after having been full.
  func socketDrained()
  /// `DONE`, or why it ended otherwise; nothing follows.
  func ended(_ error: RemoteError?)
}

extension LinkStream {
  func received(_ payload: UnsafeRawBufferPointer) {}
  func valuesPassed() {}
  func missed(_ count: UInt64, reason: String) {}
  func granted(_ count: Demand) {}
  func socketDrained() {}
}

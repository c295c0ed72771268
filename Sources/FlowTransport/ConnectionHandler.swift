/// The events of a connection, always on the loop's queue.
public protocol ConnectionHandler: AnyObject {
  /// Handles all unread input in `buffer`; returns the number of bytes consumed.
  ///
  /// The rest, such as half a line or a line that must wait, comes again with later input, or after
  /// `pauseReading()` with the next `resumeReading()`. The bytes are valid during the call only.
  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int

  /// The peer ended its side, and all its input was offered; output continues.
  func connectionInputEnded(_ connection: Connection)

  /// A full socket took bytes: `unsent` fell to `lowWater` or below, or to 0.
  func connectionDrained(_ connection: Connection)

  /// The peer is gone and cannot be sent anything, while its input waits.
  func connectionPeerVanished(_ connection: Connection)

  /// The connection ended, with an error unless this side closed it.
  ///
  /// It is called exactly once, at the end of a turn, never within `append` or `flush`.
  func connectionClosed(_ connection: Connection, _ error: TransportError?)
}

extension ConnectionHandler {
  public func connectionPeerVanished(_ connection: Connection) {}
}

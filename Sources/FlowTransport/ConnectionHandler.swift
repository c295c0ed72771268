/// The events of a connection, always on the loop's queue.
public protocol ConnectionHandler: AnyObject {
  /// Handles input: `buffer` is all that is unread; returns how many bytes were used.
  ///
  /// The rest, half a line or a line that has to wait, is kept and given again: together with what
  /// comes later, or after `pauseReading()` with the next `resumeReading()`. The bytes are valid
  /// during the call only.
  func connection(_ connection: Connection, received buffer: UnsafeRawBufferPointer) -> Int

  /// The peer sends nothing more; all its input was offered. Output continues.
  func connectionInputEnded(_ connection: Connection)

  /// A socket that was full took bytes: `unsent` fell to `lowWater` or below it, or to 0.
  func connectionDrained(_ connection: Connection)

  /// The peer is gone and can be sent nothing more, while its input has to wait.
  func connectionPeerVanished(_ connection: Connection)

  /// The connection is gone, with an error unless this side closed it.
  ///
  /// Told exactly once, at the end of a turn, never from within `append` or `flush`.
  func connectionClosed(_ connection: Connection, _ error: TransportError?)
}

extension ConnectionHandler {
  public func connectionPeerVanished(_ connection: Connection) {}
}

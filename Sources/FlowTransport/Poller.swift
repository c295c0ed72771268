/// Tells which sockets are ready; one of the two kinds of kernel interface behind a loop.
protocol Poller: AnyObject {
  /// Begins to watch a connection.
  func add(_ connection: Connection)
  /// What the connection waits for has changed.
  func update(_ connection: Connection)
  /// Ends the watch, then closes the descriptor.
  func remove(_ connection: Connection)
  /// Leaves a wait that is under way: something was posted.
  func wake()
}

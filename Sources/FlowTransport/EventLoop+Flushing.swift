extension EventLoop {
  /// The number of threads that may send at one time, the loop's own included.
  ///
  /// Set it before anything is registered. With more than one, large output of several connections
  /// is collected and sent together by `flushLarge`.
  public var threads: Int {
    get { turnState.sendGroup.threads }
    set { turnState.sendGroup.threads = newValue }
  }

  /// Sends the large output of `connections` on up to `threads` threads.
  ///
  /// If only one connection has large output, `flush` sends it.
  public func flushLarge(_ connections: [Connection]) {
    turnState.sendGroup.flush(connections)
  }
}

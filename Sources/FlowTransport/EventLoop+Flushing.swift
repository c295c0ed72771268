extension EventLoop {
  /// The number of threads that may send at one time, with the loop's own.
  ///
  /// To be set before anything is registered. With more than one, output of several connections
  /// that is large is collected, to be sent together by `flushLarge`.
  public var threads: Int {
    get { turnState.sendGroup.threads }
    set { turnState.sendGroup.threads = newValue }
  }

  /// Sends what is large of the output of `connections`, on as many threads as the loop may use.
  ///
  /// Where only one connection has much to send, it stays for `flush`.
  public func flushLarge(_ connections: [Connection]) {
    turnState.sendGroup.flush(connections)
  }
}

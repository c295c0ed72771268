extension EventLoop {
  /// How many threads may send at one time, the loop's own among them.
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

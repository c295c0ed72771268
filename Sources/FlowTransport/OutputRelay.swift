/// Takes a connection's output in place of the kernel, to send it on in another form.
///
/// A base class, since each of thousands of connections has room for a reference to one.
open class OutputRelay {
  /// Makes one that takes all and does nothing with it.
  public init() {}

  /// Takes bytes from the first one on.
  ///
  /// What it leaves comes again, together with what is added: it may be the beginning of something,
  /// or there `isFull`. It must not act on the connection meanwhile.
  /// - Returns: how many it takes; nil if nobody reads any more.
  open func take(_ bytes: UnsafeRawBufferPointer) -> Int? { bytes.count }

  /// Whether it takes nothing before it says so by `Connection.relayDrained()`.
  open var isFull: Bool { false }
}

extension Connection {
  /// Has `relay` take all output from now on; to be called before there is any.
  package func relayOutput(to relay: OutputRelay) { state.relay = relay }

  /// The relay has room again.
  package func relayDrained() {
    guard state.relay != nil, isStarved else { return }
    isStarved = false
    if isOpen || isFlushing { writable() }
  }
}

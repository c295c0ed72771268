/// The acknowledgements of an inlet, one at a time.
struct AckState {
  /// The address to acknowledge the last delivered value.
  private(set) var newest: [UInt8] = []
  private(set) var hasNews = false
  private var isUnderWay = false
  /// The address for the undelivered value behind all waiting values, if there is one.
  private var lastLeftOut: [UInt8]?

  mutating func wentOut(_ ack: UnsafeRawBufferPointer) {
    newest.removeAll(keepingCapacity: true)
    unsafe newest.append(contentsOf: ack)
    hasNews = true
  }

  mutating func wentOut(_ ack: [UInt8]) {
    newest = ack
    hasNews = true
  }

  /// Records that the value at `ack` is not delivered, or that another value waits behind it (nil).
  mutating func leaveOut(_ ack: [UInt8]?) { lastLeftOut = ack }

  /// Records that all waiting values were delivered.
  mutating func waitingWentOut() {
    if let last = lastLeftOut { wentOut(last) }
    lastLeftOut = nil
  }

  /// Returns the address to acknowledge at, if anything is new.
  mutating func take() -> [UInt8]? {
    guard hasNews, !isUnderWay else { return nil }
    hasNews = false
    isUnderWay = true
    return newest
  }

  /// Records NATS's answer to the acknowledgement `sent`; returns whether to send another one.
  ///
  /// A lost acknowledgement would hold up publishers forever.
  mutating func answered(_ sent: [UInt8], isMissing: Bool) -> Bool {
    isUnderWay = false
    if isMissing, newest == sent { hasNews = true }
    return hasNews
  }

  /// Stops waiting for the answer.
  mutating func giveUp() { isUnderWay = false }

  /// Begins again for a consumer that starts behind all delivered values.
  mutating func begin() { (hasNews, isUnderWay) = (false, false) }
}

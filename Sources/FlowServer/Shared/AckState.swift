/// Where an inlet acknowledges the last value that went out: one at a time.
struct AckState {
  /// Where the last value that went out is acknowledged.
  private(set) var newest: [UInt8] = []
  private(set) var hasNews = false
  private var isUnderWay = false
  /// Where the value is acknowledged that came behind those that wait, and goes to nobody.
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

  /// The value at `ack` goes to nobody, or another value waits behind it if there is none.
  mutating func leaveOut(_ ack: [UInt8]?) { lastLeftOut = ack }

  /// All values that waited have gone out, and so has the one behind them that goes to nobody.
  mutating func waitingWentOut() {
    if let last = lastLeftOut { wentOut(last) }
    lastLeftOut = nil
  }

  /// Returns where to acknowledge, if there is news.
  mutating func take() -> [UInt8]? {
    guard hasNews, !isUnderWay else { return nil }
    hasNews = false
    isUnderWay = true
    return newest
  }

  /// Records that NATS has answered the acknowledgement `sent`, and returns whether another one is due.
  ///
  /// A lost one would hold up publishers for good.
  mutating func answered(_ sent: [UInt8], isMissing: Bool) -> Bool {
    isUnderWay = false
    if isMissing, newest == sent { hasNews = true }
    return hasNews
  }

  /// The acknowledgement under way is not answered any more.
  mutating func giveUp() { isUnderWay = false }

  /// A consumer begins behind all that has gone out.
  mutating func begin() { (hasNews, isUnderWay) = (false, false) }
}

/// The values sent on one connection, and how many the server has certainly received.
struct SentValues {
  /// The requested grant; `nil` for the server's default, which is unknown here.
  let limit: UInt64?
  private(set) var count: UInt64 = 0
  private var arrived: UInt64 = 0
  private var taken: UInt64 = 0

  init(limit: UInt64?) { self.limit = limit }

  /// The most sent values that can be missing at the server.
  var unconfirmed: UInt64 { count - max(arrived, taken) }

  /// The most sent values that can be missing at the subject.
  var untaken: UInt64 { count - taken }

  mutating func add() { count += 1 }

  /// Records that the server has granted more, so that `room` values may be sent.
  ///
  /// At most `limit` values are granted, held or not stored yet, so all earlier ones are with the
  /// subject.
  mutating func granted(room: UInt64) {
    guard let limit else { return }
    let (granted, isEndless) = count.addingReportingOverflow(room)
    if !isEndless, granted > limit { taken = max(taken, min(granted - limit, count)) }
  }

  /// Records that the first `number` values reached the server, which may still hold some if
  /// `mayHold`.
  mutating func arrived(_ number: UInt64, mayHold: Bool) {
    arrived = max(arrived, number)
    if !mayHold { taken = max(taken, number) }
  }
}

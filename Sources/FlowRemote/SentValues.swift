/// The values that a publication has sent on one connection, and how far they have surely come.
struct SentValues {
  /// The grant that was asked for; `nil` is the server's own, of which nothing is known here.
  let limit: UInt64?
  private(set) var count: UInt64 = 0
  private var arrived: UInt64 = 0
  private var taken: UInt64 = 0

  init(limit: UInt64?) { self.limit = limit }

  /// The most values that have not reached the server.
  var unconfirmed: UInt64 { count - max(arrived, taken) }

  /// The most values that have not reached the subject.
  var untaken: UInt64 { count - taken }

  mutating func add() { count += 1 }

  /// The server has granted more, so that `room` values may be sent.
  ///
  /// What is granted, held or not stored yet is never more than `limit` values at a time: of all that were
  /// granted so far at least the others are with the subject.
  mutating func granted(room: UInt64) {
    guard let limit else { return }
    let (granted, isEndless) = count.addingReportingOverflow(room)
    if !isEndless, granted > limit { taken = max(taken, min(granted - limit, count)) }
  }

  /// The first `number` have reached the server, which may hold some of them if it `mayHold` any.
  mutating func arrived(_ number: UInt64, mayHold: Bool) {
    arrived = max(arrived, number)
    if !mayHold { taken = max(taken, number) }
  }
}

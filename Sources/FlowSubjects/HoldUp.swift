/// For how long a subscription has held up others.
final class HoldUp {
  /// Nanoseconds since it was last judged; less than 0 for time that was judged before it was over.
  var sum: Int64 = 0
  /// The last time without credit, if no value waited in the server, and when credit came.
  var unseen: (time: Int64, until: Int64)?
  /// How many values the subject had published when it was last judged.
  var publishedBefore: Int
  /// Nanoseconds in all, until it was last judged.
  var total: Int64 = 0
  /// When the sum last came to the subject's `stall`.
  var judged: Int64?
  /// When the host was last notified.
  var notified: Int64?

  init(published: Int) { publishedBefore = published }
}

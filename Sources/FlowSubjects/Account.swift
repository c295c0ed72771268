/// What is kept for one connection besides its input and output: values that wait for credit or for
/// demand, and answers that wait for others.
///
/// Whoever keeps something adds it, and takes it off when that has gone. There is one for a
/// connection; it outlives that as long as what it sent is still to go out.
package final class Account {
  /// The most it may hold.
  package let limit: Int
  package var bytes: Int { held }
  private var held = 0

  package init(limit: Int) { self.limit = limit }

  /// Whether so many bytes more may be kept; something always may.
  package func hasRoom(for count: Int) -> Bool { held == 0 || held + count <= limit }

  package func add(_ count: Int) { held += count }

  package func remove(_ count: Int) { held -= count }
}

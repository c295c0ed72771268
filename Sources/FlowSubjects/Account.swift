/// Counts the bytes kept for one connection, besides its input and output.
///
/// These are values that wait for credit or demand, and answers that wait for others. Lives until
/// everything that the connection sent has gone out.
package final class Account {
  package let limit: Int
  package var bytes: Int { held }
  private var held = 0

  package init(limit: Int) { self.limit = limit }

  /// Whether `count` more bytes may be kept; always true if nothing is kept.
  package func hasRoom(for count: Int) -> Bool { held == 0 || held + count <= limit }

  package func add(_ count: Int) { held += count }

  package func remove(_ count: Int) { held -= count }
}

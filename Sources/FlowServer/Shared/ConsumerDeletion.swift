internal import FlowNATS

/// Deletes the consumers of ended runs until NATS no longer lists them.
///
/// Delivered values are purged first; otherwise the next consumer would read them again.
final class ConsumerDeletion {
  // memory 3
  @safe private unowned(unsafe) let shared: SharedSubject
  /// The prefixes of the consumers' names.
  private var prefixes: Set<String> = []
  private var isUnderWay = false

  init(_ shared: SharedSubject) { self.shared = shared }

  func add(_ prefix: String) {
    prefixes.insert(prefix)
    resume()
  }

  func resume() {
    guard shared.stream != nil, !prefixes.isEmpty, !isUnderWay else { return }
    isUnderWay = true
    shared.room.look { [weak self] rows in
      guard let self else { return }
      if let rows {
        prefixes = prefixes.filter { prefix in rows.contains { $0.isOne(of: prefix) } }
        for row in rows where prefixes.contains(where: row.isOne) {
          shared.delete(consumer: row.name)
        }
      }
      shared.shared.after(Self.pause) { [weak self] in
        self?.isUnderWay = false
        self?.resume()
      }
    }
  }

  /// How long to wait before NATS is asked again, in nanoseconds.
  private static let pause: Int64 = 500_000_000
}

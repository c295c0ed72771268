/// Whether the output is paused, and the items received meanwhile, up to a limit.
struct HeldItems {
  private static let most = 1_048_576

  var isPaused = false
  private var items: [ReplInbox.Item] = []
  private(set) var values = 0
  private var bytes = 0

  /// Whether the limit is reached.
  var isFull: Bool { bytes > Self.most }

  mutating func add(_ item: ReplInbox.Item) {
    items.append(item)
    bytes += item.bytes + 64
    if case .value = item { values += 1 }
  }

  /// Ends the pause; returns the items.
  mutating func resume() -> [ReplInbox.Item] {
    defer { self = HeldItems() }
    return items
  }
}

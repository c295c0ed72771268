/// The items that came while the output was paused, up to a bound.
struct HeldItems {
  private static let most = 1_048_576

  private(set) var items: [ReplInbox.Item] = []
  private(set) var values = 0
  private var bytes = 0

  /// Whether no more is to be taken in.
  var isFull: Bool { bytes > Self.most }

  mutating func add(_ item: ReplInbox.Item) {
    items.append(item)
    bytes += item.bytes + 64
    if case .value = item { values += 1 }
  }

  /// Removes and returns all items.
  mutating func removeAll() -> [ReplInbox.Item] {
    defer { self = HeldItems() }
    return items
  }
}

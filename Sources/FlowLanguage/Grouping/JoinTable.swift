import FlowCore

/// The values of two publishers that may still find a partner, by their keys and by their age.
///
/// All that are kept are kept for the same time, so the first that came is the first to go, and the
/// first of its key.
struct JoinTable {
  enum Side: Int {
    case left, right

    var other: Side { self == .left ? .right : .left }
  }

  /// A value that is kept.
  final class Entry {
    let value: Value
    let key: Key
    /// When it is too old.
    let due: Int64
    /// Whether it has found a partner.
    fileprivate(set) var isMatched: Bool

    init(value: Value, key: Key, due: Int64, isMatched: Bool) {
      self.value = value
      self.key = key
      self.due = due
      self.isMatched = isMatched
    }
  }

  /// The values of one publisher.
  private struct Values {
    var all = Fifo<Entry>()
    var byKey: [Key: Fifo<Entry>] = [:]

    mutating func popFirst() -> Entry? {
      guard let entry = all.popFirst() else { return nil }
      _ = byKey[entry.key]?.popFirst()
      if byKey[entry.key]?.isEmpty ?? false { byKey[entry.key] = nil }
      return entry
    }
  }

  private var sides = [Values(), Values()]

  /// How many values there are.
  var count: Int { sides[0].all.count + sides[1].all.count }

  /// When the next of them is too old.
  var nextDue: Int64? { sides.compactMap { $0.all.first?.due }.min() }

  func isEmpty(_ side: Side) -> Bool { sides[side.rawValue].all.isEmpty }

  mutating func add(_ entry: Entry, to side: Side) {
    sides[side.rawValue].all.append(entry)
    sides[side.rawValue].byKey[entry.key, default: Fifo()].append(entry)
  }

  /// The values of one publisher that have this key, first come first; they have a partner now.
  mutating func match(_ key: Key, of side: Side) -> [Value] {
    guard let entries = sides[side.rawValue].byKey[key] else { return [] }
    return entries.elements.map { entry in
      entry.isMatched = true
      return entry.value
    }
  }

  /// Takes out the one that came first.
  mutating func popOldest() -> Entry? {
    let (left, right) = (sides[0].all.first?.due ?? .max, sides[1].all.first?.due ?? .max)
    return sides[left <= right && !sides[0].all.isEmpty ? 0 : 1].popFirst()
  }

  /// Takes out all that are too old at `now`.
  mutating func removeAll(until now: Int64) -> [Entry] {
    var old: [Entry] = []
    for side in sides.indices {
      while let due = sides[side].all.first?.due, due <= now, let entry = sides[side].popFirst() {
        old.append(entry)
      }
    }
    return old
  }

  /// Takes out all of one publisher.
  mutating func removeAll(of side: Side) -> [Entry] {
    defer { sides[side.rawValue] = Values() }
    return Array(sides[side.rawValue].all.elements)
  }
}

/// A dictionary that finds what was used last, which is most likely used next, without hashing.
@usableFromInline
package struct RecentTable<Key: Hashable, Value> {
  @usableFromInline var entries: [Key: Value] = [:]
  @usableFromInline var last: (key: Key, value: Value)?

  @inlinable
  package init() {}

  @inlinable
  package subscript(key: Key) -> Value? {
    mutating get {
      if let last, last.key == key { return last.value }
      guard let value = entries[key] else { return nil }
      last = (key, value)
      return value
    }
    set {
      entries[key] = newValue
      last = newValue.map { (key, $0) }
    }
  }

  package var count: Int { entries.count }

  /// Takes out what `key` leads to.
  @inlinable
  package mutating func removeValue(forKey key: Key) -> Value? {
    if let last, last.key == key { self.last = nil }
    return entries.removeValue(forKey: key)
  }
}

extension RecentTable where Key: Comparable {
  /// All values, by ascending keys.
  package var values: [Value] { entries.sorted { $0.key < $1.key }.map(\.value) }
}

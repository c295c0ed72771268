package import FlowLanguage

/// The last values of a subject that keeps some, numbered from 0 since it began.
package struct ReplayBuffer {
  private let limit: Int
  private var ring: [Value] = []
  /// The place of the oldest.
  private var head = 0
  package private(set) var count = 0
  /// The number of the oldest value still kept.
  package private(set) var start: UInt64 = 0
  /// What they take in memory.
  package private(set) var bytes = 0

  /// A buffer whose first value will have the number `start`.
  package init(limit: Int, from start: UInt64 = 0) {
    self.limit = limit
    self.start = start
  }

  /// The number that the next value will have.
  package var end: UInt64 { start + UInt64(count) }

  package subscript(number: UInt64) -> Value { ring[(head + Int(number - start)) % ring.count] }

  package mutating func append(_ value: Value) {
    if count == limit { dropFirst() }
    bytes += value.footprint
    if count == ring.count {
      if head > 0 { ring = Array(ring[head...] + ring[..<head]) }
      head = 0
      ring.append(value)
    } else {
      ring[(head + count) % ring.count] = value
    }
    count += 1
  }

  /// Forgets the oldest value, of which there is one.
  package mutating func dropFirst() {
    bytes -= ring[head].footprint
    ring[head] = .null
    head = (head + 1) % ring.count
    start += 1
    count -= 1
  }

  /// Forgets the oldest values until there are no more than so many bytes; returns how many went.
  package mutating func dropFirst(downTo least: Int) -> Int {
    let before = (count: count, bytes: bytes)
    var old: [Value] = []
    while count > 0, bytes > least {
      old.append(ring[head])
      dropFirst()
    }
    Disposal.take(old, bytes: before.bytes - bytes)
    return before.count - count
  }

  /// Lets go of all values.
  package consuming func letGo() { Disposal.take(ring, bytes: bytes) }
}

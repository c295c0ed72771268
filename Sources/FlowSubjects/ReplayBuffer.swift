package import FlowLanguage

/// The last values of a subject, numbered from 0 since the subject began.
package struct ReplayBuffer {
  private let limit: Int
  private var ring: [Value] = []
  /// The index of the oldest value.
  private var head = 0
  package private(set) var count = 0
  /// The number of the oldest kept value.
  package private(set) var start: UInt64 = 0
  /// The memory of the values.
  package private(set) var bytes = 0

  /// Makes a buffer whose first value gets the number `start`.
  package init(limit: Int, from start: UInt64 = 0) {
    self.limit = limit
    self.start = start
  }

  /// The number of the next value.
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

  /// Drops the oldest value; the buffer must not be empty.
  package mutating func dropFirst() {
    bytes -= ring[head].footprint
    ring[head] = .null
    head = (head + 1) % ring.count
    start += 1
    count -= 1
  }

  /// Drops the oldest values until `bytes` is at most `least`; returns how many.
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

  /// Frees all values, a large buffer on another thread.
  package consuming func letGo() { Disposal.take(ring, bytes: bytes) }
}

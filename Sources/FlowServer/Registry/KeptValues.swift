internal import FlowLanguage

/// The last values of a subject that keeps some, numbered from 0 since it began.
struct KeptValues {
  private let limit: Int
  private var ring: [Value] = []
  /// The number of the oldest value still kept.
  private(set) var start: UInt64 = 0

  init(limit: Int) { self.limit = limit }

  /// The number that the next value will have.
  var end: UInt64 { start + UInt64(ring.count) }

  subscript(number: UInt64) -> Value {
    // Number n always stands at n modulo the limit, once the ring is full.
    ring[Int(number % UInt64(limit))]
  }

  mutating func append(_ value: Value) {
    guard ring.count == limit else { return ring.append(value) }
    ring[Int(start % UInt64(limit))] = value
    start += 1
  }
}

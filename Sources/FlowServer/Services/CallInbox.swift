internal import FlowLanguage

/// Values of a call that wait for demand.
struct CallInbox {
  private var values: [[UInt8]] = []
  private var head = 0
  private(set) var octets = 0

  var count: Int { values.count - head }

  mutating func append(_ value: UnsafeRawBufferPointer) {
    values.append(Array(value))
    octets += value.count
  }

  mutating func popFirst() -> Value? {
    guard head < values.count else { return nil }
    let value = values[head]
    octets -= value.count
    head += 1
    if head == values.count { removeAll() }
    return value.withUnsafeBytes { Value(octets: $0) }
  }

  mutating func removeAll() {
    values.removeAll()
    head = 0
    octets = 0
  }
}

internal import FlowLanguage

/// Values of a call that wait for demand.
struct CallInbox {
  /// The pipeline that calls: what waits is held for it, whatever becomes of the worker.
  private let holdings: Holdings
  /// The worker's connection, which has sent more than it was asked for.
  var account: Account?
  private var values = Fifo<[UInt8]>()
  private(set) var octets = 0

  init(_ holdings: Holdings) { self.holdings = holdings }

  var count: Int { values.count }

  /// What a value of so many octets takes.
  static func size(_ octets: Int) -> Int { 64 + octets }

  mutating func append(_ value: UnsafeRawBufferPointer) {
    unsafe values.append(Array(value))
    octets += value.count
    account?.add(Self.size(value.count))
    holdings.charge(Self.size(value.count))
  }

  mutating func popFirst() -> Value? {
    guard let value = values.popFirst() else { return nil }
    octets -= value.count
    account?.remove(Self.size(value.count))
    holdings.release(Self.size(value.count))
    return unsafe value.withUnsafeBytes { unsafe Value(octets: $0) }
  }

  mutating func removeAll() {
    while popFirst() != nil {}
  }
}

internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

/// Values of a call that wait for demand.
struct CallInbox {
  /// The pipeline that calls: what waits is held for it, whatever becomes of the worker.
  let memoryBudget: MemoryBudget
  /// The worker's connection, which has sent more than it was asked for.
  var account: Account?
  private var values = Fifo<[UInt8]>()
  private(set) var bytes = 0

  init(_ memoryBudget: MemoryBudget) { self.memoryBudget = memoryBudget }

  var count: Int { values.count }

  /// What a value of so many bytes takes.
  static func size(_ bytes: Int) -> Int { 64 + bytes }

  mutating func append(_ value: UnsafeRawBufferPointer) {
    unsafe values.append(Array(value))
    bytes += value.count
    account?.add(Self.size(value.count))
    memoryBudget.charge(Self.size(value.count))
  }

  mutating func popFirst() -> Value? {
    guard let value = values.popFirst() else { return nil }
    bytes -= value.count
    account?.remove(Self.size(value.count))
    memoryBudget.release(Self.size(value.count))
    return unsafe value.withUnsafeBytes { unsafe Value(bytes: $0) }
  }

  mutating func removeAll() {
    while popFirst() != nil {}
  }
}

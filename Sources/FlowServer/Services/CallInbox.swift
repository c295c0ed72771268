internal import FlowCore
internal import FlowLanguage
internal import FlowSubjects

struct CallInbox {
  /// The budget of the calling pipeline, for which the values wait.
  let memoryBudget: MemoryBudget
  /// The account of the worker's connection, which sent more than was requested.
  var account: Account?
  private var values = Fifo<[UInt8]>()
  private(set) var bytes = 0

  init(_ memoryBudget: MemoryBudget) { self.memoryBudget = memoryBudget }

  var count: Int { values.count }

  /// The memory of a value of `bytes` bytes.
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

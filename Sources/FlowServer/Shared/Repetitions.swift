/// What publishers have stored a second time, since they did not hear of the first.
///
/// NATS knows repetitions itself, for two minutes; this is for what slips through at a change of
/// leader. The numbers of one process's messages grow.
struct Repetitions {
  private var highest: [String: UInt64] = [:]
  /// The batch that is passed over.
  private var skipped: [UInt8] = []
  private(set) var count = 0

  /// Whether the value that comes now was there before; only for values that a Flow server sent.
  mutating func isOne(
    message: UnsafeRawBufferPointer?,
    batch: UnsafeRawBufferPointer?,
    isOfFlow: Bool
  ) -> Bool {
    guard let message = unsafe message else {
      guard let batch = unsafe batch, !skipped.isEmpty, unsafe batch.elementsEqual(skipped) else {
        return false
      }
      count += 1
      return true
    }
    if !skipped.isEmpty { skipped = [] }
    guard isOfFlow, let dot = unsafe message.lastIndex(of: 0x2E),
      let number = unsafe UInt64(
        String(decoding: UnsafeRawBufferPointer(rebasing: message[(dot + 1)...]), as: UTF8.self)
      )
    else { return false }
    let epoch = unsafe String(
      decoding: UnsafeRawBufferPointer(rebasing: message[..<dot]),
      as: UTF8.self
    )
    if let before = highest[epoch], number <= before {
      if let batch = unsafe batch { skipped = unsafe Array(batch) }
      count += 1
      return true
    }
    // More processes than there can be publish into one subject: some were not Flow.
    if highest.count >= Self.most { highest.removeAll() }
    highest[epoch] = number
    return false
  }

  /// What comes now is read from another place on, perhaps for a second time.
  mutating func beginAnew() {
    highest = [:]
    skipped = []
  }

  private static let most = 4096
}

/// Finds values that publishers stored twice because the first answer was lost.
///
/// NATS itself finds repetitions within two minutes; this covers changes of its leader. It relies
/// on ascending message numbers for each process.
struct Repetitions {
  private var highest: [String: UInt64] = [:]
  /// The batch that is being skipped.
  private var skipped: [UInt8] = []
  private(set) var count = 0

  /// Whether the value is a repetition; only for values from Flow servers.
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
    // So many processes cannot exist; some publishers were not Flow servers.
    if highest.count >= Self.most { highest.removeAll() }
    highest[epoch] = number
    return false
  }

  /// Starts again, because the next values may have been read before.
  mutating func beginAnew() {
    highest = [:]
    skipped = []
  }

  private static let most = 4096
}

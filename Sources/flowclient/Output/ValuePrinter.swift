/// Collects the values of one received chunk and writes them out together.
struct ValuePrinter {
  private(set) var printed: UInt64 = 0
  private let surroundings: any Surroundings
  private let format: ValueFormat
  private var buffer: [UInt8] = []
  /// One clock reading serves the values of a chunk.
  private var time: String?

  init(_ session: ClientSession) {
    surroundings = session.surroundings
    format = session.format
  }

  mutating func print(_ payload: UnsafeRawBufferPointer) {
    printed += 1
    if time == nil, format.needsTime { time = WallClock.now() }
    unsafe format.append(payload, number: printed, time: time ?? "", to: &buffer)
    if buffer.count >= 64 * 1024 { flush() }
  }

  /// Writes what was collected; waits while standard output does not take it.
  mutating func flush() {
    time = nil
    guard !buffer.isEmpty else { return }
    unsafe buffer.withUnsafeBytes(surroundings.writeOutput)
    buffer.removeAll(keepingCapacity: true)
  }
}

/// Collects the values of one received chunk and writes them out together.
struct ValuePrinter {
  private(set) var printed: UInt64 = 0
  private let surroundings: any Surroundings
  private let format: ValueFormat
  /// Whether what is made of values goes to a terminal.
  private let escapes: Bool
  private var state = ValueFormat.State()
  private var buffer: [UInt8] = []
  /// The time of the chunk's values, read once.
  private var time: String?

  init(_ session: ClientSession) {
    surroundings = session.surroundings
    format = session.format
    escapes = format.form.isComposed && surroundings.outputIsTerminal
  }

  var remarks: [String] { state.remarks }

  mutating func print(_ payload: UnsafeRawBufferPointer) {
    printed += 1
    if time == nil, format.needsTime { time = WallClock.now() }
    let start = buffer.count
    unsafe format.append(payload, number: printed, time: time ?? "", &state, to: &buffer)
    if escapes { makeVisible(from: start) }
    if buffer.count >= 64 * 1024 { flush() }
  }

  /// Leaves nothing in the lines from `start` on that a terminal would obey.
  private mutating func makeVisible(from start: Int) {
    let lines = buffer[start...].split(separator: 10, omittingEmptySubsequences: false)
    buffer.removeSubrange(start...)
    for (number, line) in lines.enumerated() {
      if number > 0 { buffer.append(10) }
      unsafe line.withUnsafeBytes { unsafe ValueFormat.appendVisibly($0, to: &buffer) }
    }
  }

  /// Writes what was collected; waits while standard output does not take it.
  mutating func flush() {
    time = nil
    guard !buffer.isEmpty else { return }
    unsafe buffer.withUnsafeBytes(surroundings.writeOutput)
    buffer.removeAll(keepingCapacity: true)
  }
}

internal import FlowHTTP
internal import FlowWire

/// Splits a session's output into WebSocket messages: lines, and payloads of counted frames.
struct MessageSplitter {
  private var decoder = FrameDecoder(limits: FrameLimits(line: .max, value: .max, skip: .max))
  /// How many bytes came before the next message.
  private var position = 0
  /// The position from which all output is a TAIL's payloads, one a line.
  private var rawStart = Int.max

  struct Message: Equatable {
    /// The head of a counted frame, sent as a text message before `bytes`.
    var head: String?
    let isText: Bool
    let bytes: Range<Int>
    let end: Int
  }

  /// Treats everything from `position` on as lines of a TAIL.
  mutating func beginRaw(at position: Int) { rawStart = position }

  /// Returns the message at `start`, if it is complete.
  mutating func next(_ buffer: UnsafeRawBufferPointer, _ start: Int) -> Message? {
    var end = start
    var value: (id: StreamID, payload: Range<Int>)?
    if position < rawStart {
      switch unsafe decoder.next(buffer, &end) {
      case .incomplete, .broken: return nil
      case .line, .send, .refused: break
      case .value(let id, let payload): value = (StreamID(rawValue: id), payload)
      case .callValue(let id, let payload): value = (id, payload)
      }
    } else {
      guard let lineFeed = unsafe buffer[start...].firstIndex(of: 0x0A) else { return nil }
      end = lineFeed + 1
    }
    position += end - start
    let line = start..<(end - 1)
    let isCounted = unsafe value != nil && buffer[start] == UInt8(ascii: ":")
    let isText = unsafe !isCounted && HTTPText.isUTF8(.init(rebasing: buffer[line]))
    guard !isText, let value else { return Message(isText: isText, bytes: line, end: end) }
    // Text must be UTF-8, and a value may not be, so `= ID VALUE` becomes a counted frame.
    let bytes = isCounted ? value.payload : value.payload.lowerBound..<line.upperBound
    let head = ": \(value.id) \(bytes.count)"
    return Message(head: head, isText: false, bytes: bytes, end: end)
  }
}

internal import FlowHTTP
internal import FlowWire

/// Takes apart what a session says: lines, and the payloads of counted frames.
struct MessageSplitter {
  /// How long the payload is that comes next; `nil` where a line does.
  private var payload: Int?
  /// From where on all that comes are payloads in lines, as TAIL has them.
  private var rawStart: Int?
  /// How many bytes came before the next message.
  private var position = 0
  /// How much of a line was looked through for its end.
  private var searched = 0

  struct Message: Equatable {
    /// What goes in front of it as a text; it stands for bytes that would be none.
    var head: String?
    var isText: Bool
    var bytes: Range<Int>
    /// Where the next one begins.
    let end: Int
  }

  /// Everything from the byte `position` on is lines of a TAIL.
  mutating func beginRaw(at position: Int) { rawStart = position }

  /// The message that begins at `start`, if all of it is there.
  mutating func next(_ buffer: UnsafeRawBufferPointer, _ start: Int) -> Message? {
    if let count = payload {
      guard buffer.count - start > count else { return nil }
      payload = nil
      position += count + 1
      return Message(isText: false, bytes: start..<(start + count), end: start + count + 1)
    }
    guard let end = unsafe buffer[(start + searched)...].firstIndex(of: 0x0A) else {
      searched = buffer.count - start
      return nil
    }
    searched = 0
    let isRaw = rawStart.map { position >= $0 } ?? false
    position += end + 1 - start
    let line = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<end])
    var message = Message(isText: true, bytes: start..<end, end: end + 1)
    if unsafe !UTF8Check.isUTF8(line) {
      message.isText = false
      if !isRaw { unsafe count(line, start, &message) }
    } else if !isRaw {
      payload = unsafe FrameDecoder.announcedLength(line)
    }
    return message
  }

  /// A text message has to be UTF-8, which a value need not be: `= ID VALUE` becomes a counted frame.
  private func count(_ line: UnsafeRawBufferPointer, _ start: Int, _ message: inout Message) {
    guard unsafe line.starts(with: [0x3D, 0x20]),
      let space = unsafe line.dropFirst(2).firstIndex(of: 0x20)
    else { return }
    let id = unsafe String(decoding: line[2..<space], as: UTF8.self)
    message.head = ": \(id) \(line.count - space - 1)"
    message.bytes = (start + space + 1)..<message.bytes.upperBound
  }
}

/// Takes apart what a session says: lines, and the payloads of counted frames.
struct MessageSplitter {
  /// How long the payload is that comes next; `nil` where a line does.
  private var payload: Int?
  /// Whether all that comes are payloads in lines, as TAIL has them.
  private var isTail = false
  /// How much of a line was looked through for its end.
  private var searched = 0

  struct Message {
    let isText: Bool
    let bytes: Range<Int>
    /// Where the next one begins.
    let end: Int
  }

  /// The browser says a command.
  mutating func noteCommand(_ line: [UInt8]) {
    guard !isTail else { return }
    var words = String(decoding: line.prefix(200), as: UTF8.self).split(separator: " ")[...]
    if words.first?.hasPrefix("@") == true { words = words.dropFirst() }
    isTail = words.first?.uppercased() == "TAIL"
  }

  /// The message that begins at `start`, if all of it is there.
  mutating func next(_ buffer: UnsafeRawBufferPointer, _ start: Int) -> Message? {
    if let count = payload {
      guard buffer.count - start > count else { return nil }
      payload = nil
      return Message(isText: false, bytes: start..<(start + count), end: start + count + 1)
    }
    guard let end = unsafe buffer[(start + searched)...].firstIndex(of: 0x0A) else {
      searched = buffer.count - start
      return nil
    }
    searched = 0
    let line = unsafe buffer[start..<end]
    // `: ID LENGTH`
    if !isTail, unsafe line.starts(with: [0x3A, 0x20]), let space = unsafe line.lastIndex(of: 0x20)
    {
      payload = unsafe Int(String(decoding: line[(space + 1)...], as: UTF8.self))
    }
    return Message(isText: true, bytes: start..<end, end: end + 1)
  }
}

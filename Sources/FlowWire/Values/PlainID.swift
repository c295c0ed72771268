/// Reads an id, `5` or `5.17`, as programs write it, without making a string.
struct PlainID {
  let id: StreamID
  /// Where what follows the id begins.
  let end: Int

  init?(in line: UnsafeRawBufferPointer, from start: Int) {
    guard let (stream, end) = unsafe Self.number(in: line, from: start), stream <= StreamID.largest
    else {
      return nil
    }
    guard end < line.count, unsafe line[end] == .dot else {
      id = StreamID(rawValue: stream)
      self.end = end
      return
    }
    guard let (call, callEnd) = unsafe Self.number(in: line, from: end + 1),
      1...StreamID.largest ~= call
    else { return nil }
    id = StreamID(service: stream, call: call)
    self.end = callEnd
  }

  /// A number of at most 18 digits and where it ends.
  static func number(
    in line: UnsafeRawBufferPointer,
    from start: Int
  ) -> (UInt64, end: Int)? {
    var number: UInt64 = 0
    var place = start
    while place < line.count, unsafe line[place].isDigit {
      number = unsafe number &* 10 &+ UInt64(line[place] &- 0x30)
      place += 1
    }
    return 1...18 ~= place - start ? (number, place) : nil
  }
}

/// `REQ ID N|max` as programs write it: upper case, single blanks, no tag, more than zero.
///
/// It may come once for every value, so it is read here without making a string; any other
/// spelling takes the long way and means the same.
struct PlainRequest {
  let id: StreamID
  let demand: Demand

  init?(_ line: UnsafeRawBufferPointer) {
    let verb: UInt32 = 0x2051_4552  // "REQ "
    guard line.count >= 7, line.loadUnaligned(as: UInt32.self).littleEndian == verb,
      let (id, end) = Self.number(in: line, from: 4), id <= StreamID.largest,
      end < line.count, line[end] == .space
    else { return nil }
    self.id = StreamID(rawValue: id)
    if let (count, end) = Self.number(in: line, from: end + 1) {
      guard end == line.count, count > 0 else { return nil }
      demand = .max(count)
    } else {
      guard line[(end + 1)...].elementsEqual("max".utf8) else { return nil }
      demand = .unlimited
    }
  }

  /// A number of at most 18 digits and where it ends.
  private static func number(
    in line: UnsafeRawBufferPointer,
    from start: Int
  ) -> (UInt64, end: Int)? {
    var number: UInt64 = 0
    var place = start
    while place < line.count, line[place].isDigit {
      number = number &* 10 &+ UInt64(line[place] &- 0x30)
      place += 1
    }
    return 1...18 ~= place - start ? (number, place) : nil
  }
}

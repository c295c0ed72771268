/// `REQ ID N|max` as programs write it: upper case, single blanks, no tag, more than zero.
///
/// It may come once for every value, so it is read here without making a string; any other
/// spelling takes the long way and means the same.
struct PlainRequest {
  let id: StreamID
  let demand: Demand

  init?(_ line: UnsafeRawBufferPointer) {
    let verb: UInt32 = 0x2051_4552  // "REQ "
    guard line.count >= 7, unsafe line.loadUnaligned(as: UInt32.self).littleEndian == verb,
      let field = unsafe PlainID(in: line, from: 4), field.end < line.count,
      unsafe line[field.end] == .space
    else { return nil }
    id = field.id
    if let (count, end) = unsafe PlainID.number(in: line, from: field.end + 1) {
      guard end == line.count, count > 0 else { return nil }
      demand = .max(count)
    } else {
      guard unsafe line[(field.end + 1)...].elementsEqual("max".utf8) else { return nil }
      demand = .unlimited
    }
  }
}

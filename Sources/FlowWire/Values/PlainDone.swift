/// `DONE ID` as programs write it: upper case, a single blank, no tag.
///
/// It comes once for every call, so it is read here without making a string; any other spelling
/// takes the long way and means the same.
struct PlainDone {
  let id: StreamID

  init?(_ line: UnsafeRawBufferPointer) {
    let verb: UInt32 = 0x454E_4F44  // "DONE"
    guard line.count >= 6, unsafe line.loadUnaligned(as: UInt32.self).littleEndian == verb,
      unsafe line[4] == .space, let field = unsafe PlainID(in: line, from: 5),
      field.end == line.count
    else { return nil }
    id = field.id
  }
}

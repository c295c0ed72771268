// Reads REQ and DONE in capitals, with single blanks and no tag, without allocating a string: REQ may
// come for every value and DONE for every call. Other spellings take the general parser.

/// `REQ ID N|max`, where N is above zero.
struct PlainRequest {
  let id: StreamID
  let demand: Demand

  init?(_ line: UnsafeRawBufferPointer) {
    let verb: UInt32 = 0x2051_4552  // "REQ "
    guard line.count >= 7, unsafe line.loadUnaligned(as: UInt32.self).littleEndian == verb,
      let space = unsafe line[4...].firstIndex(of: .space),
      let id = unsafe StreamID(UnsafeRawBufferPointer(rebasing: line[4..<space]))
    else { return nil }
    let count = unsafe UnsafeRawBufferPointer(rebasing: line[(space + 1)...])
    self.id = id
    if let number = unsafe UInt64(decimal: count) {
      guard number > 0 else { return nil }
      demand = .max(number)
    } else {
      guard unsafe count.elementsEqual("max".utf8) else { return nil }
      demand = .unlimited
    }
  }
}

struct PlainDone {
  let id: StreamID

  init?(_ line: UnsafeRawBufferPointer) {
    let verb: UInt32 = 0x454E_4F44  // "DONE"
    guard line.count >= 6, unsafe line.loadUnaligned(as: UInt32.self).littleEndian == verb,
      unsafe line[4] == .space,
      let id = unsafe StreamID(UnsafeRawBufferPointer(rebasing: line[5...]))
    else { return nil }
    self.id = id
  }
}

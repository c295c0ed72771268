/// The head of a client's frame.
struct WebSocketFrame: Sendable {
  let opcode: WebSocketOpcode
  let isFinal: Bool
  let length: Int
  /// The first byte of the key is the lowest.
  private let mask: UInt32
  /// The number of bytes of the payload that have arrived.
  private(set) var received = 0

  /// The longest payload of a frame that is no part of a message.
  private static let longestControl = 125

  /// Reads the header at `bytes[offset...]` and moves `offset` past it; nil while it is incomplete.
  ///
  /// What is wrong is found as soon as its byte is there; a message that is too long, before any
  /// of its data comes. `room` is how many bytes the message may still have, and a message is open
  /// when it has begun and not ended. Bytes are read during the call only: memory 8.
  init?(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int,
    room: Int,
    isMessageOpen: Bool
  ) throws(WebSocketFailure) {
    var place = offset + 2
    guard bytes.count >= place else { return nil }
    let (first, second) = unsafe (bytes[offset], bytes[offset + 1])
    guard first & 0x70 == 0 else { throw WebSocketFailure("a reserved bit is set") }
    guard let opcode = WebSocketOpcode(rawValue: first & 0x0F) else {
      throw WebSocketFailure("the opcode \(first & 0x0F) is reserved")
    }
    guard second & 0x80 != 0 else { throw WebSocketFailure("a frame is not masked") }
    self.opcode = opcode
    isFinal = first & 0x80 != 0
    if opcode.isControl, !isFinal { throw WebSocketFailure("a control frame is fragmented") }
    if opcode == .continuation, !isMessageOpen {
      throw WebSocketFailure("a frame continues a message that has not begun")
    }
    if !opcode.isControl, opcode != .continuation, isMessageOpen {
      throw WebSocketFailure("a message begins before the last one has ended")
    }
    var length = UInt64(second & 0x7F)
    if opcode.isControl, length > Self.longestControl {
      throw WebSocketFailure("a control frame has more than \(Self.longestControl) bytes")
    }
    if length >= 126 {
      let digits = length == 126 ? 2 : 8
      guard bytes.count >= place + digits else { return nil }
      length = 0
      for index in place..<place + digits { length = unsafe length << 8 | UInt64(bytes[index]) }
      place += digits
      // RFC 6455, section 5.2: a length must be in the shortest form that can hold it.
      guard length >= (digits == 2 ? 126 : 0x1_0000) else {
        throw WebSocketFailure("the length of a frame is not in its shortest form")
      }
    }
    guard length >> 63 == 0 else { throw WebSocketFailure("the length of a frame has 64 bits") }
    if !opcode.isControl, length > UInt64(room) {
      throw WebSocketFailure(WebSocketClose.tooLong, "the message is longer than is allowed here")
    }
    guard bytes.count >= place + 4 else { return nil }
    self.length = Int(length)
    mask = unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self))
    offset = place + 4
  }

  var isComplete: Bool { received == length }

  /// Moves what has come of the payload to the end of `payload`, without its mask, and moves
  /// `offset` past it.
  mutating func take(
    _ bytes: UnsafeRawBufferPointer,
    _ offset: inout Int,
    into payload: inout [UInt8]
  ) {
    let count = min(bytes.count - offset, length - received)
    guard count > 0 else { return }
    let start = payload.count
    unsafe payload.append(
      contentsOf: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    )
    unsafe payload.withUnsafeMutableBytes { unsafe unmask($0, from: start) }
    received += count
    offset += count
  }

  private func unmask(_ payload: UnsafeMutableRawBufferPointer, from start: Int) {
    // The key twice, turned so that its first byte is for the first one that has come.
    let turn = UInt64(received % 4 * 8)
    var key = UInt64(mask) << 32 | UInt64(mask)
    key = key >> turn | key << ((64 - turn) % 64)
    var place = start
    while place + 8 <= payload.count {
      let word = unsafe payload.loadUnaligned(fromByteOffset: place, as: UInt64.self)
      unsafe payload.storeBytes(of: word ^ key.littleEndian, toByteOffset: place, as: UInt64.self)
      place += 8
    }
    while place < payload.count {
      unsafe payload[place] ^= UInt8(truncatingIfNeeded: key)
      key >>= 8
      place += 1
    }
  }
}

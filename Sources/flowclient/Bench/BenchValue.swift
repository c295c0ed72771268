/// The head of a bench's value: its sender, its number, and when it was due.
///
/// It is text without line ends, blanks and quotes: six bits a byte, from `0` to `o`. The first 16
/// bytes hold the sender, the low 32 bits of its number, and when the value was due. Where there
/// is room for 24, the last 8 tell how much later than due it was sent. The rest is filler.
struct BenchValue: Equatable {
  /// The least bytes of a value.
  static let shortest = 16
  /// The least bytes of a value that tells when it was sent, besides when it was due.
  static let shortestPaced = 24
  /// Senders are numbers below this.
  static let mostSenders: UInt32 = 1 << 24

  var sender: UInt32
  var number: UInt32
  var due: BenchTime
  var lateness: UInt64 = 0

  init(sender: UInt32, number: UInt32, due: BenchTime, lateness: UInt64 = 0) {
    self.sender = sender
    self.number = number
    self.due = due
    self.lateness = lateness
  }

  /// Reads a payload; `nil` if no bench has sent it.
  @inline(__always)
  init?(_ payload: UnsafeRawBufferPointer) {
    guard payload.count >= Self.shortest, let base = payload.baseAddress,
      let first = unsafe SixBits.number(base.loadUnaligned(as: UInt64.self)),
      let second = unsafe SixBits.number(base.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    else { return nil }
    number = UInt32(truncatingIfNeeded: first)
    sender = UInt32(truncatingIfNeeded: first >> 32 | (second >> 40) << 16)
    due = BenchTime(ticks: second)
    guard payload.count >= Self.shortestPaced else { return }
    guard
      let third = unsafe SixBits.number(base.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    else { return nil }
    lateness = third
  }

  /// Writes it to where a payload of `size` bytes begins.
  @inline(__always)
  func write(to payload: UnsafeMutableRawPointer, size: Int) {
    let first = UInt64(number) | UInt64(sender & 0xFFFF) << 32
    let second = due.ticks | UInt64(sender >> 16) << 40
    unsafe payload.storeBytes(of: SixBits.text(first), as: UInt64.self)
    unsafe payload.storeBytes(of: SixBits.text(second), toByteOffset: 8, as: UInt64.self)
    if size >= Self.shortestPaced {
      let third = SixBits.text(min(lateness, 1 << 48 - 1))
      unsafe payload.storeBytes(of: third, toByteOffset: 16, as: UInt64.self)
    }
  }
}

/// A moment, in steps of 16 ns, modulo 2^40: differences of up to two hours can be told.
struct BenchTime: Equatable {
  private static let mask: UInt64 = 1 << 40 - 1
  let ticks: UInt64

  init(ticks: UInt64) { self.ticks = ticks & Self.mask }

  init(nanoseconds: UInt64) { self.init(ticks: nanoseconds >> 4) }

  /// Nanoseconds from `earlier` to this moment; negative if it is later.
  @inline(__always)
  func since(_ earlier: BenchTime) -> Int64 {
    (Int64(bitPattern: (ticks &- earlier.ticks) << 24) >> 24) << 4
  }
}

/// 48 bits as 8 bytes of text, the low bits first.
enum SixBits {
  @inline(__always)
  static func text(_ number: UInt64) -> UInt64 {
    var spread = number & 0xFF_FFFF | (number & 0xFFFF_FF00_0000) << 8
    spread = spread & 0x0000_0FFF_0000_0FFF | (spread & 0x00FF_F000_00FF_F000) << 4
    spread = spread & 0x003F_003F_003F_003F | (spread & 0x0FC0_0FC0_0FC0_0FC0) << 2
    return (spread + 0x3030_3030_3030_3030).littleEndian
  }

  /// `nil` if a byte is none of `text`'s.
  @inline(__always)
  static func number(_ text: UInt64) -> UInt64? {
    let bytes = text.littleEndian &+ 0x1010_1010_1010_1010
    guard bytes & 0xC0C0_C0C0_C0C0_C0C0 == 0x4040_4040_4040_4040 else { return nil }
    var number = bytes & 0x3F3F_3F3F_3F3F_3F3F
    number = number & 0x003F_003F_003F_003F | (number & 0x3F00_3F00_3F00_3F00) >> 2
    number = number & 0x0000_0FFF_0000_0FFF | (number & 0x0FFF_0000_0FFF_0000) >> 4
    return number & 0xFF_FFFF | (number & 0xFF_FFFF_0000_0000) >> 8
  }
}

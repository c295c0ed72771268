/// Bytes behind which there are some more that are 0.
///
/// So who reads them as JSON need not ask where they end: what ends a text too early is no JSON, as a
/// 0 is nowhere in it. They have to outlive it.
@safe  // memory 8
struct PaddedText {
  let start: UnsafePointer<UInt8>
  /// How many bytes there are, without the padding.
  let count: Int
  /// Whether all are ASCII.
  let isASCII: Bool

  /// So many bytes behind the last can be read.
  static let padding = 16

  /// The first place behind the bytes.
  var end: UnsafePointer<UInt8> { unsafe start + count }

  /// The bytes.
  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: start, count: count) }

  /// Copies `bytes` to `place`, with the padding behind them.
  @inline(__always)
  init(copying bytes: UnsafeRawBufferPointer, to place: UnsafeMutablePointer<UInt8>) {
    let end = unsafe UnsafeMutableRawPointer(place) + bytes.count
    var units = SIMD2<UInt64>()
    if var source = bytes.baseAddress, bytes.count >= 16 {
      let last = unsafe source + bytes.count - 16
      var target = UnsafeMutableRawPointer(place)
      while unsafe source < last {
        units |= unsafe Self.step(from: source, to: target)
        unsafe source += 16
        unsafe target += 16
      }
      // Over some bytes once more.
      units |= unsafe Self.step(from: last, to: end - 16)
      unsafe end.storeBytes(of: SIMD2(), as: SIMD2<UInt64>.self)
    } else {
      unsafe UnsafeMutableRawBufferPointer(start: place, count: 16).copyMemory(from: bytes)
      unsafe end.storeBytes(of: SIMD2(), as: SIMD2<UInt64>.self)
      units = unsafe UnsafeRawPointer(place).loadUnaligned(as: SIMD2<UInt64>.self)
    }
    unsafe start = UnsafePointer(place)
    count = bytes.count
    isASCII = (units.x | units.y) & 0x8080_8080_8080_8080 == 0
  }

  /// Copies 16 bytes, and returns them.
  @inline(__always)
  private static func step(
    from source: UnsafeRawPointer,
    to target: UnsafeMutableRawPointer
  ) -> SIMD2<UInt64> {
    let bytes = unsafe source.loadUnaligned(as: SIMD2<UInt64>.self)
    unsafe target.storeBytes(of: bytes, as: SIMD2<UInt64>.self)
    return bytes
  }

  /// Bytes that have padding.
  init(start: UnsafePointer<UInt8>, count: Int, isASCII: Bool) {
    unsafe self.start = unsafe start
    self.count = count
    self.isASCII = isASCII
  }

  /// Gives a copy of `bytes` with padding, for as long as `body` runs.
  static func with<R>(copyOf bytes: UnsafeRawBufferPointer, _ body: (PaddedText) -> R) -> R {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytes.count + padding) { room in
      guard let start = room.baseAddress else { preconditionFailure("there is room for padding") }
      return unsafe body(PaddedText(copying: bytes, to: start))
    }
  }
}

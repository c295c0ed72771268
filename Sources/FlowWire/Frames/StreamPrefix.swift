/// The bytes before each payload of one stream, `= 12 `, stored inline in 20 bytes: there may be
/// ten thousand.
@frozen
public struct StreamPrefix: Sendable {
  @usableFromInline var bytes: (UInt64, UInt64, UInt32) = (0, 0, 0)

  /// Makes an empty prefix, for payloads without a frame.
  public init() {}

  /// Makes `= ID `, for payloads without CR and LF; `id` must not be a call's.
  public init(_ id: StreamID) {
    let text = Array("= \(id) ".utf8)
    precondition(!id.isCall && text.count < Self.size)
    unsafe withUnsafeMutableBytes(of: &bytes) { bytes in
      unsafe bytes.copyBytes(from: text)
      unsafe bytes[Self.size - 1] = UInt8(text.count)
    }
  }

  /// The size in bytes; the last byte holds the count of the others.
  @inlinable @inline(__always) public static var size: Int { 20 }

  /// Writes the bytes to `place`, which must have room for `size` bytes; returns their number.
  @inlinable @inline(__always)
  public func write(to place: UnsafeMutableRawPointer) -> Int {
    unsafe place.storeBytes(of: bytes.0, as: UInt64.self)
    unsafe place.storeBytes(of: bytes.1, toByteOffset: 8, as: UInt64.self)
    unsafe place.storeBytes(of: bytes.2, toByteOffset: 16, as: UInt32.self)
    return Int(UInt32(littleEndian: bytes.2) >> 24)
  }

  @inlinable @inline(__always)
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe Swift.withUnsafeBytes(of: bytes) { all in
      unsafe body(UnsafeRawBufferPointer(start: all.baseAddress, count: Int(all[Self.size - 1])))
    }
  }
}

/// The bytes before a value's payload, `= 12 ` or `: 12 345` and a line end, stored inline.
///
/// It is made once for a stream and copied for each value.
@frozen
public struct FramePrefix: Sendable {
  @usableFromInline var bytes: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
    (0, 0, 0, 0, 0, 0)
  /// The number of bytes, at most 48.
  public private(set) var count = 0

  /// Makes an empty prefix, for payloads without a frame.
  public init() {}

  /// Makes `= ID `, for payloads without CR and LF.
  public init(_ id: StreamID) {
    append(.equals)
    append(.space)
    append(id)
    append(.space)
  }

  /// Makes `: ID LEN` and a line end, for any payload of `count` bytes.
  public init(_ id: StreamID, counting count: Int) {
    append(.colon)
    append(.space)
    append(id)
    append(.space)
    append(decimal: UInt64(count))
    append(.lineFeed)
  }

  /// Makes the first prefix for a payload without CR and LF, and the second for any other.
  public init(_ id: StreamID, before payload: UnsafeRawBufferPointer) {
    self = unsafe containsLineEnd(payload) ? Self(id, counting: payload.count) : Self(id)
  }

  @inlinable @inline(__always)
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    unsafe Swift.withUnsafeBytes(of: bytes) { all in
      unsafe body(UnsafeRawBufferPointer(start: all.baseAddress, count: count))
    }
  }

  private mutating func append(_ id: StreamID) {
    append(decimal: id.rawValue)
    guard id.isCall else { return }
    append(.dot)
    append(decimal: id.call)
  }

  private mutating func append(decimal number: UInt64) {
    unsafe withDecimalDigits(of: number) { digits in
      for index in digits.indices { unsafe append(digits[index]) }
    }
  }

  private mutating func append(_ byte: UInt8) {
    unsafe Swift.withUnsafeMutableBytes(of: &bytes) { unsafe $0[count] = byte }
    count += 1
  }
}

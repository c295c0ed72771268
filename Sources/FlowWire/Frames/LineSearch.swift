// The only libc call of the target: `memchr` compares 32 bytes at a time, a Swift loop one, and
// these searches are most of the cost of a line.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Returns the place of the next LF in `buffer[start...]`.
@usableFromInline
func lineFeed(in buffer: UnsafeRawBufferPointer, from start: Int) -> Int? {
  guard let base = buffer.baseAddress, start < buffer.count else { return nil }
  guard let found = unsafe memchr(base + start, 0x0A, buffer.count - start) else { return nil }
  return unsafe UnsafeRawPointer(found) - base
}

/// Finds CRs; each search extends a few KiB beyond the range and so serves many lines.
@safe  // memory 8
struct CarriageReturns {
  private let buffer: UnsafeRawBufferPointer
  private var searched: Int
  private var found = -1

  init(in buffer: UnsafeRawBufferPointer, from start: Int) {
    unsafe self.buffer = unsafe buffer
    searched = start
  }

  /// Returns the first CR in `range`; the ranges of successive calls must ascend.
  @inline(__always)
  mutating func first(in range: Range<Int>) -> Int? {
    if found < range.lowerBound, searched < range.upperBound { search(range) }
    return range.contains(found) ? found : nil
  }

  private mutating func search(_ range: Range<Int>) {
    guard let base = unsafe buffer.baseAddress else { return }
    searched = max(searched, range.lowerBound)
    let end = unsafe min(buffer.count, range.upperBound + 4096)
    if let hit = unsafe memchr(base + searched, 0x0D, end - searched) {
      found = unsafe UnsafeRawPointer(hit) - base
      searched = found + 1
    } else {
      searched = end
    }
  }
}

/// Whether `bytes` has a CR or LF, which a text frame cannot carry.
public func containsLineEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let base = bytes.baseAddress else { return false }
  return unsafe memchr(base, 0x0A, bytes.count) != nil || memchr(base, 0x0D, bytes.count) != nil
}

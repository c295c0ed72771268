// The only libc call of the room: `memchr` looks at 32 bytes at a time, a loop over
// `UnsafeRawBufferPointer` at one, and these searches are most of what a line costs.
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Where the next LF is in `buffer[start...]`, if there is one.
@usableFromInline
func lineFeed(in buffer: UnsafeRawBufferPointer, from start: Int) -> Int? {
  guard let base = buffer.baseAddress, start < buffer.count else { return nil }
  guard let found = unsafe memchr(base + start, 0x0A, buffer.count - start) else { return nil }
  return unsafe UnsafeRawPointer(found) - base
}

/// Finds CRs, looking a few KiB further than it has to: one search then does for many lines.
@safe  // memory 8
struct CarriageReturns {
  private let buffer: UnsafeRawBufferPointer
  private var searched: Int
  private var found = -1

  init(in buffer: UnsafeRawBufferPointer, from start: Int) {
    unsafe self.buffer = unsafe buffer
    searched = start
  }

  /// Where the first CR in `range` is; ranges have to come in ascending order.
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

/// Whether `bytes` has an LF or a CR, so that they cannot stand in a text frame.
public func containsLineEnd(_ bytes: UnsafeRawBufferPointer) -> Bool {
  guard let base = bytes.baseAddress else { return false }
  return unsafe memchr(base, 0x0A, bytes.count) != nil || memchr(base, 0x0D, bytes.count) != nil
}

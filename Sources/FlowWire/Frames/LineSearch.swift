// The only libc call of the room: `memchr` looks at 32 octets at a time, a loop over
// `UnsafeRawBufferPointer` at one, and this search is most of what reading a line costs.
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
  guard let found = memchr(base + start, 0x0A, buffer.count - start) else { return nil }
  return UnsafeRawPointer(found) - base
}

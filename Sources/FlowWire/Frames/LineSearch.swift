// The only libc call of the room: `memchr` looks at 32 octets at a time, a loop over
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
  guard let found = memchr(base + start, 0x0A, buffer.count - start) else { return nil }
  return UnsafeRawPointer(found) - base
}

/// Whether `octets` has an LF or a CR.
func containsLineEnd(_ octets: UnsafeRawBufferPointer) -> Bool {
  guard let base = octets.baseAddress else { return false }
  return memchr(base, 0x0A, octets.count) != nil || memchr(base, 0x0D, octets.count) != nil
}

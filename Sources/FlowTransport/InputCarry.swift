import Glibc

/// Input that its handler has not used yet; holds no memory when there is none.
///
/// How much there is stands in that memory, since each of thousands of idle connections has a carry.
@safe  // memory 8
struct InputCarry {
  private struct Header {
    var capacity: Int
    var head = 0
    var tail = 0
  }

  private static let bytesAt = MemoryLayout<Header>.size

  private var header: UnsafeMutablePointer<Header>?

  var count: Int { unsafe header.map { unsafe $0.pointee.tail - $0.pointee.head } ?? 0 }

  var capacity: Int { unsafe header?.pointee.capacity ?? 0 }

  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: header.map { unsafe UnsafeRawPointer(Self.bytes(of: $0) + $0.pointee.head) },
      count: count
    )
  }

  private static func bytes(of header: UnsafeMutablePointer<Header>) -> UnsafeMutableRawPointer {
    unsafe UnsafeMutableRawPointer(header) + bytesAt
  }

  /// Adds bytes at the end.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    unsafe memcpy(makeRoom(for: bytes.count), source, bytes.count)
    grew(by: bytes.count)
  }

  /// Returns room for `count` bytes of input; `grew(by:)` then tells how many were read.
  mutating func makeRoom(for count: Int) -> UnsafeMutableRawPointer {
    let kept = self.count
    if let header = unsafe header {
      let base = unsafe Self.bytes(of: header)
      let (capacity, head) = unsafe (header.pointee.capacity, header.pointee.head)
      if unsafe capacity - header.pointee.tail >= count {
        return unsafe base + header.pointee.tail
      }
      if capacity - kept >= count, head >= kept {
        unsafe memcpy(base, base + head, kept)
        unsafe header.pointee.head = 0
        unsafe header.pointee.tail = kept
        return unsafe base + kept
      }
    }
    return unsafe move(to: max(capacity * 2, kept + count, 256)) + kept
  }

  mutating func grew(by count: Int) { unsafe header?.pointee.tail += count }

  /// Forgets bytes from the front, and memory that is not needed any more.
  mutating func consume(_ count: Int) {
    guard let header = unsafe header else { return }
    unsafe header.pointee.head += count
    if self.count == 0 {
      free()
    } else if capacity > 64 << 10, self.count < 16 << 10 {
      _ = unsafe move(to: self.count)
    }
  }

  mutating func free() {
    unsafe Glibc.free(header)
    unsafe header = nil
  }

  /// Moves what there is into memory of another size, and returns where that begins.
  private mutating func move(to capacity: Int) -> UnsafeMutableRawPointer {
    guard let memory = unsafe malloc(Self.bytesAt + capacity) else {
      fatalError("no memory for \(capacity) bytes of input")
    }
    let new = unsafe memory.bindMemory(to: Header.self, capacity: 1)
    let kept = unsafe bytes
    unsafe new.initialize(to: Header(capacity: capacity, tail: kept.count))
    let base = unsafe Self.bytes(of: new)
    if let start = kept.baseAddress { unsafe memcpy(base, start, kept.count) }
    free()
    unsafe header = unsafe new
    return unsafe base
  }
}

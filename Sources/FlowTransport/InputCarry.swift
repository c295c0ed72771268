import Glibc

/// Input that its handler has not used yet; holds no memory when there is none.
@safe  // memory 8
struct InputCarry {
  private var base: UnsafeMutableRawPointer?
  private(set) var capacity = 0
  private var head = 0
  private var tail = 0

  var count: Int { tail - head }

  var bytes: UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(
      start: base.map { unsafe UnsafeRawPointer($0 + head) },
      count: count
    )
  }

  /// Adds bytes at the end.
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, bytes.count > 0 else { return }
    unsafe memcpy(makeRoom(for: bytes.count), source, bytes.count)
    tail += bytes.count
  }

  /// Where `count` bytes can be read into; `grew(by:)` then tells how many came.
  mutating func makeRoom(for count: Int) -> UnsafeMutableRawPointer {
    let kept = self.count
    if let base = unsafe base, capacity - tail >= count { return unsafe base + tail }
    if let base = unsafe base, capacity - kept >= count, head >= kept {
      unsafe memcpy(base, base + head, kept)
      head = 0
      tail = kept
      return unsafe base + tail
    }
    move(to: max(capacity * 2, kept + count, 256))
    guard let base = unsafe base else { fatalError("no memory for \(capacity) bytes of input") }
    return unsafe base + tail
  }

  mutating func grew(by count: Int) {
    tail += count
  }

  /// Forgets bytes from the front, and memory that is not needed any more.
  mutating func consume(_ count: Int) {
    head += count
    if head == tail {
      free()
    } else if capacity > 64 << 10, self.count < 16 << 10 {
      move(to: self.count)
    }
  }

  mutating func free() {
    unsafe Glibc.free(base)
    self = InputCarry()
  }

  private mutating func move(to size: Int) {
    guard let new = unsafe malloc(size) else { fatalError("no memory for \(size) bytes of input") }
    let kept = count
    if let base = unsafe base { unsafe memcpy(new, base + head, kept) }
    unsafe Glibc.free(base)
    unsafe base = unsafe new
    capacity = size
    head = 0
    tail = kept
  }
}

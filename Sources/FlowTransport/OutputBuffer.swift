import Glibc

/// Bytes that wait for the kernel, in one piece of memory, filled at `tail` and sent from `head`.
///
/// Offsets are small integers, because each of thousands of idle connections has a buffer.
@usableFromInline
@safe  // memory 8
struct OutputBuffer {
  @usableFromInline var base: UnsafeMutableRawPointer?
  @usableFromInline var tail: UInt32 = 0
  /// The end of the space to fill: `capacity`, or less once sealed.
  @usableFromInline var limit: UInt32 = 0
  @usableFromInline var head: UInt32 = 0
  private var size: UInt32 = 0

  init() {}

  /// The size of its memory, in bytes.
  var capacity: Int { Int(size) }

  var isAllocated: Bool { unsafe base != nil }

  var start: UnsafeMutableRawPointer? { unsafe base.map { unsafe $0 + Int(head) } }

  @inlinable var count: Int { Int(tail &- head) }

  @inlinable
  func hasRoom(for count: Int) -> Bool {
    Int(limit &- tail) >= count
  }

  /// Copies bytes; there must be room.
  @inlinable
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    // There may be no memory if no bytes are to be put.
    guard let source = bytes.baseAddress, let base = unsafe base else { return }
    unsafe (base + Int(tail)).copyMemory(from: source, byteCount: bytes.count)
    tail &+= UInt32(truncatingIfNeeded: bytes.count)
  }

  /// Lets `write` put bytes in place and return their number; there must be room.
  @inlinable @inline(__always)
  mutating func put(_ write: (UnsafeMutableRawPointer) -> Int) {
    guard let base = unsafe base else { return }
    tail &+= unsafe UInt32(truncatingIfNeeded: write(base + Int(tail)))
  }

  /// Copies as many lines as fit, each after `prefix`; returns their number.
  mutating func put(
    _ lines: UnsafeBufferPointer<UnsafeRawBufferPointer>,
    after prefix: UnsafeRawBufferPointer
  ) -> Int {
    guard let base = unsafe base else { return 0 }
    var place = unsafe base + Int(tail)
    let end = unsafe base + Int(limit)
    var done = 0
    for index in lines.indices {
      let line = unsafe lines[index]
      guard unsafe end - place > prefix.count &+ line.count else { break }
      if let bytes = prefix.baseAddress {
        unsafe place.copyMemory(from: bytes, byteCount: prefix.count)
        unsafe place += prefix.count
      }
      if let bytes = line.baseAddress {
        unsafe place.copyMemory(from: bytes, byteCount: line.count)
        unsafe place += line.count
      }
      unsafe place.storeBytes(of: 0x0A, as: UInt8.self)
      unsafe place += 1
      done &+= 1
    }
    tail = unsafe UInt32(truncatingIfNeeded: place - base)
    return done
  }

  @inlinable
  mutating func put(_ byte: UInt8) {
    unsafe base.unsafelyUnwrapped.storeBytes(of: byte, toByteOffset: Int(tail), as: UInt8.self)
    tail &+= 1
  }

  /// Allocates a chunk, or more if `count` does not fit.
  mutating func allocate(for count: Int, from pool: ChunkPool) {
    resize(to: max(count, ChunkPool.chunkSize))
    unsafe base = unsafe pool.take(capacity)
  }

  /// Makes room for `count` more bytes by moving unsent ones to the front or by growing.
  mutating func makeRoom(for count: Int, from pool: ChunkPool) {
    guard let old = unsafe base else { return allocate(for: count, from: pool) }
    let kept = self.count
    if capacity - kept >= count, head >= kept {
      unsafe memcpy(old, old + Int(head), kept)
    } else {
      var larger = capacity
      while larger - kept < count || larger == capacity { larger *= 2 }
      let new = unsafe pool.take(larger)
      unsafe memcpy(new, old + Int(head), kept)
      unsafe pool.give(old, capacity)
      unsafe base = unsafe new
      resize(to: larger)
    }
    head = 0
    tail = UInt32(kept)
  }

  private mutating func resize(to count: Int) {
    size = UInt32(count)
    limit = size
  }

  /// Removes `count` sent bytes.
  mutating func consume(_ count: Int) {
    head += UInt32(count)
    if head == tail {
      head = 0
      tail = 0
    }
  }

  /// Accepts no more bytes; its bytes can still be sent.
  mutating func seal() {
    limit = tail
  }

  /// Releases the memory, unsent bytes included.
  mutating func release(to pool: ChunkPool) {
    guard let base = unsafe base else { return }
    unsafe pool.give(base, capacity)
    self = OutputBuffer()
  }
}

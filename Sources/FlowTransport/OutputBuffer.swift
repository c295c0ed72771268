import Glibc

/// Bytes that wait for the kernel: one piece of memory, filled at `tail`, sent from `head`.
///
/// Places are small numbers, since each of thousands of idle connections has a buffer.
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

  /// The bytes of its memory.
  var capacity: Int { Int(size) }

  var isAllocated: Bool { unsafe base != nil }

  /// The first unsent byte.
  var start: UnsafeMutableRawPointer? { unsafe base.map { unsafe $0 + Int(head) } }

  @inlinable var count: Int { Int(tail &- head) }

  @inlinable
  func hasRoom(for count: Int) -> Bool {
    Int(limit &- tail) >= count
  }

  /// Copies bytes in; there has to be room.
  @inlinable
  mutating func put(_ bytes: UnsafeRawBufferPointer) {
    // Room for no bytes is there without memory.
    guard let source = bytes.baseAddress, let base = unsafe base else { return }
    unsafe (base + Int(tail)).copyMemory(from: source, byteCount: bytes.count)
    tail &+= UInt32(truncatingIfNeeded: bytes.count)
  }

  /// Lets `write` put bytes in, of which it returns how many; there has to be room for them.
  @inlinable @inline(__always)
  mutating func put(_ write: (UnsafeMutableRawPointer) -> Int) {
    guard let base = unsafe base else { return }
    tail &+= unsafe UInt32(truncatingIfNeeded: write(base + Int(tail)))
  }

  /// Copies in as many lines as there is room for, each behind `prefix`; returns how many.
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

  /// Allocates a chunk, or more if `count` does not fit in one.
  mutating func allocate(for count: Int, from pool: ChunkPool) {
    resize(to: max(count, ChunkPool.chunkSize))
    unsafe base = unsafe pool.take(capacity)
  }

  /// Makes room for `count` more bytes by moving the unsent ones to the front, or by growing.
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

  /// Forgets `count` bytes that the kernel took.
  mutating func consume(_ count: Int) {
    head += UInt32(count)
    if head == tail {
      head = 0
      tail = 0
    }
  }

  /// Accepts no more bytes; those inside can still be sent.
  mutating func seal() {
    limit = tail
  }

  /// Releases the memory, with unsent bytes.
  mutating func release(to pool: ChunkPool) {
    guard let base = unsafe base else { return }
    unsafe pool.give(base, capacity)
    self = OutputBuffer()
  }
}

internal import Glibc

/// Output chunks that are not in use: an idle connection holds none.
struct ChunkPool {
  /// The size of a chunk, in octets: what a turn writes on one connection mostly fits in.
  static let chunk = 96 << 10
  private static let limit = 64

  private var free: [UnsafeMutableRawPointer] = []

  mutating func take() -> UnsafeMutableRawPointer {
    free.popLast() ?? .allocate(byteCount: Self.chunk, alignment: 64)
  }

  mutating func give(_ base: UnsafeMutableRawPointer, capacity: Int) {
    if capacity == Self.chunk, free.count < Self.limit {
      free.append(base)
    } else {
      base.deallocate()
    }
  }

  mutating func removeAll() {
    for base in free { base.deallocate() }
    free.removeAll()
  }
}

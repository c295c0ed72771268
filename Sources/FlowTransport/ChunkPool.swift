import Glibc

/// Memory for output, shared by the connections of a loop, so that an idle one holds none.
final class ChunkPool {
  static let chunkSize = 96 << 10
  private static let mostKept = 64

  @exclusivity(unchecked) private var chunks: [UnsafeMutableRawPointer] = []

  deinit {
    for chunk in chunks { free(chunk) }
  }

  /// Memory of `size` bytes, from the pool if that is a chunk.
  func take(_ size: Int) -> UnsafeMutableRawPointer {
    if size == Self.chunkSize, let chunk = chunks.popLast() { return chunk }
    guard let memory = malloc(size) else { fatalError("no memory for \(size) bytes of output") }
    return memory
  }

  func give(_ memory: UnsafeMutableRawPointer, _ size: Int) {
    if size == Self.chunkSize, chunks.count < Self.mostKept {
      chunks.append(memory)
    } else {
      free(memory)
    }
  }
}

import Glibc

/// Output memory shared by a loop's connections, so that idle ones hold none.
@safe
final class ChunkPool {
  static let chunkSize = 96 << 10
  private static let mostKept = 64

  // memory 6: touched on the queue only.
  @safe @exclusivity(unchecked) private var chunks: [UnsafeMutableRawPointer] = unsafe []

  deinit {
    while let chunk = unsafe chunks.popLast() { unsafe free(chunk) }
  }

  /// Returns `size` bytes of memory, from the pool if `size` is that of a chunk.
  func take(_ size: Int) -> UnsafeMutableRawPointer {
    if size == Self.chunkSize, let chunk = unsafe chunks.popLast() { return unsafe chunk }
    guard let memory = unsafe malloc(size) else {
      fatalError("no memory for \(size) bytes of output")
    }
    return unsafe memory
  }

  func give(_ memory: UnsafeMutableRawPointer, _ size: Int) {
    if size == Self.chunkSize, unsafe chunks.count < Self.mostKept {
      unsafe chunks.append(memory)
    } else {
      unsafe free(memory)
    }
  }
}

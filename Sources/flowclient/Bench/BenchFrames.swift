import FlowWire

/// Consecutive value frames, of which only the heads are rewritten each time.
///
/// All publishers of a loop share one, because their streams have the same id.
@safe  // memory 8
final class BenchFrames {
  private static let bytesAtOnce = 64 << 10

  let capacity: Int
  private let size: Int
  private let frameSize: Int
  private let payload: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// Makes frames with values of `size` bytes for the stream `id`.
  init(id: StreamID, size: Int) {
    let filler = [UInt8](repeating: UInt8(ascii: "x"), count: size)
    var frame: [UInt8] = []
    unsafe filler.withUnsafeBytes { unsafe FrameWriter.value(id, $0, into: &frame) }
    self.size = size
    frameSize = frame.count
    payload = frame.count - size - 1
    capacity = max(1, Self.bytesAtOnce / frame.count)
    unsafe memory = .allocate(byteCount: capacity * frame.count, alignment: 16)
    for index in 0..<capacity {
      let place = index * frame.count
      unsafe UnsafeMutableRawBufferPointer(rebasing: memory[place..<place + frame.count])
        .copyBytes(from: frame)
    }
  }

  deinit { unsafe memory.deallocate() }

  /// Returns the first `count` frames; `value` makes the head of each from its index.
  @inline(__always)
  func fill(_ count: Int, _ value: (Int) -> BenchValue) -> UnsafeRawBufferPointer {
    guard var place = unsafe memory.baseAddress.map({ unsafe $0 + payload }) else {
      return unsafe .init(memory)
    }
    for index in 0..<count {
      unsafe value(index).write(to: place, size: size)
      unsafe place += frameSize
    }
    return unsafe UnsafeRawBufferPointer(rebasing: memory[..<(count * frameSize)])
  }
}

import FlowWire

/// Frames of values, one behind the other, of which only the heads are written anew each time.
///
/// One serves all publishers of a loop, whose streams have the same id.
@safe  // memory 8
final class BenchFrames {
  private static let bytesAtOnce = 64 << 10

  /// The most frames there are at once.
  let capacity: Int
  private let size: Int
  private let frameSize: Int
  private let payload: Int
  private let memory: UnsafeMutableRawBufferPointer

  /// Makes frames for values of `size` bytes on the stream `id`.
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

  /// The first `count` frames, with the values that `value` makes of the numbers from 0 on.
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

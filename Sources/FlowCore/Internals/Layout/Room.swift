/// Room for a value whose type is known elsewhere: in place if it is small, or in a block of its own.
///
/// A field of the value's own type would cost its class a slow `deinit`, which looks the type up.
@frozen
@usableFromInline
struct _Room {
  @usableFromInline typealias Words = (UInt, UInt, UInt, UInt, UInt, UInt, UInt)

  @usableFromInline var words: Words = (0, 0, 0, 0, 0, 0, 0)

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  static func holds<T>(_ type: T.Type) -> Bool {
    MemoryLayout<T>.size <= MemoryLayout<Words>.size
      && MemoryLayout<T>.alignment <= MemoryLayout<Words>.alignment
  }
}

extension UnsafeMutablePointer<_Room> {
  @inlinable @inline(__always)
  func address<T>(of type: T.Type) -> UnsafeMutablePointer<T> {
    let raw = UnsafeMutableRawPointer(self)
    if _Room.holds(type) { return unsafe raw.assumingMemoryBound(to: type) }
    return unsafe raw.load(as: UnsafeMutablePointer<T>.self)
  }

  /// Sends a value to the subscriber of a `sink` that it holds, with one call instead of two.
  @inlinable @inline(__always)
  func sendToSink<Input>(_ value: Input) {
    // memory 5, memory 7: whatever it does at its end, which is behind the rest, its closure lies at
    // the same place.
    unsafe withBorrowed(address(of: _SinkSubscriber<Input, Never, _NoEnding>.self)) {
      _ = $0.receive(value)
    }
  }

  @inlinable @inline(__always)
  func fill<T>(with value: T) {
    let raw = UnsafeMutableRawPointer(self)
    if _Room.holds(T.self) {
      unsafe raw.initializeMemory(as: T.self, to: value)
    } else {
      let block = UnsafeMutablePointer<T>.allocate(capacity: 1)
      unsafe block.initialize(to: value)
      unsafe raw.storeBytes(of: block, as: UnsafeMutablePointer<T>.self)
    }
  }

  @inlinable @inline(__always)
  func empty<T>(of type: T.Type) {
    let address = unsafe address(of: type)
    _ = unsafe address.move()
    if !_Room.holds(type) { unsafe address.deallocate() }
  }
}

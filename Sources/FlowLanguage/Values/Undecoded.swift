import Synchronization

/// Bytes that no stage has looked into: a payload as it came, or a part of one.
public struct Undecoded: Sendable {
  let bytes: PaddedBytes
  /// How deep the JSON is nested; 0 if it is not known to be JSON.
  let height: UInt32

  /// A payload.
  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = unsafe PaddedBytes(bytes)
    height = 0
  }

  /// An array or object cut out of a JSON text, without blanks.
  init(json bytes: PaddedBytes, height: UInt32) {
    self.bytes = bytes
    self.height = height
  }

  /// The value: JSON, or else a string.
  var value: Value { bytes.withText(Self.value) }

  /// The value of a payload.
  static func value(of payload: UnsafeRawBufferPointer) -> Value {
    unsafe PaddedText.with(copyOf: payload, value)
  }

  private static func value(of text: PaddedText) -> Value {
    Decoding.count()
    return unsafe JSONReader.read(text) ?? .string(String(decoding: text.bytes, as: UTF8.self))
  }
}

/// Counts how often bytes are looked into, for tests.
enum Decoding {
  /// How many tests are counting: a task's own counter is slow to find, and mostly there is none.
  private static let watchers = Atomic(0)

  final class Counter: Sendable {
    private let lookups = Mutex(0)

    var count: Int { lookups.withLock { $0 } }

    func increment() { lookups.withLock { $0 += 1 } }
  }

  @TaskLocal private static var counter: Counter?

  /// Lets `counter` count while `body` runs.
  static func counted<R>(by counter: Counter, _ body: () throws -> R) rethrows -> R {
    watchers.add(1, ordering: .relaxed)
    defer { watchers.subtract(1, ordering: .relaxed) }
    return try $counter.withValue(counter, operation: body)
  }

  @inline(__always)
  static func count() {
    if watchers.load(ordering: .relaxed) > 0 { counter?.increment() }
  }
}

import Synchronization

/// Octets that no stage has looked into: a payload as it came, or a part of one.
public struct Undecoded: Sendable {
  let octets: [UInt8]
  /// How deep the JSON is nested; 0 if it is not known to be JSON.
  let height: UInt32

  /// A payload.
  init(_ octets: [UInt8]) {
    self.octets = octets
    height = 0
  }

  /// An array or object cut out of a JSON text, without blanks.
  init(json octets: [UInt8], height: UInt32) {
    self.octets = octets
    self.height = height
  }

  /// The value: JSON, or else a string.
  var value: Value {
    Decoding.count()
    return octets.withUnsafeBufferPointer { buffer in
      JSONReader.read(buffer) ?? .string(String(decoding: buffer, as: UTF8.self))
    }
  }
}

/// Counts how often octets are looked into, for tests.
enum Decoding {
  final class Counter: Sendable {
    private let lookups = Mutex(0)

    var count: Int { lookups.withLock { $0 } }

    func increment() { lookups.withLock { $0 += 1 } }
  }

  @TaskLocal static var counter: Counter?

  static func count() { counter?.increment() }
}

import Glibc

/// An error of the kernel, or an address that cannot be used.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The call and its operand: `bind 127.0.0.1:80`.
  public var call: String

  /// The kernel's error number, 0 if the kernel was not asked.
  public var errno: Int32

  /// The reason: `permission denied`.
  public var message: String

  /// Makes an error of one's own words.
  public init(call: String, errno: Int32 = 0, message: String) {
    self.call = call
    self.errno = errno
    self.message = message
  }

  /// Makes an error of the system's words for `errno`.
  package init(_ call: String, _ errno: Int32) {
    self.init(call: call, errno: errno, message: Self.words(for: errno))
  }

  /// The whole sentence: `bind 127.0.0.1:80: permission denied`.
  public var description: String { "\(call): \(message)" }

  private static func words(for errno: Int32) -> String {
    let words = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { text in
      guard let base = text.baseAddress, unsafe strerror_r(errno, base, text.count) == 0 else {
        return "error \(errno)"
      }
      return unsafe String(cString: base)
    }
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}

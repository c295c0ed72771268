internal import Glibc

/// A system call that failed, or an address that can not be used.
public struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What was tried, with its address: `bind 127.0.0.1:80`.
  public var call: String
  /// The system's error number; 0 if the system was not asked.
  public var errno: Int32
  /// What went wrong, and what is expected.
  public var message: String

  /// Makes an error of one's own words.
  public init(call: String, errno: Int32 = 0, message: String) {
    self.call = call
    self.errno = errno
    self.message = message
  }

  /// Makes an error of the system's words for `errno`.
  init(_ call: String, _ errno: Int32) {
    let text = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
    self.init(call: call, errno: errno, message: text.prefix(1).lowercased() + text.dropFirst())
  }

  public var description: String { "\(call): \(message)" }
}

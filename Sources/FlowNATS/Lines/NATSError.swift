/// Why NATS is not understood, or not used.
package struct NATSError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    /// What came is no line of NATS.
    case malformed
    /// What came is longer than anything that NATS sends.
    case tooLong
    /// NATS has refused the login.
    case login
    /// This NATS cannot be used, whatever is tried.
    case unsuitable
    /// The connection failed, or nothing was heard on it.
    case lost
  }

  package let code: Code
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

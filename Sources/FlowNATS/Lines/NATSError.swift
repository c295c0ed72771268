/// Why Flow cannot use NATS.
package struct NATSError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Code: Sendable {
    /// The input is not of the NATS protocol.
    case malformed
    /// A line or message is longer than NATS ever sends.
    case tooLong
    case login
    /// This NATS server lacks what Flow needs; a retry cannot help.
    case unsuitable
    /// The connection failed or was silent for too long.
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

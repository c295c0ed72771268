import FlowTransport
import FlowWire

/// Why the server refused, why a stream failed, or why the connection is gone.
public struct RemoteError: Error, Equatable, Sendable {
  /// A stable word: one of the protocol's, what a `FAIL` brought, or one of the constants here.
  public var code: String
  /// The same for people.
  public var message: String

  /// Makes an error.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// The code when there is no reaching the server.
  public static let unreachable = "unreachable"
  /// The code when the connection ended without a word.
  public static let lost = "lost"
  /// The code when what came is not the protocol.
  public static let protocolBroken = "protocol"
  /// The code after `close()`.
  public static let closed = "closed"
  /// The code when the server did not answer in time.
  public static let timeout = "timeout"
}

extension RemoteError: CustomStringConvertible {
  public var description: String { message.isEmpty ? code : "\(code) \(message)" }
}

extension RemoteError {
  init(_ error: WireError) {
    self.init(code: error.code.rawValue, message: error.message)
  }

  init(_ error: TransportError) {
    self.init(code: Self.lost, message: error.message)
  }
}

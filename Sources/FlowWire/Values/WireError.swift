/// Why a line or a frame was refused.
public struct WireError: Error, Hashable, Sendable {
  public var code: ErrorCode
  /// What was found, what was expected, and an example, in lower case without a full stop.
  public var message: String

  public init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension WireError: CustomStringConvertible {
  public var description: String { "\(code.rawValue) \(message)" }
}

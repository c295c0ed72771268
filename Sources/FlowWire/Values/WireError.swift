/// Why a line or a frame was refused: a stable word for programs and a text for people.
public struct WireError: Error, Hashable, Sendable {
  /// The word that programs may depend on.
  public var code: ErrorCode
  /// What it was, what was expected, and an example; lower case, no full stop.
  public var message: String

  /// Makes an error from its word and its text.
  public init(_ code: ErrorCode, _ message: String) {
    self.code = code
    self.message = message
  }
}

extension WireError: CustomStringConvertible {
  /// The word, a blank and the text, as they stand on the wire.
  public var description: String { "\(code.rawValue) \(message)" }
}

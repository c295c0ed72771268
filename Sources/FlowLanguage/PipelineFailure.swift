/// Why a running pipeline ended before its time.
public struct PipelineFailure: Error, Equatable, Sendable {
  /// What sort of failure: `stage`, or what the one who failed said.
  public var code: String
  /// What went wrong, for people.
  public var message: String
  /// The value that a closure has no answer for, if it is for that.
  var cause: NoAnswer?

  /// Makes a failure.
  public init(code: String, message: String) {
    self.code = code
    self.message = message
  }

  /// Whether the two say the same.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code && a.message == b.message }

  /// Whether the one who read was to blame, and not what was read: `too-slow` and `limit` in the protocol.
  var isOfReader: Bool { ["too-slow", "limit"].contains(code) }

  /// A stage failed, or was told to: `stage` in the protocol.
  static func stage(_ message: String) -> Self { Self(code: "stage", message: message) }

  /// A stage would hold or do more than it may: `limit` in the protocol.
  static func limit(_ message: String) -> Self { Self(code: "limit", message: message) }
}

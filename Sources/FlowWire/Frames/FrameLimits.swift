/// The limits of one incoming frame, in bytes.
@frozen
public struct FrameLimits: Hashable, Sendable {
  /// The longest command line, without its line end.
  public var line: Int
  /// The longest payload of a value frame or of a `SEND`.
  public var value: Int
  /// The longest oversized counted payload that is skipped; a longer one ends the connection.
  public var skip: Int

  public init(line: Int = 65_536, value: Int = 1_048_576, skip: Int = 67_108_864) {
    precondition(line >= 0 && value >= 0 && skip >= value, "limits are 0 or more")
    self.line = line
    self.value = value
    self.skip = skip
  }
}

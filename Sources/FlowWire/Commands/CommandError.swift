/// Why a line of a client was refused, and the tag to answer it with.
public struct CommandError: Error, Hashable, Sendable {
  /// The tag of the line, if it had a well-formed one.
  public var tag: String?
  /// The refusal.
  public var error: WireError

  /// Makes the refusal of a line.
  public init(tag: String?, error: WireError) {
    self.tag = tag
    self.error = error
  }
}

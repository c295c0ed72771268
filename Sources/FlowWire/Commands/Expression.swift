/// The text of a pipeline and where it stands in its line; the wire does not look inside.
public struct Expression: Hashable, Sendable {
  /// The text, without blanks around it.
  public var text: String
  /// The place of its first character, counting characters of the line from 1, the tag included.
  public var column: Int

  /// Makes an expression found at `column`.
  public init(_ text: String, column: Int = 1) {
    self.text = text
    self.column = column
  }
}

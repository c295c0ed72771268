/// A line of the server with the tag of the command that it belongs to.
public struct TaggedServerLine: Hashable, Sendable {
  /// What stood behind the `@`; `!` for an error that is no command's answer.
  public var tag: String?
  /// What is said.
  public var line: ServerLine

  /// Puts a tag before a line.
  public init(tag: String? = nil, _ line: ServerLine) {
    self.tag = tag
    self.line = line
  }
}

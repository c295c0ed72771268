/// A `key=value` field of a server's line.
public struct Option: Hashable, Sendable {
  /// What stands before the `=`.
  public var key: String
  /// What stands behind it.
  public var value: String

  /// Makes a field.
  public init(_ key: String, _ value: String) {
    self.key = key
    self.value = value
  }
}

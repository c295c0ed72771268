/// Turns values into one form, such as JSON, for `encode(encoder:)`.
public protocol TopLevelEncoder<Output> {
  /// What values are turned into.
  associatedtype Output

  /// Turns `value` into this encoder's form.
  func encode<T: Encodable>(_ value: T) throws -> Output
}

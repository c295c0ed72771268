/// Makes values out of one form, such as JSON, for `decode(type:decoder:)`.
public protocol TopLevelDecoder<Input> {
  /// What values are made of.
  associatedtype Input

  /// Makes a value of `type` out of `from`.
  func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

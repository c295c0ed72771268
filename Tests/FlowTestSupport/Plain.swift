public import FlowCore

/// A coder of whole numbers.
public struct Plain: TopLevelEncoder, TopLevelDecoder {
  public struct Mismatch: Error {}

  public init() {}

  public func encode<T: Encodable>(_ value: T) throws -> String {
    guard let number = value as? Int else { throw Mismatch() }
    return String(number)
  }

  public func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
    guard let value = Int(text) as? T else { throw Mismatch() }
    return value
  }
}

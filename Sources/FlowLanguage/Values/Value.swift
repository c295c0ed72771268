/// A JSON value; octets that came in stay as they are until a stage looks into them.
public enum Value: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([Value])
  case object(JSONObject)
  /// Octets not decoded yet: JSON, or else a string.
  case raw([UInt8])

  /// Copies `octets`, undecoded.
  public init(octets: UnsafeRawBufferPointer) {
    self = .raw([UInt8](octets))
  }

  /// Gives the octets to send: the very ones that came in, or compact JSON.
  public func withOctets<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if case .raw(let octets) = self { return octets.withUnsafeBytes(body) }
    var writer = JSONWriter()
    writer.write(self)
    return writer.octets.withUnsafeBytes(body)
  }

  /// The value with its outermost layer looked into: never `raw`.
  var decoded: Value {
    guard case .raw(let octets) = self else { return self }
    return octets.withUnsafeBufferPointer { buffer in
      JSONReader.read(buffer) ?? .string(String(decoding: buffer, as: UTF8.self))
    }
  }

  /// The value as text, at most `limit` characters of it.
  func excerpt(limit: Int = 200) -> String {
    let text = withOctets { octets in
      String(decoding: octets.prefix(limit * 4 + 4), as: UTF8.self)
    }
    return text.count > limit ? text.prefix(limit) + "…" : text
  }

  /// What kind of value this is, for people.
  var kind: String {
    switch decoded {
    case .null: "null"
    case .bool: "a Bool"
    case .int: "an Int"
    case .double: "a Double"
    case .string, .raw: "a String"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension Value: Equatable {
  /// Compares as JSON: `1` and `1.0` are equal, and the order of keys does not count.
  public static func == (lhs: Value, rhs: Value) -> Bool {
    switch (lhs.decoded, rhs.decoded) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Double(a) == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false
    }
  }
}

extension Value: CustomStringConvertible {
  /// The beginning of the value as JSON.
  public var description: String { excerpt() }
}

import Spelling

/// A JSON value; bytes that came in stay as they are until a stage looks into them.
public enum Value: Sendable {
  case null
  case bool(Bool)
  case int(Int)
  /// An integer above all Ints.
  case uint(UInt)
  /// Any other number, which is finite.
  case double(Double)
  case string(String)
  case array(JSONArray)
  case object(JSONObject)
  /// A number as it was spelled, until it is computed with.
  case number(NumberText)
  /// Bytes not decoded yet: JSON, or else a string.
  case raw(Undecoded)

  /// Copies `bytes`, undecoded.
  public init(bytes: UnsafeRawBufferPointer) {
    self = unsafe .raw(Undecoded(bytes))
  }

  /// Gives the bytes to send: the very ones that came in, or compact JSON.
  @inlinable @inline(__always)
  public func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    var result: R?
    unsafe giveBytes { result = unsafe body($0) }
    guard let result else { preconditionFailure("bytes are given once") }
    return result
  }

  /// The same, not generic: what is, asks the runtime for its types at each call from another room.
  @usableFromInline
  func giveBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
    if case .raw(let raw) = self { return unsafe raw.bytes.withBytes(body) }
    if case .object(let object) = self, let read = object.read, read.isCompact {
      return read.withText { unsafe body($0.bytes) }
    }
    unsafe JSONWriter.withText(of: self, body)
  }

  /// Whether it is a number that has been computed, a Bool or null.
  @inlinable @inline(__always)
  public var isScalar: Bool {
    switch self {
    case .null, .bool, .int, .uint, .double: true
    case .string, .array, .object, .number, .raw: false
    }
  }

  /// The most bytes that the text of a scalar has: `-2.2250738585072014e-308` has 24.
  public static var longestScalar: Int { 32 }

  /// Writes the text of a scalar, for which there has to be room; returns how many bytes it has.
  public func writeScalar(to place: UnsafeMutableRawPointer) -> Int {
    unsafe JSONWriter.write(scalar: self, to: place)
  }

  /// The value to compute with: never `raw`, and `number` only if it is too large for a Double.
  ///
  /// Bytes that are no JSON are a string.
  public var decoded: Value {
    switch self {
    case .raw(let raw): raw.value.computable
    case .number(let number): number.value
    default: self
    }
  }

  private var computable: Value {
    if case .number(let number) = self { number.value } else { self }
  }

  /// The value to hand on or write: never `raw`, with numbers as they are spelled.
  public var spelled: Value { if case .raw(let raw) = self { raw.value } else { self } }

  /// The value as text, at most `limit` characters of it.
  func excerpt(limit: Int = 200) -> String {
    let text = unsafe withBytes { bytes in
      unsafe String(decoding: bytes.prefix(limit * 4 + 8), as: UTF8.self)
    }
    return text.excerpt(limit + 1)
  }

  /// A string bare, anything else as compact JSON with numbers as they are spelled.
  var plainText: String {
    let value = spelled
    if case .string(let text) = value { return text }
    return unsafe value.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// What kind of value this is, for people.
  var kind: String { kinds.text }

  /// The kind of value this is.
  var kinds: Kinds { Kinds(of: decoded) }
}

extension Value: CustomStringConvertible {
  /// The beginning of the value as JSON.
  public var description: String { excerpt() }
}

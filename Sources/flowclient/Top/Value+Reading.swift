import FlowLanguage

// Reads a server's JSON leniently: unexpected values count as missing.
extension Value {
  init(json text: String) {
    var text = text
    self = text.withUTF8 { unsafe Value(bytes: UnsafeRawBufferPointer($0)) }.decoded
  }

  func member(_ key: String) -> Value? {
    guard case .object(let object) = decoded else { return nil }
    return object[key]?.decoded
  }

  var members: [JSONObject.Member] {
    if case .object(let object) = decoded { Array(object.members) } else { [] }
  }

  var elements: [Value] {
    if case .array(let array) = decoded { array.elements.map(\.decoded) } else { [] }
  }

  var int: Int? {
    switch decoded {
    case .int(let number): number
    case .double(let number): Int(exactly: number.rounded())
    default: nil
    }
  }

  var double: Double? {
    switch decoded {
    case .int(let number): Double(number)
    case .double(let number): number
    default: nil
    }
  }

  var text: String? { if case .string(let text) = decoded { text } else { nil } }
  var truth: Bool? { if case .bool(let truth) = decoded { truth } else { nil } }
  var isNull: Bool { if case .null = decoded { true } else { false } }

  /// The elements of a member; none if it is no array.
  func list(_ key: String) -> [Value] { member(key)?.elements ?? [] }

  /// 0 if there is none.
  func count(_ key: String) -> Int { member(key)?.int ?? 0 }

  /// The text of a member; empty if there is none.
  func words(_ key: String) -> String { member(key)?.text ?? "" }

  /// Reads a demand: a number or `max`.
  func demand(_ key: String) -> String {
    member(key).map { $0.text ?? $0.int.map(String.init) ?? "-" } ?? "-"
  }
}

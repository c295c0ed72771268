import FlowLanguage
import FoundationEssentials

/// A value as a member of an object of `-o json`, from which its very bytes can be had again.
///
/// - JSON stands in `value` as it is spelled.
/// - A text that is not JSON stands in `value` as a string, and `"json":false` says so.
/// - What is not UTF-8 stands in `base64` alone; so does, besides its `value`, JSON with line ends, or
///   blanks around it, which an object on one line cannot have.
enum JSONRecord {
  /// Adds the members for `payload`, each behind a comma.
  static func append(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    var isExact = false
    if unsafe JSONText.isJSON(payload) {
      output += #","value":"#.utf8
      unsafe JSONLine.append(json: payload, to: &output)
      isExact = unsafe isKept(payload)
    } else if let text = unsafe String(validating: payload, as: UTF8.self) {
      output += #","value":"#.utf8
      output += JSONText.string(text).utf8
      output += #","json":false"#.utf8
      isExact = true
    }
    guard !isExact else { return }
    output.append(UInt8(ascii: ","))
    unsafe JSONLine.append(base64: payload, to: &output)
  }

  /// Whether JSON stays the same on a line, and between other members.
  private static func isKept(_ json: UnsafeRawBufferPointer) -> Bool {
    let ends = unsafe [json.first, json.last]
    return unsafe !ends.contains { $0.map { $0 <= 0x20 } ?? false }
      && !json.contains { $0 == 10 || $0 == 13 }
  }

  /// The bytes of the value in an object, however its members are ordered; `nil` if there is none.
  static func value(in object: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let members = unsafe JSONMembers.read(object) else { return nil }
    if let text = members["base64"] {
      guard case .string(let digits)? = value(of: text) else { return nil }
      return Data(base64Encoded: digits).map { [UInt8]($0) }
    }
    guard let json = members["value"] else { return nil }
    guard members["json"].map({ $0.elementsEqual("false".utf8) }) ?? false else {
      return unsafe json.withUnsafeBytes { unsafe JSONText.isJSON($0) } ? Array(json) : nil
    }
    guard case .string(let text)? = value(of: json) else { return nil }
    return Array(text.utf8)
  }

  /// Parses a JSON text.
  private static func value(of json: ArraySlice<UInt8>) -> Value? {
    unsafe json.withUnsafeBytes { bytes in
      unsafe JSONText.isJSON(bytes) ? Value(bytes: bytes).decoded : nil
    }
  }
}

/// The members of an object, as they are spelled.
private enum JSONMembers {
  /// The text of each member's value; `nil` if `text` is no object.
  static func read(_ text: UnsafeRawBufferPointer) -> [String: ArraySlice<UInt8>]? {
    let bytes = unsafe Array(text)
    var members: [String: ArraySlice<UInt8>] = [:]
    var next = 0
    func skipBlanks() {
      while next < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[next]) { next += 1 }
    }
    func take(_ unit: Unicode.Scalar) -> Bool {
      guard next < bytes.count, bytes[next] == UInt8(ascii: unit) else { return false }
      next += 1
      return true
    }
    skipBlanks()
    guard take("{") else { return nil }
    skipBlanks()
    if take("}") { return members }
    while true {
      guard let key = end(of: bytes, from: next), bytes[next] == UInt8(ascii: "\"") else {
        return nil
      }
      let name = String(decoding: bytes[(next + 1)..<(key - 1)], as: UTF8.self)
      next = key
      skipBlanks()
      guard take(":") else { return nil }
      skipBlanks()
      guard let end = end(of: bytes, from: next) else { return nil }
      members[name] = bytes[next..<end]
      next = end
      skipBlanks()
      if take("}") {
        skipBlanks()
        return next == bytes.count ? members : nil
      }
      guard take(",") else { return nil }
      skipBlanks()
    }
  }

  /// The end of the value that begins at `start`; the content of brackets is not checked.
  private static func end(of bytes: [UInt8], from start: Int) -> Int? {
    var depth = 0
    var next = start
    while next < bytes.count {
      switch Unicode.Scalar(bytes[next]) {
      case "\"":
        next += 1
        while next < bytes.count, bytes[next] != UInt8(ascii: "\"") {
          next += bytes[next] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard next < bytes.count else { return nil }
        next += 1
        if depth == 0 { return next }
      case "{", "[":
        depth += 1
        next += 1
      case "}", "]":
        if depth == 0 { return next > start ? next : nil }
        depth -= 1
        next += 1
        if depth == 0 { return next }
      case ",", ":", " ", "\t", "\r", "\n":
        if depth == 0 { return next > start ? next : nil }
        next += 1
      default: next += 1
      }
    }
    return nil
  }
}

import FlowLanguage
import FoundationEssentials

/// JSON on one line.
enum JSONLine {
  /// Adds a payload: JSON as it is, with blanks for line ends, any other text as a string, and bytes that
  /// are not UTF-8 as an object with their `base64`.
  static func append(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    if unsafe JSONText.isJSON(payload) {
      unsafe append(json: payload, to: &output)
    } else if let text = unsafe String(validating: payload, as: UTF8.self) {
      output += JSONText.string(text).utf8
    } else {
      output.append(UInt8(ascii: "{"))
      unsafe append(base64: payload, to: &output)
      output.append(UInt8(ascii: "}"))
    }
  }

  /// Adds what is known to be JSON.
  static func append(json: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    // Line ends stand only between tokens: inside a string they would not be valid.
    unsafe output.append(contentsOf: json.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 })
  }

  /// Adds a member with the bytes of a payload.
  static func append(base64 payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    output += #""base64":""#.utf8
    unsafe output += Data(payload).base64EncodedData()
    output.append(UInt8(ascii: "\""))
  }

  /// An object whose members are texts.
  static func texts(_ texts: [(key: String, text: String)]) -> String {
    object(texts.map { (key: $0.key, json: JSONText.string($0.text)) })
  }

  /// An object whose members are JSON.
  static func object(_ members: [(key: String, json: String)]) -> String {
    let texts = members.map { "\(JSONText.string($0.key)):\($0.json)" }
    return "{\(texts.joined(separator: ","))}"
  }
}

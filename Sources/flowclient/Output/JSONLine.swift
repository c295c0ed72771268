import FlowLanguage
import FoundationEssentials

enum JSONLine {
  /// Appends a payload: JSON with blanks for line ends, other text as a string, and bytes that are
  /// not UTF-8 as an object with `base64`.
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

  static func append(json: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    // Line ends occur between tokens only, as they are invalid in strings.
    unsafe output.append(contentsOf: json.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 })
  }

  static func append(base64 payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    output += #""base64":""#.utf8
    unsafe output += Data(payload).base64EncodedData()
    output.append(UInt8(ascii: "\""))
  }

  static func texts(_ texts: [(key: String, text: String)]) -> String {
    object(texts.map { (key: $0.key, json: JSONText.string($0.text)) })
  }

  static func object(_ members: [(key: String, json: String)]) -> String {
    let texts = members.map { "\(JSONText.string($0.key)):\($0.json)" }
    return "{\(texts.joined(separator: ","))}"
  }
}

/// JSON for whoever has texts and payloads, and no values.
package enum JSONText {
  /// Adds `payload` as it is if it is JSON, and as a JSON string if not, in one line.
  package static func append(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard unsafe payload.withMemoryRebound(to: UInt8.self, { unsafe isValue($0) }) else {
      let text = unsafe String(decoding: payload, as: UTF8.self)
      unsafe JSONWriter.withText(of: .string(text)) { unsafe output += $0 }
      return
    }
    // Line ends stand only between tokens: inside a string they would not be valid.
    unsafe output.append(contentsOf: payload.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 })
  }

  /// A text as a JSON string.
  package static func string(_ text: String) -> String {
    var string = ""
    unsafe JSONWriter.withText(of: .string(text)) {
      string = unsafe String(decoding: $0, as: UTF8.self)
    }
    return string
  }

  private static func isValue(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = bytes.baseAddress else { return false }
    let grammar = unsafe JSONGrammar(end: start + bytes.count)
    guard let behind = unsafe grammar.value(grammar.blanks(start), inside: 0) else { return false }
    return unsafe grammar.blanks(behind) == grammar.end && grammar.isUTF8(from: start)
  }
}

/// JSON for whoever has texts and payloads, and no values.
package enum JSONText {
  /// Adds `payload` as it is if it is JSON, and as a JSON string if not, in one line.
  package static func append(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard unsafe isJSON(payload) else {
      let text = unsafe String(decoding: payload, as: UTF8.self)
      unsafe JSONWriter.withText(of: .string(text)) { unsafe output += $0 }
      return
    }
    // Line ends stand only between tokens: inside a string they would not be valid.
    unsafe output.append(contentsOf: payload.lazy.map { $0 == 10 || $0 == 13 ? 32 : $0 })
  }

  /// Whether `payload` is JSON, and not a text as it is.
  package static func isJSON(_ payload: UnsafeRawBufferPointer) -> Bool {
    unsafe PaddedText.with(copyOf: payload, isValue)
  }

  /// Returns how many bytes to skip: 3 if JSON follows a byte order mark, or else 0.
  package static func markLength(of payload: UnsafeRawBufferPointer) -> Int {
    guard unsafe payload.starts(with: [0xEF, 0xBB, 0xBF]) else { return 0 }
    return unsafe isJSON(UnsafeRawBufferPointer(rebasing: payload[3...])) ? 3 : 0
  }

  /// A text as a JSON string.
  package static func string(_ text: String) -> String {
    var string = ""
    unsafe JSONWriter.withText(of: .string(text)) {
      string = unsafe String(decoding: $0, as: UTF8.self)
    }
    return string
  }

  private static func isValue(_ text: PaddedText) -> Bool {
    unsafe JSONScan.withoutGuesses { scan, guess in
      unsafe JSONScan.isWhole(text) { unsafe scan.value($0, inside: 0, &guess) }
    }
  }
}

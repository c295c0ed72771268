import Testing

@testable import flowclient

@Suite("lines of JSON that come in")
struct NDJSONRecordsTests {
  private func read(_ text: [UInt8]) -> (values: [String], failure: ClientError?) {
    var records = NDJSONRecords()
    let read = text.withUnsafeBytes { records.read(ValueChunk(bytes: $0)) }
    var start = 0
    let values = read.ends.map { end in
      defer { start = end }
      return String(decoding: read.bytes[start..<end], as: UTF8.self)
    }
    return (values, read.failure ?? records.end())
  }

  @Test("each is a value as it is, without a CR at its end; blank ones are none")
  func lines() {
    let result = read(Array("{\"a\" : 1.50}\n\n \t\r\n\"x\"\r\n  [1]\n\r\n".utf8))
    #expect(result.values == ["{\"a\" : 1.50}", "\"x\"", "  [1]"])
    #expect(result.failure == nil)
  }

  @Test(
    "what is no JSON is told with its line and column, behind what is right",
    arguments: [
      ("{\"a\":tru}", "column 6: expected a value of JSON"),
      ("x", "column 1: expected a value of JSON"),
      ("{\"ä\":1,}", "column 8: expected a key in quotes"),
      ("{\"a\" 1}", "column 6: expected a colon"),
      ("[1 2]", "column 4: expected a comma or \"]\""),
      ("[1}", "column 3: expected a comma or \"]\""),
      ("{\"a\":[1]]", "column 9: expected a comma or \"}\""),
      ("1 2", "column 3: expected nothing more"),
      ("{\"a\":", "column 6: the value ends too early"),
      ("01", "column 1: expected a value of JSON"),
      ("{", "column 2: the value ends too early"), ("\"a", "column 1: expected a value of JSON"),
      ("[\u{0}]", "column 2: expected a value of JSON"),
      ("{a:1}", "column 2: expected a key in quotes"),
      (
        String(repeating: "[", count: 200),
        "column 130: arrays and objects are nested deeper than 128"
      ),
    ]
  )
  func mistakes(_ line: String, _ message: String) {
    let result = read(Array("1\n\n2\n\(line)\n3\n".utf8))
    #expect(result.values == ["1", "2"])
    #expect(result.failure?.message == "line 4, \(message)")
    #expect(result.failure?.exit == .badInput)
  }

  @Test("so are bytes that are not UTF-8")
  func notUTF8() {
    let result = read(Array("[\"ä".utf8) + [0xFF] + Array("\"]\n".utf8))
    #expect(result.failure?.message == "line 1, column 4: this is not UTF-8")
  }
}

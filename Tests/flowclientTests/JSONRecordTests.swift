import FlowLanguage
import FlowTestSupport
import Testing

@testable import flowclient

@Suite("JSON records of values")
struct JSONRecordTests {
  private static func read(_ record: [UInt8]) -> [UInt8]? {
    record.withUnsafeBytes { JSONRecord.value(in: $0) }
  }

  private static func record(_ payload: [UInt8]) -> [UInt8] {
    var output = Array(#"{"n":1"#.utf8)
    payload.withUnsafeBytes { JSONRecord.append($0, to: &output) }
    return output + Array("}".utf8)
  }

  @Test("what a record is made of is had again from it")
  func records() {
    var random = SeededGenerator(state: 5)
    for _ in 0..<RandomCases.count(20_000) {
      let payload = random.payload()
      let record = Self.record(payload)
      #expect(!record.contains(10) && !record.contains(13))
      #expect(Self.read(record) == payload, "\(String(decoding: payload, as: UTF8.self))")
      #expect(record.withUnsafeBytes { JSONText.isJSON($0) })
    }
    for depth in [1, 127, 128, 129, 5000] {
      let brackets = [UInt8](repeating: 0x5B, count: depth) + [UInt8](repeating: 0x5D, count: depth)
      #expect(Self.read(Self.record(brackets)) == brackets)
    }
  }

  @Test(
    "records of others are read, whatever else is in them",
    arguments: [
      (#" { "value" : { "a": 1.50 } , "n" : [1, "}"] } "#, #"{ "a": 1.50 }"#),
      (#"{"json":false,"value":"a\n\"ä"}"#, "a\n\"ä"), (#"{"json":true,"value":"a"}"#, #""a""#),
      (#"{"base64":"YQ==","value":1}"#, "a"), (#"{"base64":"YQ\u003d\u003d"}"#, "a"),
      (#"{"base64":""}"#, ""),
    ]
  )
  func foreign(_ record: String, _ value: String) {
    #expect(Self.read(Array(record.utf8)).map { String(decoding: $0, as: UTF8.self) } == value)
  }

  @Test(
    "what is no record is refused",
    arguments: [
      "", "1", "[]", "{}", #"{"value"}"#, #"{"value":}"#, #"{"value":1,}"#, #"{"value":01}"#,
      #"{"value":1}x"#, #"{"value":tru}"#, #"{"value":[}}"#, #"{"value":"a}"#, #"{"json":false}"#,
      #"{"json":false,"value":1}"#, #"{"base64":"%"}"#, #"{"base64":1}"#, #"{value:1}"#, "{\"",
      #"{"value":"a\"}"#, #"{"value":1 2}"#,
    ]
  )
  func refused(_ record: String) {
    #expect(Self.read(Array(record.utf8)) == nil)
  }
}

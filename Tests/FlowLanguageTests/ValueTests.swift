import FlowLanguage
import Testing

@Suite("Values are JSON")
struct ValueTests {
  @Test(
    "bytes that come in go out as they are",
    arguments: ["{ \"a\":  1 }", "hello", "", "1.0e0", "[1,", "\u{1F600}", "\"\\u00e9\""]
  )
  func untouched(payload: String) {
    #expect(value(payload).text == payload)
  }

  @Test(
    "a value looked into is written as compact JSON",
    arguments: [
      (" [ 1 , -2 , 0.5 , true , null ] ", "[1,-2,0.5,true,null]"),
      ("{ \"b\" : 1 , \"a\" : { } }", "{\"b\":1,\"a\":{}}"),
      (#""\u00e9\ud83d\ude00\n\u0001\"\\\/""#, "\"é😀\\n\\u0001\\\"\\\\/\""),
      (#""\ud83d!""#, "\"\u{FFFD}!\""), ("hello", "\"hello\""), ("01", "\"01\""), ("1.", "\"1.\""),
      ("[1,]", "\"[1,]\""), ("1e999", "1e999"), ("nul", "\"nul\""), ("", "\"\""),
      ("\"a\tb\"", "\"\\\"a\\tb\\\"\""), ("9223372036854775808", "9223372036854775808"),
      ("-9223372036854775808", "-9223372036854775808"), ("1E2", "1E2"), ("-0", "-0"),
      ("1.50", "1.50"),
    ] as [(String, String)]
  )
  func written(payload: String, expected: String) throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.map { let looked = $0 == null; $0 }")
    host.send(payload, to: "taps")
    #expect(recorder.values == [expected])
  }

  @Test("nesting without end is no JSON, and no crash")
  func deep() throws {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps.map { $0.count }")
    host.send(String(repeating: "[", count: 100_000), to: "taps")
    #expect(recorder.values == ["100000"])
  }

  @Test("the order of keys does not count, nor does 1 differ from 1.0")
  func equality() {
    #expect(value("{\"a\":1,\"b\":2}") == value("{\"b\":2.0,\"a\":1}"))
    #expect(value("1") != value("\"1\""))
    #expect(value("null") != value("false"))
  }

  @Test("a value is small")
  func size() {
    #expect(MemoryLayout<Value>.size <= 24)
  }
}

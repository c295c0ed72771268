import Testing

@testable import flowclient

@Suite("output of values")
struct OutputTests {
  private func show(_ form: ValueFormat.Form, _ payload: String) -> String {
    show(form, Array(payload.utf8))
  }

  private func show(
    _ form: ValueFormat.Form,
    _ payload: [UInt8],
    endsWithNull: Bool = false
  ) -> String {
    var output: [UInt8] = []
    var state = ValueFormat.State()
    let format = ValueFormat(form: form, endsWithNull: endsWithNull)
    payload.withUnsafeBytes {
      format.append($0, number: 7, time: "12:30:25.104", &state, to: &output)
    }
    return String(decoding: output, as: UTF8.self)
  }

  @Test("a pipe gets the payload alone, a line each")
  func line() {
    #expect(show(.line, #"{"id":1}"#) == "{\"id\":1}\n")
    #expect(show(.line, "") == "\n")
    #expect(show(.line, "\u{1b}[2J") == "\u{1b}[2J\n")
  }

  @Test("raw adds nothing")
  func raw() {
    #expect(show(.raw, "a\nb") == "a\nb")
  }

  @Test("ndjson is a line of JSON, whatever the payload is")
  func ndjson() {
    #expect(show(.ndjson, "{\"a\":\n1.50}") == "{\"a\": 1.50}\n")
    #expect(show(.ndjson, "no \"json\"\n") == #""no \"json\"\n""# + "\n")
    #expect(show(.ndjson, "") == "\"\"\n")
    #expect(show(.ndjson, [0x22, 0xFF]) == #"{"base64":"Iv8="}"# + "\n")
  }

  @Test("a NUL may end each value")
  func null() throws {
    let forms: [ValueFormat.Form] = [.line, .raw, .ndjson, .template(try ValueTemplate("{}"))]
    for form in forms { #expect(show(form, Array("[1]".utf8), endsWithNull: true) == "[1]\0") }
    #expect(show(.json, [0x31], endsWithNull: true).hasSuffix("\"value\":1}\0"))
  }

  @Test("a terminal gets time and number, and nothing that it would obey")
  func terminal() {
    #expect(show(.terminal(colored: false), #"{"id":1}"#) == "12:30:25.104 #7 {\"id\":1}\n")
    #expect(
      show(.terminal(colored: false), "a\u{1b}[2Jö\t\r") == "12:30:25.104 #7 a\\u{1B}[2Jö\t\\r\n"
    )
    #expect(
      show(.terminal(colored: false), "a\u{9B}\u{202E}\u{200B}ö")
        == "12:30:25.104 #7 a\\u{009B}\\u{202E}\\u{200B}ö\n"
    )
    #expect(show(.terminal(colored: true), "1") == "\u{1b}[2m12:30:25.104 #7\u{1b}[0m 1\n")
  }

  @Test(
    "json puts JSON in as it is",
    arguments: [
      ("1", "1"), ("-0.5e+3", "-0.5e+3"), ("true", "true"), ("null", "null"),
      (#"{"a":[1,{"b":"\u00e9\n"}]}"#, #"{"a":[1,{"b":"\u00e9\n"}]}"#),
      ("[]", "[]"), ("[1, 2.50]", "[1, 2.50]"), (#""\u0041""#, #""\u0041""#),
      ("[\n1\r\n]", #"[ 1  ],"base64":"WwoxDQpd""#), (" {} ", #" {} ,"base64":"IHt9IA==""#),
    ]
  )
  func json(_ payload: String, _ value: String) {
    let head = #"{"n":7,"time":"12:30:25.104","value":"#
    #expect(show(.json, payload) == head + value + "}\n")
  }

  @Test(
    "json puts what is none in as a string, and says so",
    arguments: [
      ("", #""""#), ("hello", #""hello""#), ("01", #""01""#), ("1.", #""1.""#),
      ("[1,]", #""[1,]""#), ("a\r", #""a\r""#),
      ("{a:1}", #""{a:1}""#), ("say \"hi\"\n\u{1}", #""say \"hi\"\n\u0001""#),
      ("\"\\x\"", #""\"\\x\"""#), ("tru", #""tru""#), ("1 2", #""1 2""#),
    ]
  )
  func jsonOfText(_ payload: String, _ value: String) {
    let head = #"{"n":7,"time":"12:30:25.104","value":"#
    #expect(show(.json, payload) == head + value + ",\"json\":false}\n")
  }

  @Test("json survives bytes that are not UTF-8, and any depth")
  func jsonOfAnything() {
    #expect(show(.json, [0x22, 0xFF, 0x22]).hasSuffix(#"25.104","base64":"Iv8i"}"# + "\n"))
    let deep = String(repeating: "[", count: 100_000)
    #expect(show(.json, deep).hasSuffix("\"value\":\"\(deep)\",\"json\":false}\n"))
  }

  @Test("time is padded")
  func clock() {
    #expect(WallClock.text(hour: 1, minute: 2, second: 3, millisecond: 4) == "01:02:03.004")
    #expect(WallClock.now().count == 12)
  }
}

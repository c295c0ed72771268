import FlowCore
import FlowLanguage
import Testing

@Suite("Numbers and texts, otherwise written")
struct WritingTests {
  @Test(
    "roots, powers and logarithms",
    arguments: [
      ("4", "sqrt($0)", "2.0"), ("-1", "sqrt($0)", "sqrt needs a number of at least 0, not -1"),
      ("0.5", "pow(4, $0)", "2.0"), ("0.5", "pow(-8, $0)", "pow(-8, 0.5) is no real number"),
      ("400", "pow(10, $0)", "arithmetic overflow"), ("0", "pow($0, -1)", "arithmetic overflow"),
      ("0", "log($0)", "log needs a number above 0, not 0"), ("1e9", "log10($0)", "9.0"),
      ("1000", "exp($0)", "arithmetic overflow"), ("0.25", "log2($0)", "-2.0"),
      ("1e999", "sqrt($0)", "arithmetic overflow"), ("1e999", "pow($0, 0)", "arithmetic overflow"),
    ] as [(String, String, String)]
  )
  func reals(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "computing with a number too large for a Double fails",
    arguments: [
      "Double($0)", "5 / $0", "5 % $0", "$0 * 0", "18446744073709551615 / $0", "0.5 / $0",
      "$0 / $0", "$0 % 5", "pow(0, $0)", "exp(-$0)", "abs($0)", "round($0)", "floor($0)",
      "ceil($0)", "sqrt($0)", "-$0", "max($0, 1)", "min(1, $0)", "$0.rounded()", "$0 + 1",
      "$0 == 1", "1 != $0", "$0 == $0", "$0 < 1", "1 <= $0", "$0 > $0", "$0 >= 1.5",
      "[1].contains($0)", "[$0, 1].sorted()", "[1, $0].max()", "[$0, 1].sum", "-(-$0)",
      "switch $0 { case 1...: 1 default: 2 }", "switch $0 { case 1: 1 default: 2 }",
      "$0 > 1 ? 1 : 2", "[$0].filter { $0 > 1 }", "[$0, 2].min { $0 < $1 }",
    ]
  )
  func beyond(_ body: String) throws {
    for payload in ["1e400", "-1e400", " 1e999 "] {
      #expect(try outcome(body, of: payload) == "arithmetic overflow", "\(body) of \(payload)")
    }
  }

  @Test(
    "what only hands on a number beyond all Doubles keeps its spelling",
    arguments: [
      ("1e400", "$0", "1e400"), ("1e400", "[$0]", "[1e400]"),
      ("1e400", "$0 ?? 1", "1e400"), ("1e400", "true ? $0 : 1", "1e400"),
      ("1e400", "$0 == null", "false"), ("1e400", "$0 == \"a\"", "false"),
      ("1e400", "let x = $0; [x]", "[1e400]"), ("[1e400]", "$0[0]", "1e400"),
      ("[1e400,1e401]", "$0.0 == $0.1", "arithmetic overflow"),
      ("[1e400,1e401]", "[$0.0] == [$0.1]", "false"),
      ("[1e400,1e400]", "[$0.0] == [$0.1]", "true"), ("[1e400]", "$0.first", "1e400"),
      ("[2,1e400]", "$0.reversed()", "[1e400,2]"),
      ("1e400", "switch $0 { case \"a\": 1 default: $0 }", "1e400"),
      ("{\"a\":1e400}", "$0.a", "1e400"), ("{\"a\":1e400}", "$0.a > 1", "arithmetic overflow"),
    ]
  )
  func handedOn(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test("values with numbers beyond all Doubles are told apart by how these are spelled")
  func spelled() throws {
    for (text, sent, values) in [
      ("taps.removeDuplicates()", "1e400 1e400 1e401 -1e401 2", "1e400 1e401 -1e401 2"),
      ("taps.removeDuplicates(by: \\.0)", "[1e400] [1e400] [1e401]", "[1e400] [1e401]"),
      ("taps.group(by: { $0 }) { $0.count() }", "1e400 1e401 1e400", "2 1"),
      ("taps.group(by: { [$0] }) { $0.count() }", "1e400 1e401 1e400", "2 1"),
      ("taps.group(by: { $0[0] }) { $0.count() }", "[1e400] [1e401] [1e400]", "2 1"),
    ] {
      let host = TestHost(subjects: "taps")
      let recorder = Recorder(host.clock)
      try host.pipeline(text).publisher(in: host).subscribe(recorder)
      for value in sent.split(separator: " ") { host.send(String(value), to: "taps") }
      host.subjects["taps"]?.send(completion: .finished)
      #expect(recorder.joined == values, "\(text)")
    }
    for text in [
      "taps.tryRemoveDuplicates { $0 == $1 }", "taps.tryMax()", "taps.tryMin(by: \\.self)",
    ] {
      let host = TestHost(subjects: "taps")
      let recorder = Recorder(host.clock)
      try host.pipeline(text).publisher(in: host).subscribe(recorder)
      for value in ["1e400", "1e401"] { host.send(value, to: "taps") }
      guard case .failure(let failure) = recorder.completions.first else {
        Issue.record("\(text) has not failed")
        continue
      }
      #expect(failure.message.contains("arithmetic overflow"), "\(text)")
    }
  }

  @Test(
    "places",
    arguments: [
      ("2.675", "$0.rounded(to: 2)", "2.68"), ("-2.675", "round($0, 2)", "-2.68"),
      ("1.005", "$0.rounded(to: 2)", "1.01"), ("7", "$0.rounded(to: 2)", "7"),
      ("0.30000000000000004", "$0.rounded(to: 10)", "0.3"),
      ("1e300", "$0.rounded(to: 2)", "1e+300"),
      ("1e-300", "$0.rounded(to: 20)", "0.0"), ("-0.001", "$0.rounded(to: 2)", "-0.0"),
      ("3.7", "$0.rounded()", "4.0"), ("12.5", "$0.rounded(to: 0)", "13.0"),
      ("3.1", "$0.formatted(places: 2)", "\"3.10\""), ("3", "$0.formatted(places: 2)", "\"3.00\""),
      ("-3", "$0.formatted(places: 0)", "\"-3\""), ("0", "$0.formatted(places: 1)", "\"0.0\""),
      ("2.5", "$0.formatted(places: 0)", "\"3\""), ("0.05", "$0.formatted(places: 1)", "\"0.1\""),
      ("-0.04", "$0.formatted(places: 1)", "\"0.0\""),
      ("99.995", "$0.formatted(places: 2)", "\"100.00\""),
      ("1e21", "$0.formatted(places: 1)", "\"1000000000000000000000.0\""),
      ("0.0", "$0.formatted(places: 3)", "\"0.000\""),
      ("1e-30", "$0.formatted(places: 2)", "\"0.00\""),
      (
        "-9223372036854775808", "$0.formatted(places: 1)", "\"-9223372036854775808.0\""
      ),
      ("1e308", "$0.formatted(places: 20).count", "330"),
      ("123456.789", "$0.formatted(places: 1)", "\"123456.8\""),
    ] as [(String, String, String)]
  )
  func places(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "Base64, hexadecimal digits and JSON",
    arguments: [
      ("\"\"", "$0.base64Encoded()", "\"\""), ("\"f\"", "$0.base64Encoded()", "\"Zg==\""),
      ("\"fo\"", "$0.base64Encoded()", "\"Zm8=\""),
      ("\"é?>\"", "$0.base64Encoded()", "\"w6k/Pg==\""),
      ("\"w6k_Pg\"", "$0.base64Decoded()", "\"é?>\""), ("\"Zg==\"", "$0.base64Decoded()", "\"f\""),
      ("\"Zg=\"", "$0.base64Decoded()", "base64Decoded: the text does not end as Base64 does"),
      ("\"Z\"", "$0.base64Decoded()", "base64Decoded: the text does not end as Base64 does"),
      ("\"Zéa\"", "$0.base64Decoded()", "base64Decoded cannot read \"é\" at 1"),
      ("\"/w==\"", "$0.base64Decoded()", "base64Decoded: the bytes are no text in UTF-8"),
      ("\"é\"", "$0.hexEncoded()", "\"c3a9\""), ("\"C3A9\"", "$0.hexDecoded()", "\"é\""),
      ("\"c3a\"", "$0.hexDecoded()", "hexDecoded needs an even number of digits, not 3"),
      ("\"0g\"", "$0.hexDecoded()", "hexDecoded cannot read \"g\" at 1"),
      ("\"ff\"", "$0.hexDecoded()", "hexDecoded: the bytes are no text in UTF-8"),
      ("\"[1, {\\\"a\\\": 2}]\"", "JSON($0)[1].a", "2"), ("\"{\"", "JSON($0)", "null"),
      ("\"01\"", "JSON($0) ?? 0", "0"),
      ("{ \"a\": \"b\" }", "JSONText($0)", "\"{\\\"a\\\":\\\"b\\\"}\""),
      ("\"a\\nb\"", "JSON(JSONText($0)) == $0", "true"),
    ] as [(String, String, String)]
  )
  func codings(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test("what is encoded is decoded again")
  func roundTrips() throws {
    var dice = Dice(state: 19)
    for length in 0..<60 {
      let text = String(
        (0..<length).compactMap { _ in
          Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &dice)).map { Character($0) }
        }
      )
      for code in ["base64", "hex"] {
        let closure = try ValueClosure("{ $0.\(code)Encoded().\(code)Decoded() }")
        #expect(try closure(.string(text)) == .string(text))
      }
    }
  }
}

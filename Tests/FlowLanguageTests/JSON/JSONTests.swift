import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("JSON as RFC 8259 has it")
struct JSONTests {
  /// What is read and written again; `nil` if it is no JSON.
  private func rewritten(_ bytes: [UInt8]) -> String? {
    read(bytes).map { $0.withBytes { String(decoding: $0, as: UTF8.self) } }
  }

  @Test("wherever an object has a blank or an escape, it is written without")
  func oddPlaces() {
    let parts = [
      "{", #""a""#, ":", "{", #""b c""#, ":", "[", "1", ",", #""d e""#, ",", "[", "]", ",", "true",
      "]",
      ",", #""f""#, ":", "{", "}", "}", ",", #""g""#, ":", "-1.50", "}",
    ]
    let compact = parts.joined()
    #expect(rewritten(Array(compact.utf8)) == compact)
    for place in parts.indices {
      var blank = parts
      blank[place] += " \n"
      var escape = parts
      escape[place].replace("\"", with: #""\u0078"#, maxReplacements: 1)
      var escaped = parts
      escaped[place].replace("\"", with: "\"x", maxReplacements: 1)
      for (text, expected) in [(blank.joined(), compact), (escape.joined(), escaped.joined())] {
        #expect(rewritten(Array(text.utf8)) == expected)
        // What one element has says nothing about the next, nor about the one before.
        let array = "[\(text),\(compact),\(text)]"
        #expect(rewritten(Array(array.utf8)) == "[\(expected),\(compact),\(expected)]")
      }
    }
  }

  @Test(
    "is read, and written compactly with its numbers as they were",
    arguments: [
      ("0", "0"), ("-0", "-0"), ("-1", "-1"), ("123456789012345678", "123456789012345678"),
      ("9223372036854775807", "9223372036854775807"),
      ("-9223372036854775808", "-9223372036854775808"),
      ("9223372036854775808", "9223372036854775808"),
      ("1234567890123456789012345678901234567890", "1234567890123456789012345678901234567890"),
      ("1.0", "1.0"), ("1.50", "1.50"), ("1e5", "1e5"), ("1E+05", "1E+05"), ("-0.0e-0", "-0.0e-0"),
      ("1e999", "1e999"), ("\t\n\r 1 \t\n\r", "1"),
      ("\"\"", "\"\""), (#""\"\\\/\b\f\n\r\t""#, #""\"\\/\u0008\u000c\n\r\t""#),
      (#""\u0000\u001f\u0020""#, #""\u0000\u001f ""#), ("\"\u{7f}\"", "\"\u{7f}\""),
      (#""\u00e9\u20AC""#, "\"é€\""), (#""\ud83d\ude00""#, "\"😀\""), ("\"é€😀\"", "\"é€😀\""),
      (#""\ud83d""#, "\"\u{FFFD}\""), (#""\ude00!""#, "\"\u{FFFD}!\""),
      (#""\ud83d\u0041""#, "\"\u{FFFD}A\""), (#""\ud83d\ud83d\ude00""#, "\"\u{FFFD}😀\""),
      ("\"longer than any eight bytes\"", "\"longer than any eight bytes\""),
      (#""seven e\n""#, #""seven e\n""#), ("[]", "[]"), ("{}", "{}"), ("[ [ ] , { } ]", "[[],{}]"),
      ("{\"b\":1,\"a\":2,\"b\":3}", "{\"b\":1,\"a\":2,\"b\":3}"),
      (#"{"\u0061":1,"":2}"#, "{\"a\":1,\"\":2}"), ("[true,false,null]", "[true,false,null]"),
    ] as [(String, String)]
  )
  func reads(text: String, expected: String) {
    #expect(rewritten(Array(text.utf8)) == expected)
  }

  @Test(
    "keys and strings of every length, with any byte at any place, come back",
    arguments: [
      (#"\""#, #"\""#), (#"\\"#, #"\\"#), (#"\n"#, #"\n"#), (#"\u001F"#, #"\u001f"#), (" ", " "),
      ("!", "!"), ("\u{7f}", "\u{7f}"), ("é", "é"),
    ]
  )
  func places(spelled: String, written: String) {
    for length in 0..<20 {
      for place in 0...length {
        let before = String(repeating: "k", count: place)
        let after = String(repeating: "z", count: length - place)
        func text(_ byte: String) -> String {
          let string = "\"\(before)\(byte)\(after)\""
          return "{\(string):\(string)}"
        }
        #expect(rewritten(Array(text(spelled).utf8)) == text(written))
      }
    }
  }

  @Test(
    "is not read when it is not JSON",
    arguments: [
      "", " ", "01", "-01", "1.", ".5", "-", "+1", "1e", "1e+", "1.e5", "0x1", "1_000", "NaN",
      "Infinity", "-Infinity", "nul", "nulll", "True", "tru", "'a'", "\"a", "\"a\tb\"", "\"a\nb\"",
      "\"\u{1}\"", #""\x""#, #""\u12""#, #""\u12g4""#, #""\"#, "\"12345678\n\"", "[", "]", "[1",
      "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{", "}", "{a:1}", "{\"a\"}", "{\"a\":}",
      "{\"a\":1,}", "{\"a\":1 \"b\":2}", "{1:2}", "{\"a\" 1}", "1 2", "\"a\" \"b\"", "{} {}",
      "/* */ 1", "1//", "\u{FEFF}1", "\u{A0}1", "\0", "1\0",
    ]
  )
  func refuses(text: String) {
    #expect(rewritten(Array(text.utf8)) == nil)
    #expect(value(text).decoded == .string(text))
  }

  @Test(
    "what is not UTF-8 is a string, and goes through untouched",
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22],
      [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0xFF, 0xFE],
      [0x7B, 0x22, 0x61, 0x22, 0x3A, 0x22, 0xE2, 0x82, 0x22, 0x7D],
    ] as [[UInt8]]
  )
  func notUTF8(bytes: [UInt8]) throws {
    let payload = bytes.withUnsafeBytes { Value(bytes: $0) }
    #expect(payload.withBytes { Array($0) } == bytes)
    #expect(payload.decoded == .string(String(decoding: bytes, as: UTF8.self)))
    #expect(try ValueClosure("{ $0 }")(payload).withBytes { Array($0) } == bytes)
    #expect(try ValueClosure("{ $0.a ?? 0 }")(value("{\"a\":1}")) == .int(1))
    let member = try ValueClosure("{ $0.count > 0 ? $0.count : 0 }")(payload)
    #expect(member == .int(String(decoding: bytes, as: UTF8.self).count))
  }

  @Test("is nested 128 deep, and no deeper")
  func depth() {
    func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
      Array(
        (String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8
      )
    }
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      #expect(rewritten(nested(128, open, close)) != nil)
      #expect(rewritten(nested(129, open, close)) == nil)
    }
  }

  @Test("every prefix of a text is read or refused")
  func prefixes() {
    let text = Array(#"{"a":[1,-2.5e+3,"\u00e9\\x",true,null],"é":{"b":{}}} "#.utf8)
    let complete = text.indices.filter { rewritten(Array(text[...$0])) != nil }
    #expect(complete == [text.count - 2, text.count - 1])
  }
}

@Suite("Numbers")
struct NumberTests {
  @Test(
    "are an Int or a UInt if they fit, or else the nearest Double, when computed with",
    arguments: [
      ("-0", .int(0)), ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .uint(9_223_372_036_854_775_808)), ("1.0", .double(1)),
      ("18446744073709551615", .uint(.max)), ("18446744073709551616", .double(0x1p64)),
      ("-9223372036854775809", .double(-0x1p63)), ("9223372036854775808.0", .double(0x1p63)),
      ("1e2", .double(100)), ("0.1", .double(0.1)), ("-1.5e-3", .double(-0.0015)),
      ("123456789.123456789", .double(123456789.123456789)), ("1e22", .double(1e22)),
      ("1e23", .double(1e23)), ("5e-324", .double(.leastNonzeroMagnitude)), ("1e-400", .double(0)),
      ("1.7976931348623157e308", .double(1.7976931348623157e308)),
      ("1e999", .number(NumberText(text: "1e999"))),
      ("0.00000000000000000000000001", .double(1e-26)),
      ("9007199254740993.0", .double(9007199254740992)),
    ] as [(String, Value)]
  )
  func values(text: String, expected: Value) {
    let computed = value(text).decoded
    #expect(computed == expected)
    #expect("\(Kinds(of: computed))" == "\(Kinds(of: expected))")
  }

  @Test("Doubles of any bits are written as the standard library describes them, and read again")
  func anyDouble() throws {
    var dice = Dice(state: 23)
    var numbers: [Double] = [
      .leastNonzeroMagnitude, .leastNormalMagnitude, .leastNormalMagnitude.nextDown,
      .greatestFiniteMagnitude, 1e22, 1e23,
      9007199254740991, 9007199254740992, 9007199254740994, 1e15, 1e16, 1e17, 123456789012345680,
      1e9, 999_999_999.999999, 999_999_999.9999999, 1e9 + 0.5, 4503599627370496.5,
      100_000_000.00000001, 0.001, 0.0009999999999999998, 0.00012345678901234567, 0.01, 0.010203,
      99.99, 1234567.0000001,
      0.0001, 0.00009999999999999999, 1e-5, 0.1, 0.3, 4.35, 5e-5, 1.5, 9.5, 1e100, 8.41e21, 2e-44,
    ]
    numbers += (-1074...1023).map { Double(sign: .plus, exponent: $0, significand: 1) }
    numbers += (-320...308).compactMap { Double("1e\($0)") }
    numbers += (0..<30_000).map { _ in Double(bitPattern: dice.next()) }.filter(\.isFinite)
    // Of few decimals, and sums of them.
    numbers += (1...20_000).map { Double($0 * 37 % 20_011) / [10, 100, 1e4, 1e6, 1e7][$0 % 5] }
    numbers += numbers.suffix(20_000).reduce(into: [0.1]) { $0.append($0[$0.count - 1] + $1) }
    // Of 15 to 17 digits, as sums are.
    numbers += (0..<10_000).map { _ in
      Double(UInt64.random(in: 0...1 << 53, using: &dice))
        / [1, 1e3, 1e7, 1e15, 3, 7][Int.random(in: 0...5, using: &dice)]
    }
    for number in numbers {
      for number in [number, number.nextUp, -number.nextDown] where number.isFinite {
        let text = Value.double(number).text
        #expect(text == "\(number)")
        #expect(scalarText(.double(number)) == text)
        #expect(value(text).decoded == .double(number), "\(text)")
      }
    }
  }

  @Test("scalars are written right to where they go as they are written else")
  func scalars() {
    for scalar: Value in [
      .null, .bool(true), .bool(false), .int(.min), .int(.max), .uint(.max), .double(.nan),
    ] {
      #expect(scalarText(scalar) == scalar.text)
    }
  }

  /// What is written right to where a scalar goes; nothing may be written behind the room for it.
  private func scalarText(_ scalar: Value) -> String {
    let behind = Array(repeating: UInt8(0xFE), count: 8)
    var bytes = Array(repeating: UInt8(0xFF), count: Value.longestScalar) + behind
    #expect(scalar.isScalar)
    let count = unsafe bytes.withUnsafeMutableBytes { room -> Int in
      guard let start = room.baseAddress else { return 0 }
      return unsafe scalar.writeScalar(to: start)
    }
    #expect(bytes.suffix(8) == behind[...])
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  @Test("what is between two Doubles is read as the even one, what is next to it as the nearest")
  func halves() throws {
    var dice = Dice(state: 29)
    for _ in 0..<RandomCases.count(3_000) {
      // Up to 2^63, so that the number between two is whole and has at most 19 digits.
      let exponent = UInt64.random(in: 1...10, using: &dice)
      let number = UInt64.random(in: 1 << 52..<1 << 53, using: &dice) << exponent
      for digits in [number + 1 << (exponent - 1), number + 1 << (exponent - 1) + 1] {
        for text in ["\(digits).0", "\(digits)0e-1", "\(digits)00.0e-2", "\(digits - 2)e0"] {
          #expect(try value(text).decoded == .double(#require(Double(text))), "\(text)")
        }
      }
    }
  }

  @Test("random spellings are read as the standard library reads them")
  func spellings() throws {
    var dice = Dice(state: 5)
    for _ in 0..<RandomCases.count(10_000) {
      let whole = String(
        UInt64.random(in: 0...UInt64.max >> UInt64.random(in: 0..<64, using: &dice), using: &dice)
      )
      let fraction = String(
        UInt64.random(in: 0...UInt64.max >> UInt64.random(in: 0..<64, using: &dice), using: &dice)
      )
      let exponent = Int.random(in: -330...330, using: &dice) / Int.random(in: 1...40, using: &dice)
      let text =
        ["\(whole).\(fraction)", "-\(whole)e\(exponent)", "\(whole).\(fraction)E\(exponent)"]
        .randomElement(using: &dice) ?? "0"
      let expected = try #require(Double(text))
      guard expected.isFinite else {
        #expect(value(text).decoded.isBeyondDoubles, "\(text)")
        continue
      }
      guard case .double(let number) = value(text).decoded else {
        Issue.record("\(text) is no Double")
        continue
      }
      #expect(number == expected)
      #expect(Value.double(number).text == "\(expected)")
    }
  }
}

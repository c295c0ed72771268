import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("The fast ways over JSON agree with a plain one")
struct GrammarTests {
  private let texts = [
    #"{"a":1,"longer than eight":{"b":[true,false,null,{"c":"x"}]},"seven..":-0.5e+10,"":[]}"#,
    #" { "\u0061" : "\"\\\u00e9é" , "b" : [ 10 , 2.25 , "" ] , "a" : 20 , "longer than eight" : 0 } "#,
    #"{"a":"0123456789012345678901234567890123456789","eight...":"€€€€€€","b":[[[]],{}]}"#,
    #"[{"a":1},"text with a \n",1234567890123456789012345]"#,
  ]
  /// Knows of each text what the ones before were like.
  private let known = KnownMembers()
  private let keys = ["a", "b", "", "seven..", "eight...", "longer than eight", "missing"]

  /// Reads `bytes` in all ways, and expects what the plain reader makes of them.
  private func check(_ bytes: [UInt8]) {
    var plain = PlainReader(bytes)
    let isJSON = plain.isWhole()
    let spelled = String(decoding: bytes, as: UTF8.self)
    let isRead = read(bytes) != nil
    #expect(isRead == isJSON, "\(spelled)")
    var output: [UInt8] = []
    bytes.withUnsafeBytes { JSONText.append($0, to: &output) }
    let isValue = output.count == bytes.count
    #expect(isValue == isJSON, "\(spelled)")
    known.forget()
    for name in keys {
      let expected: String? =
        isJSON && plain.isObject
        ? plain.members[name].map { described(Array(bytes[$0])) } ?? "missing" : nil
      let path = MemberPath([name])
      bytes.withUnsafeBytes { bytes in
        #expect(described(known.find(path, in: bytes)) == expected, "\(spelled)")
        PaddedText.with(copyOf: bytes) {
          #expect(described(MemberScan.find(path, in: $0)) == expected, "\(spelled)")
        }
      }
    }
  }

  private func described(_ bytes: [UInt8]) -> String {
    read(bytes).map { "\($0.decoded)" } ?? "no JSON"
  }

  private func described(_ found: MemberScan.Found) -> String? {
    switch found {
    case .at(let place): "\(MemberScan.value(at: place, for: .computing).decoded)"
    case .missing: "missing"
    case .notAnObject: nil
    }
  }

  @Test("of every prefix and every end of a text")
  func prefixes() {
    for text in texts {
      let bytes = Array(text.utf8)
      for place in bytes.indices {
        check(Array(bytes[..<place]))
        check(Array(bytes[place...]))
      }
      check(bytes)
    }
  }

  @Test("of texts in which a byte is another one, behind any number of blanks")
  func replaced() {
    let units: [UInt8] =
      Array("\"\\{}[]:,09-.eE+tu \t\n#!".utf8) + [0x00, 0x1F, 0x02, 0x7F, 0x80, 0xA2, 0xDC, 0xFF]
    var dice = Dice(state: 11)
    for text in texts {
      for index in 0..<text.utf8.count {
        var bytes = Array(text.utf8)
        for _ in 0..<RandomCases.count(6) {
          bytes[index] = units.randomElement(using: &dice) ?? 0
          check(Array(repeating: 0x20, count: Int.random(in: 0...9, using: &dice)) + bytes)
        }
      }
    }
  }

  @Test("of keys and strings of every length, with an escape or a stop at every place")
  func strings() {
    for length in 0...18 {
      for place in 0...length {
        for unit in [#"\""#, #"\u0061"#, #"\\"#, #"\"#, "\"", "\n", "é", "!"] {
          let text = String(repeating: "k", count: place) + unit
          let key = text + String(repeating: "z", count: length - place)
          check(Array("{\"\(key)\":\"\(key)\",\"a\":\"\(key)\"}".utf8))
        }
      }
    }
  }

  @Test("of what is nested deep, and of objects with many members")
  func large() {
    for depth in 126...129 {
      for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        check(
          Array(
            (String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth))
              .utf8
          )
        )
      }
    }
    for count in [1, 63, 64, 65, 300] {
      let members = (0..<count).map { #""\#(["a", "b", "c\($0)"][$0 % 3])":\#($0)"# }
      check(Array("{\(members.joined(separator: ","))}".utf8))
    }
  }

  @Test("of texts with the keys of the one before, or nearly, in other places")
  func guessed() {
    let long = String(repeating: "k", count: 29)
    let texts = [
      // The same keys one after the other, in other objects.
      #"{"a":{"x":1},"b":2}"#, #"{"a":1,"x":{"b":2}}"#, #"{"a":1,"x":2,"b":3}"#,
      #"{"a":{"x":1,"b":2}}"#, #"{"a":1,"x":[{"b":2}]}"#, #"{"a":1,"x":[{},{"b":2}],"b":4}"#,
      // Twice, or spelled in another way.
      #"{"a":1,"x":{"a":2}}"#, #"{"a":{"x":1},"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"a":1,"b":2}"#,
      #"{"a" :1,"b":2}"#, #"{"a": 1 , "b" : 2 }"#, #"{"":1,"a":2}"#, #"{"a":2,"":1}"#, "{}",
      // As long as can be guessed, and longer.
      "{\"\(long)a\":1,\"b\":2}", "{\"\(long)aa\":1,\"b\":2}", "{\"\(long)ab\":1,\"b\":2}",
      "{\"\(long)a\":1,\"a\":2}", "{\"\(long)\":1,\"seven..\":2,\"eight...\":3}",
      #"{"fourteen bytes":1,"a":2}"#, #"{"fourteen byteS":1,"a":2}"#,
      #"{"fifteen bytes..":1,"a":2}"#,
      // With another ending, and no JSON at all.
      #"{"a":1,"b":2"#, #"{"a":1,"b":}"#, #"{"a":1"b":2}"#, #"{"a"1,"b":2}"#, "7", #"["a"]"#,
      "{" + (0..<70).map { "\"c\($0)\":{\"b\":1}" }.joined(separator: ",") + ",\"a\":1}",
      // Like a guess of nothing, also where no guess is left.
      "{\"\0X1}", "{\"\0:null}", "{\"a\":1,\"\0X2,\"b\":3}", "{\"a\":{\"\0X1}}",
      "{" + (0..<70).map { "\"\0X\($0 % 10)" }.joined(separator: ",") + ",\"a\":1}",
      "{\"a\":1," + (0..<70).map { "\"c\($0)\":0,\"\0X\($0 % 10)" }.joined(separator: ",") + "}",
    ]
    // In debug an eighth of the texts behind each, other ones behind the next.
    let step = RandomCases.step
    for (number, first) in texts.enumerated() {
      for index in stride(from: number % step, to: texts.count, by: step) {
        check(Array(first.utf8))
        check(Array(texts[index].utf8))
        check(Array(texts[index].utf8))
      }
    }
  }

  @Test("numbers of few decimals are written as the standard library describes them")
  func decimals() {
    var dice = Dice(state: 17)
    for round in 0..<RandomCases.count(20_000) {
      let most: UInt64 = 1 << UInt64.random(in: 1...60, using: &dice)
      let digits = Double(UInt64.random(in: 0...most, using: &dice))
      var number = digits / [1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e9][round % 9]
      if round % 4 == 1 { number = number.nextUp }
      if round % 4 == 2 { number = -number }
      #expect(Value.double(number).text == "\(number)")
    }
    for number in [0.001, 0.0009999, 1e9, 1e9 - 1e-6, 999_999_999.999999, 0.1 + 0.2, -0.0, 1e16] {
      #expect(Value.double(number).text == "\(number)")
      #expect(Value.double(number.nextDown).text == "\(number.nextDown)")
    }
  }
}

/// RFC 8259 byte by byte, as plainly as it can be written.
private struct PlainReader {
  private let bytes: [UInt8]
  private var place = 0
  private var depth = 0
  /// Where the values of the outermost object's members stand: of each key the last.
  private(set) var members: [String: Range<Int>] = [:]
  private(set) var isObject = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var unit: UInt8? { place < bytes.count ? bytes[place] : nil }

  mutating func isWhole() -> Bool {
    guard String(validating: bytes, as: UTF8.self) != nil else { return false }
    blanks()
    isObject = unit == UInt8(ascii: "{")
    guard value() else { return false }
    blanks()
    return place == bytes.count
  }

  private mutating func blanks() {
    while let unit, [0x20, 0x09, 0x0A, 0x0D].contains(unit) { place += 1 }
  }

  private mutating func take(_ text: String) -> Bool {
    guard bytes[place...].starts(with: text.utf8) else { return false }
    place += text.utf8.count
    return true
  }

  private mutating func value() -> Bool {
    switch unit.map(Unicode.Scalar.init) {
    case "\"": return string()
    case "{": return list("{", "}") { $0.member() }
    case "[": return list("[", "]") { $0.value() }
    default: return take("true") || take("false") || take("null") || number()
    }
  }

  private mutating func list(
    _ open: String,
    _ close: String,
    _ element: (inout Self) -> Bool
  ) -> Bool {
    guard take(open), depth < 128 else { return false }
    depth += 1
    defer { depth -= 1 }
    blanks()
    if take(close) { return true }
    repeat {
      blanks()
      guard element(&self) else { return false }
      blanks()
    } while take(",")
    return take(close)
  }

  private mutating func member() -> Bool {
    let start = place
    guard string() else { return false }
    let name = read(Array(bytes[start..<place]))
    blanks()
    guard take(":") else { return false }
    blanks()
    let valueStart = place
    guard value() else { return false }
    if depth == 1, case .string(let name)? = name { members[name] = valueStart..<place }
    return true
  }

  private mutating func string() -> Bool {
    guard take("\"") else { return false }
    while let unit, unit >= 0x20 {
      place += 1
      if unit == UInt8(ascii: "\"") { return true }
      guard unit == UInt8(ascii: "\\") else { continue }
      if take("u") {
        for _ in 0..<4 {
          guard let digit = self.unit, Character(Unicode.Scalar(digit)).isHexDigit, digit < 0x80
          else { return false }
          place += 1
        }
      } else {
        guard let escape = self.unit, Array("\"\\/bfnrt".utf8).contains(escape) else {
          return false
        }
        place += 1
      }
    }
    return false
  }

  private mutating func digits() -> Bool {
    let start = place
    while let unit, unit >= 0x30, unit <= 0x39 { place += 1 }
    return place > start
  }

  private mutating func number() -> Bool {
    _ = take("-")
    let isZero = unit == 0x30
    let start = place
    guard digits(), !isZero || place == start + 1 else { return false }
    if take("."), !digits() { return false }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      return digits()
    }
    return true
  }
}

import FlowLanguage
import FlowTestSupport
import Testing

@testable import flowclient

@Suite("CSV that comes in")
struct CSVRecordsTests {
  /// What `text` is read as, in pieces that end at line ends, after every so many of them.
  private func read(
    _ text: [UInt8],
    linesAtATime count: Int = .max,
    limit: Int = 1000
  ) -> (values: [String], failure: String?) {
    var records = CSVRecords(limit: limit)
    var values: [String] = []
    let ends = text.indices.filter { text[$0] == 10 }.map { $0 + 1 }
    let pieces = ends.enumerated().filter { ($0.offset + 1) % count == 0 }.map(\.element)
    var start = 0
    for end in pieces + [text.count] where end > start {
      let piece = Array(text[start..<end])
      let read = piece.withUnsafeBytes { records.read(ValueChunk(bytes: $0)) }
      var first = 0
      for end in read.ends {
        values.append(String(decoding: read.bytes[first..<end], as: UTF8.self))
        first = end
      }
      if let failure = read.failure {
        #expect(failure.exit == .badInput)
        return (values, failure.message)
      }
      start = end
    }
    return (values, records.end()?.message)
  }

  @Test(
    "a record is an object with a member for each column, whatever the line ends are",
    arguments: [
      ("a,b\n1,x\n", [#"{"a":1,"b":"x"}"#]),
      ("a,b\r\n1,x\r\n\r\n2,y\r\n", [#"{"a":1,"b":"x"}"#, #"{"a":2,"b":"y"}"#]),
      ("\u{FEFF}a\n1\n", [#"{"a":1}"#]), ("\u{FEFF}\"a\"\n1\n", [#"{"a":1}"#]),
      ("a\n\"x\ny\"\n", [#"{"a":"x\ny"}"#]),
      ("a\n\"x\r\n,\"\"y\"\"\"\n", [#"{"a":"x\r\n,\"y\""}"#]),
      ("\"a \"\"b\"\"\",ä\n,ö\n", [#"{"a \"b\"":"","ä":"ö"}"#]), ("", []), ("a,b\n", []),
      ("\n\na\n\n1\n", [#"{"a":1}"#]), ("a\n\"\"\n", [#"{"a":""}"#]),
      ("a\n\\\t\n", [#"{"a":"\\\t"}"#]),
      ("a,\n1,\n", [#"{"a":1,"":""}"#]),
    ]
  )
  func objects(_ text: String, _ values: [String]) {
    for count in [1, 2, Int.max] {
      let result = read(Array(text.utf8), linesAtATime: count)
      #expect(result.values == values && result.failure == nil, "\(count): \(result)")
    }
  }

  @Test(
    "what JSON takes for a number, true, false or null is one, unless it is in quotes",
    arguments: [
      ("1", "1"), ("-0.5e+3", "-0.5e+3"), ("1.50", "1.50"), ("12345678901234567890123", nil),
      ("true", nil), ("false", nil), ("null", nil), ("01", "\"01\""), ("1.", "\"1.\""),
      ("-", "\"-\""), ("+1", "\"+1\""), (" 1", "\" 1\""), ("1 ", "\"1 \""), ("True", "\"True\""),
      ("\"1\"", nil), ("\"true\"", nil), ("nullx", "\"nullx\""), ("[1]", "\"[1]\""),
      ("NaN", "\"NaN\""),
    ]
  )
  func literals(_ field: String, _ value: String?) {
    #expect(read(Array("a\n\(field)\n".utf8)).values == ["{\"a\":\(value ?? field)}"])
  }

  @Test(
    "what is wrong is told with its place, behind what is right",
    arguments: [
      ("a,b\n1,2\n3\n4,5\n", 1, "line 3 has 1 field, but the header has 2"),
      ("a\n1\n2,3\n", 1, "line 3 has 2 fields, but the header has 1"),
      ("a,a\n1,2\n", 0, "line 1: the header has \"a\" twice"),
      ("a\n1\n2\"3\n", 1, "line 3, column 2: a quote in a field needs quotes around the field"),
      ("a\n\"1\"2\n", 0, "line 2, column 4: expected a comma or a line end behind the quotes"),
      ("a\n1\r2\n", 0, "line 2, column 3: a CR needs an LF behind it, or quotes around it"),
      ("a,b\nä,ö\"\n", 0, "line 2, column 4: a quote in a field needs quotes around the field"),
      ("a\n1\nx,\"2\n3\n", 1, "line 3, column 3: nothing ends the quotes that begin here"),
      ("a\n\"x\ny\",1\n", 0, "line 2 has 2 fields, but the header has 1"),
      (
        "a\n\"\(String(repeating: "x", count: 1001))\"\n", 0,
        "the record in line 2 is longer than the limit of 1000 bytes"
      ),
      (
        String(repeating: ",", count: 1001) + "\n", 0,
        "the record in line 1 is longer than the limit of 1000 bytes"
      ),
    ]
  )
  func mistakes(_ text: String, _ count: Int, _ message: String) {
    for lines in [1, Int.max] {
      let result = read(Array(text.utf8), linesAtATime: lines)
      #expect(result.values.count == count && result.failure == message, "\(result)")
    }
  }

  @Test("a field that is not UTF-8 is told")
  func notUTF8() {
    let text = Array("a\n1\n".utf8) + [0xFF, 10]
    #expect(read(text).failure == "line 3: a field is not UTF-8")
  }

  @Test("what is written as CSV is read as the same values")
  func roundTrip() {
    var random = SeededGenerator(state: 20)
    let texts = [
      "", "x", "1", "1.5", "true", "null", ",", "\"", "\n", "\r\n", "ä", " ", "-", "a\"\"b", "[1]",
    ]
    for _ in 0..<RandomCases.count(2000) {
      let names = (0..<Int.random(in: 1...4, using: &random)).map { "c\($0)" }
      let objects = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        let members = names.map { name in
          let kind = Int.random(in: 0..<5, using: &random)
          let text = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
            texts.randomElement(using: &random) ?? ""
          }
          let value =
            kind == 0
            ? ["7", "-0.50", "true", "null", "1e3"].randomElement(using: &random) ?? "1"
            : JSONText.string(text.joined())
          return (key: name, json: value)
        }
        return JSONLine.object(members)
      }
      var table = CSVTable()
      var csv: [UInt8] = []
      for object in objects { Array(object.utf8).withUnsafeBytes { table.append($0, to: &csv) } }
      #expect(table.leftOut.values == 0)
      let result = read(csv)
      #expect(result.values == objects, "\(String(decoding: csv, as: UTF8.self))")
    }
  }
}

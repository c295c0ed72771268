import FlowLanguage
import Testing

@Suite("The function table")
struct FunctionTableTests {
  @Test("every example gives what its row says", arguments: FunctionTable.all.map(\.example))
  func examples(example: String) throws {
    let entry = try #require(FunctionTable.all.first { $0.example == example })
    #expect(try ValueClosure("{ \(example) }")(.null).text == entry.result)
    #expect(example.contains(entry.name))
  }

  @Test("every row is found by its name, and has it in its signature")
  func names() {
    for entry in FunctionTable.all {
      #expect(FunctionTable.entries(entry.name).contains { $0.signature == entry.signature })
      #expect(entry.signature.contains(entry.name))
    }
    #expect(Set(FunctionTable.all.map(\.signature)).count == FunctionTable.all.count)
    #expect(FunctionTable.entries("upercased").isEmpty)
  }

  @Test("the reference page has a row for each, word for word")
  func page() throws {
    let expected = FunctionTable.all.map { entry in
      "| `\(entry.signature)` | \(entry.summary) | `\(entry.example)` | `\(entry.result)` |"
    }
    #expect(try referenceRows(below: "## Functions") == expected)
  }

  @Test(
    "functions at the edges",
    arguments: [
      ("[]", "$0.first", "null"), ("[]", "$0.last", "null"), ("\"\"", "$0.first", "null"),
      ("\"éa\"", "$0.first", "\"é\""), ("\"ab\"", "$0.last", "\"b\""),
      ("[1.0,2]", "$0.contains(1)", "true"), ("\"ab\"", "$0.contains(\"\")", "true"),
      ("[]", "$0.min()", "null"), ("[\"b\",\"a\"]", "$0.min()", "\"a\""),
      ("[1,2.50]", "$0.max()", "2.50"), ("[]", "$0.sorted()", "[]"),
      ("[{\"n\":2},{\"n\":1}]", "$0.sorted { $0.n < $1.n }", "[{\"n\":1},{\"n\":2}]"),
      ("[{\"n\":2},{\"n\":1}]", "$0.map(\\.n)", "[2,1]"),
      ("[1,2]", "$0.map { a in $0.map { b in a * b } }", "[[1,2],[2,4]]"),
      ("[1,2]", "$0.reduce(10) { $0 - $1 }", "7"),
      ("\"a--b\"", "$0.split(separator: \"-\").count", "2"),
      ("\"\"", "$0.split(separator: \"-\")", "[]"), ("\" a b \"", "$0.trimmed", "\"a b\""),
      ("\"12\"", "Int($0)", "12"), ("\"1.5\"", "Int($0)", "null"), ("-1.5", "Int($0)", "-1"),
      ("\"x\"", "Double($0)", "null"), ("\"inf\"", "Double($0)", "null"),
      ("3", "Double($0)", "3.0"), ("{ \"a\": 1 }", "String($0).count", "7"),
      ("-2.5", "round($0)", "-3.0"), ("7", "round($0)", "7"), ("-1.25", "abs($0)", "1.25"),
      ("{\"count\":7}", "$0.count", "7"), ("{\"n\":7}", "$0.count", "1"),
      ("{\"count\":7}", "$0.keys.count", "1"), ("{\"a\":1,\"a\":2}", "$0.values", "[2]"),
      ("{}", "$0.name.uppercased()", "null"), ("{}", "$0.list.map { $0 } ?? []", "[]"),
      ("{}", "$0.isEmpty", "true"), ("[3,1]", "max($0.first, $0.last)", "3"),
    ] as [(String, String, String)]
  )
  func edges(payload: String, body: String, expected: String) throws {
    #expect(try ValueClosure("{ \(body) }")(value(payload)).text == expected)
  }

  @Test(
    "a function that cannot be computed says why",
    arguments: [
      ("1", "$0.uppercased()", "uppercased needs a String, not an Int"),
      ("[1]", "$0.joined()", "joined needs Strings, not an Int"),
      ("[1,\"a\"]", "$0.sorted()", "a String and an Int have no order; give a closure"),
      ("\"a\"", "$0.contains(1)", "contains needs a String, not an Int"),
      ("\"a\"", "$0.split(separator: $0.replacing(\"a\", with: \"\"))", "split needs a separator"),
      ("1e300", "Int($0)", "1e300 does not fit in an Int"),
      ("1e999", "Double($0)", "arithmetic overflow"),
      ("-9223372036854775808", "abs($0)", "arithmetic overflow"),
      ("null", "Int($0)", "Int needs a number or a String, not null"),
      ("[1]", "$0.filter { $0 }", "filter needs a Bool, not an Int"),
    ] as [(String, String, String)]
  )
  func faults(payload: String, body: String, reason: String) throws {
    let closure = try ValueClosure("{ \(body) }")
    let failure = #expect(throws: PipelineFailure.self) { try closure(value(payload)) }
    #expect(failure?.message == "{ \(body) }: \(reason); the value is \(payload)")
  }
}

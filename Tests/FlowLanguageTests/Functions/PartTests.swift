import FlowLanguage
import Testing

/// What `body` makes of a payload, or why it makes nothing.
func outcome(_ body: String, of payload: String = "null") throws -> String {
  let closure = try ValueClosure("{ \(body) }")
  do throws(PipelineFailure) {
    return try closure(value(payload)).text
  } catch {
    let reason = error.message.dropFirst("{ \(body) }: ".count)
    return String(reason.prefix { $0 != ";" })
  }
}

@Suite("Parts of arrays, search, figures and objects")
struct PartTests {
  @Test(
    "arrays and texts",
    arguments: [
      ("[1,2,3]", "$0.prefix(9)", "[1,2,3]"), ("[1,2,3]", "$0.prefix(0)", "[]"),
      ("[1,2,3]", "$0.suffix(2)", "[2,3]"), ("[]", "$0.suffix(2)", "[]"),
      ("[1,2,3]", "$0.dropFirst(9223372036854775807)", "[]"), ("[]", "$0.dropLast()", "[]"),
      ("\"héllo\"", "$0.prefix(2)", "\"hé\""), ("\"héllo\"", "$0.dropLast(3)", "\"hé\""),
      ("\"ab\"", "$0.reversed()", "\"ba\""), ("{}", "$0.list.prefix(2) ?? []", "[]"),
      ("[1,2,3,4]", "$0[1...2]", "[2,3]"), ("[1,2,3,4]", "$0[..<3]", "[1,2,3]"),
      ("[1,2,3,4]", "$0[2...]", "[3,4]"), ("[1,2,3,4]", "$0[...1]", "[1,2]"),
      ("[1,2]", "$0[1...5]", "[2]"), ("[1,2]", "$0[5...9]", "[]"), ("[1,2]", "$0[1..<1]", "[]"),
      ("[1,2]", "$0[-3...0]", "[1]"), ("[1,2]", "$0[-3 ... -1]", "[]"), ("[]", "$0[0...]", "[]"),
      ("[1,2]", "$0[0...9223372036854775807]", "[1,2]"), ("{}", "$0.list[1...]", "null"),
      ("[1,2,3]", "$0[1...].map { $0 * 2 }", "[4,6]"), ("[1,2,3]", "$0[1...][0]", "2"),
      ("[3,1]", "$0 + [2]", "[3,1,2]"), ("[2,1]", "$0[0...1].sorted()", "[1,2]"),
    ] as [(String, String, String)]
  )
  func parts(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "search and pairs",
    arguments: [
      ("[{\"n\":1},{\"n\":2}]", "$0.first { $0.n > 1 }.n", "2"),
      ("[]", "$0.first { true }", "null"),
      ("[1,2,1]", "$0.last(where: { $0 == 1 })", "1"), ("[1,2]", "$0.firstIndex(of: 2.0)", "1"),
      ("[1,2]", "$0.firstIndex(of: 3) ?? -1", "-1"), ("[]", "$0.allSatisfy { false }", "true"),
      ("[1,2]", "$0.allSatisfy { $0 < 2 }", "false"), ("[]", "$0.min(by: \\.n)", "null"),
      ("[{\"n\":2},{\"n\":1},{\"n\":2,\"k\":0}]", "$0.max(by: \\.n)", "{\"n\":2}"),
      ("[{\"n\":2},{\"n\":1}]", "$0.sorted(by: \\.n)", "[{\"n\":1},{\"n\":2}]"),
      ("[\"a\",\"b\"]", "$0.enumerated().map { i, x in \"\\(i)\\(x)\" }", "[\"0a\",\"1b\"]"),
      ("[\"a\",\"b\"]", "$0.enumerated().map { \"\\($0)\\($1)\" }", "[\"0a\",\"1b\"]"),
      ("[\"a\",\"b\"]", "$0.enumerated().map { $0.offset }", "[0,1]"),
      (
        "[5,6,7]", "$0.enumerated().filter { $0.offset > 0 }.reversed().map { i, x in [i, x] }",
        "[[2,7],[1,6]]"
      ),
      ("[5,6]", "$0.enumerated().first { i, x in x > 5 }?.offset", "1"),
      ("[1,2]", "zip($0, $0.dropFirst())", "[[1,2]]"), ("[1,2]", "zip($0, []).count", "0"),
      ("[1,2]", "zip($0, [3, 4]).map { $0.0 + $0.1 }", "[4,6]"),
      ("[1,2]", "zip($0, [3, 4]).map { a, b in a * b }", "[3,8]"),
      ("[1,2]", "zip($0, [3, 4]).reduce(0) { sum, pair in sum + pair.0 * pair.1 }", "11"),
    ] as [(String, String, String)]
  )
  func search(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "figures",
    arguments: [
      ("[]", "$0.sum", "0"), ("[1,2]", "$0.sum()", "3"), ("[1,2.5]", "$0.sum", "3.5"),
      ("[9223372036854775807,1]", "$0.sum", "arithmetic overflow"),
      ("[1e308,1e308]", "$0.sum", "arithmetic overflow"),
      ("[1,\"a\"]", "$0.sum", "sum needs numbers, not a String"),
      ("[null]", "$0.average()", "average needs numbers, not null"),
      ("[]", "$0.average", "null"), ("[1,2]", "$0.average", "1.5"), ("[2]", "$0.median", "2.0"),
      ("[9223372036854775807,9223372036854775807]", "$0.average", "9.223372036854776e+18"),
      ("[4,1,3,2]", "$0.median()", "2.5"), ("[]", "$0.median", "null"),
      ("[1,2,3,4,5,6,7,8,9,10]", "$0.percentile(0.5)", "5.5"), ("[7]", "$0.percentile(1)", "7.0"),
      ("[3,1,2]", "$0.percentile(0)", "1.0"), ("[3,1,2]", "$0.percentile(1.0)", "3.0"),
      ("[-1e308,1e308]", "$0.percentile(0.5)", "0.0"), ("[0,10]", "$0.percentile(0.25)", "2.5"),
      ("[1e999]", "$0.median", "arithmetic overflow"), ("{\"sum\":4}", "$0.sum", "4"),
      ("1.5", "[1, 2].percentile($0)", "percentile needs a number from 0 to 1, not 1.5"),
      ("\"a\"", "$0.sum", "a String has no member \"sum\""),
    ] as [(String, String, String)]
  )
  func figures(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "objects",
    arguments: [
      ("{\"a\":1,\"b\":2}", "$0 + [\"b\": 3, \"c\": 4]", "{\"a\":1,\"b\":3,\"c\":4}"),
      ("{\"a\":1,\"a\":2}", "$0.merging([\"b\": 3])", "{\"a\":2,\"b\":3}"),
      (
        "{\"a\":1,\"b\":2}", "$0.merging([\"b\": 5, \"c\": 1]) { old, new in old * new }",
        "{\"a\":1,\"b\":10,\"c\":1}"
      ),
      (
        "{\"a\":1}", "$0.merging([\"a\": 5], uniquingKeysWith: { old, new in [old, new] })",
        "{\"a\":[1,5]}"
      ),
      ("{\"a\":1,\"b\":2,\"c\":3}", "$0.removing(\"a\", \"c\", \"x\")", "{\"b\":2}"),
      ("{\"key\":\"k\",\"v\":1}", "[$0.key: $0.v]", "{\"k\":1}"),
      ("{\"k\":\"b\"}", "[\"a\": 1, \"b\": 2].removing($0.k)", "{\"a\":1}"),
      ("{}", "$0.missing.removing(\"a\")", "null"), ("{}", "$0.missing.merging([:])", "null"),
      ("1", "$0.removing(\"a\")", "removing needs an object, not an Int"),
      ("{\"a\":1}", "$0 + [1]", "cannot apply \"+\" to object and array"),
    ] as [(String, String, String)]
  )
  func objects(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "what fails for every value is an error when it is defined",
    arguments: [
      ("$0.prefix(-1)", "prefix needs an Int of at least 0, not -1"),
      ("$0.prefix(1.5)", "prefix needs an Int, not a Double"),
      ("$0.percentile(95)", "percentile needs a number from 0 to 1, not 95"),
      ("$0.rounded(to: 21)", "rounded needs an Int from 0 to 20, not 21"),
      ("$0.formatted(places: -1)", "formatted needs an Int from 0 to 20, not -1"),
      ("\"a\".sum", "sum needs an array, not a String"), ("[1].median(2)", "write median as"),
      ("\"abc\"[0...1]", "a slice needs an array or null, not a String"),
      ("$0[3...1]", "the lower bound is above the upper bound"),
      ("$0[\"a\"...\"b\"]", "a range needs an Int, not a String"),
      ("zip([1], 2)", "zip needs an array, not an Int"),
      ("zip([1], [2]).map { a, b, c in a }", "an array of 2 elements and has 1 parameter or 2"),
      ("$0.removing(1)", "removing needs a String, not an Int"),
      ("$0.removing()", "write removing as object.removing(key, …)"),
      ("[\"a\": 1] + [2]", "cannot apply \"+\" to object and array"),
      ("\"a\".hexEncoded", "hexEncoded needs arguments: text.hexEncoded()"),
      ("sqrt(\"4\")", "sqrt needs a number, not a String"), ("pow(2)", "write pow as pow(a, b)"),
      ("[1].reduce(0, \\.n)", "expected a closure"),
      ("$0.filter { $0 + 1 }", "the closure must return a Bool, not a number"),
      ("$0.min { a, b in a - b }", "the closure must return a Bool, not a number"),
      ("$0.replacing(/a/) { m in 1 }", "the closure must return a String, not an Int"),
    ]
  )
  func whenDefined(body: String, reason: String) throws {
    let diagnostic = #expect(throws: Diagnostic.self) { try ValueClosure("{ \(body) }") }
    #expect(diagnostic?.text.contains(reason) == true, "\(diagnostic?.text ?? "OK")")
  }

  @Test("what takes too long fails with limit")
  func bounds() throws {
    let host = TestHost(subjects: "taps")
    for body in [
      "(1...1000).map { i in $0.prefix(39000) }", "(1...1000).map { i in $0.enumerated().count }",
      "(1...1000).map { i in $0.sum }", "(1...100).map { i in $0.median }",
    ] {
      let recorder = try host.run("taps.tryMap { v in \(body.replacing("$0", with: "v")).count }")
      host.send("[" + (1...40_000).map { "\($0)" }.joined(separator: ",") + "]", to: "taps")
      #expect(recorder.failure?.code == "limit", "\(body): \(recorder.values)")
    }
  }
}

import FlowCore
import Testing

@testable import FlowLanguage

/// Tests the section "Numbers" of docs/language.md with numbers at the limits of each kind.
@Suite("The model of numbers")
struct NumberModelTests {
  /// Spellings of numbers in ascending order; those in a row are one number.
  private static let rows = [
    ["-1e308"], ["-1e19", "-10000000000000000000"],
    ["-9223372036854775808", "-9.223372036854775808e18", "-9223372036854775809"],
    ["-9223372036854775807"], ["-1.5", "-1.50"], ["-1", "-1.0", "-10e-1"],
    ["-0", "0", "0.0", "-0.0", "0e5", "1e-400"], ["5e-324"],
    ["0.1", "0.10", "0.100000000000000000001"], ["1", "1.0", "1e0", "0.99999999999999999999"],
    ["1.5", "1.50"], ["9007199254740992", "9007199254740992.0", "9007199254740993.0"],
    ["9007199254740993"], ["9007199254740994", "9007199254740994.0"], ["9223372036854775806"],
    ["9223372036854775807"],
    ["9223372036854775808", "9223372036854775808.0", "9223372036854775807.5"],
    ["9223372036854775809"], ["10000000000000000000", "1e19"], ["18446744073709551614"],
    ["18446744073709551615"],
    ["18446744073709551616", "18446744073709551615.0", "18446744073709551617"], ["1e20"],
    ["1e308", "10e307"],
  ]
  private static let numbers = rows.enumerated().flatMap { row in
    row.element.map { (text: $0, row: row.offset) }
  }

  /// Closures of a pair that tell whether its numbers are equal, or whether the first is less.
  private static let equalities = [
    "$0.a == $0.b", "!($0.a != $0.b)", "!!($0.a == $0.b)", "[$0.a] == [$0.b]",
    "let a = $0.a; a == $0.b", "[$0.a].contains($0.b)", "[$0.a].firstIndex(of: $0.b) != null",
    "$0.a <= $0.b && $0.a >= $0.b", "[\"k\": $0.a] == [\"k\": $0.b]",
    "[$0.a].filter { a in a == $0.b }.count == 1", "JSON(String($0.a)) == $0.b",
  ]
  private static let orders = [
    "$0.a < $0.b", "$0.b > $0.a", "!($0.a >= $0.b)", "!($0.b <= $0.a)",
    "let a = $0.a; a < $0.b",
    "[[$0.a], [$0.b]].sorted { $0[0] < $1[0] } == [[$0.a], [$0.b]] && "
      + "$0.a != $0.b", "min($0.b, $0.a) == $0.a && $0.a != $0.b",
    "max($0.a, $0.b) == $0.b && !($0.a == $0.b)", "[$0.b, $0.a].min() != $0.b",
    "[$0.b, $0.a].sorted()[0] == $0.a && [$0.a, $0.b].max() != $0.a",
  ]

  @Test("every comparison goes by the value of numbers", arguments: equalities + orders)
  func comparing(_ body: String) throws {
    let closure = try ValueClosure("{ \(body) }")
    let isEquality = Self.equalities.contains(body)
    var wrong: [String] = []
    for a in Self.numbers {
      for b in Self.numbers {
        let payload = "{\"a\":\(a.text),\"b\":\(b.text)}"
        let expected = Value.bool(isEquality ? a.row == b.row : a.row < b.row)
        // Once as bytes, once with known places of the members.
        for input in [value(payload), value(payload).decoded]
        where try closure(input) != expected { wrong.append(payload) }
      }
    }
    #expect(wrong == [])
  }

  @Test("compares with numbers in an expression")
  func literals() throws {
    for number in Self.numbers {
      guard let closure = try? ValueClosure("{ [$0 == \(number.text), $0 < \(number.text)] }"),
        let matching = try? ValueClosure("{ switch $0 { case \(number.text): 1 default: 0 } }")
      else {
        #expect(!isLiteral(number.text))
        continue
      }
      for other in Self.numbers {
        let (isSame, isLess) = (other.row == number.row, other.row < number.row)
        #expect(try closure(value(other.text)).text == "[\(isSame),\(isLess)]")
        #expect(try matching(value(other.text)) == .int(isSame ? 1 : 0))
      }
    }
  }

  /// Whether the number can be written in an expression, which takes integers of up to 64 bits.
  private func isLiteral(_ number: String) -> Bool {
    number.contains(".") || number.contains("e") || Int(number) != nil || UInt(number) != nil
  }

  /// Returns what a pipeline publishes when it gets all numbers in order.
  private func published(_ text: String) throws -> [String] {
    let host = TestHost(subjects: "taps")
    let recorder = try host.run(text)
    for number in Self.numbers { host.send(number.text, to: "taps") }
    host.subjects["taps"]?.send(completion: .finished)
    while host.isTurnDue { host.turn() }
    #expect(recorder.failure == nil, "\(text)")
    return recorder.values
  }

  @Test("operators keep different numbers apart, and keep their spelling")
  func operators() throws {
    let (first, counts) = (Self.rows.map { $0[0] }, Self.rows.map { "\($0.count)" })
    #expect(try published("taps.removeDuplicates()") == first)
    #expect(try published("taps.removeDuplicates(by: \\.self)") == first)
    #expect(try published("taps.removeDuplicates { $0 == $1 }") == first)
    #expect(try published("taps.map { [$0] }.removeDuplicates().map(\\.0)") == first)
    #expect(try published("taps.group(by: { $0 }) { $0.count() }") == counts)
    #expect(try published("taps.group(by: { [\"k\": [$0]] }) { $0.count() }") == counts)
    #expect(try published("taps.group(by: { $0 }) { g, key in Just(key) }") == first)
    #expect(try published("taps.min()") == ["-1e308"])
    #expect(try published("taps.max()") == ["1e308"])
    #expect(try published("taps.max { $0 < $1 }") == ["1e308"])
    #expect(try published("taps.collect().map { $0.sorted() }.map(\\.0)") == ["-1e308"])
    let all = Self.numbers.map { $0.text }
    #expect(try published("taps.collect().flatMap { $0.sorted().publisher }") == all)
    for row in Self.rows {
      let literal = try #require(row.first(where: isLiteral))
      #expect(try published("taps.contains(\(literal))") == ["true"], "\(row)")
      let pairs = try published("taps.join([\(literal)].publisher, on: { $0 }, within: 9).count()")
      #expect(pairs == ["\(row.count)"], "\(row)")
    }
    #expect(try published("taps.contains(9223372036854775810)") == ["false"])
  }

  @Test(
    "a number that was not computed with keeps its digits wherever it is printed",
    arguments: numbers.map { $0.text } + ["1e400", "-1E+400", "3.1400", "1E2"]
  )
  func printing(_ number: String) throws {
    for body in [
      "$0", "[$0][0]", "$0 ?? 1", "true ? $0 : 1", "max($0)", "[$0].first", "[].reduce($0) { $1 }",
      "[$0].sorted()[0]", "[$0].min()", "let x = $0; x",
    ] {
      #expect(try outcome(body, of: number) == number, "\(body)")
    }
    for body in ["String($0)", "JSONText($0)", "\"\\($0)\"", "let x = $0; \"\\(x)\""] {
      for payload in [number, " \(number) "] {
        #expect(try outcome(body, of: payload) == "\"\(number)\"", "\(body) of \(payload)")
      }
      let (member, element) = (
        body.replacing("$0", with: "$0.a"), body.replacing("$0", with: "$0[0]")
      )
      #expect(try outcome(member, of: "{ \"a\": \(number) }") == "\"\(number)\"", "\(member)")
      #expect(try outcome(element, of: "[ \(number) ]") == "\"\(number)\"", "\(element)")
      #expect(try outcome(body, of: "[ \(number), {} ]") == "\"[\(number),{}]\"", "\(body)")
    }
    let failing = try ValueClosure("{ fail($0) }")
    let failure = #expect(throws: PipelineFailure.self) { try failing(value(number)) }
    #expect(failure?.message == number)
  }

  @Test(
    "arithmetic of integers is exact or fails",
    arguments: [
      ("18446744073709551615", "$0 - 1", "18446744073709551614"),
      ("18446744073709551615", "$0 + 1", "arithmetic overflow"),
      ("9223372036854775808", "$0 - 1", "9223372036854775807"),
      ("9223372036854775808", "$0 * 2", "arithmetic overflow"),
      ("9223372036854775808", "$0 / 2", "4611686018427387904"),
      ("9223372036854775808", "$0 % 10", "8"),
      ("9223372036854775808", "-$0", "-9223372036854775808"),
      ("9223372036854775809", "-$0", "arithmetic overflow"),
      ("9223372036854775808", "-1 + $0", "9223372036854775807"),
      ("9223372036854775808", "-1 - $0", "arithmetic overflow"),
      ("9223372036854775808", "0 - $0", "-9223372036854775808"),
      ("9223372036854775808", "$0 * -1", "-9223372036854775808"),
      ("9223372036854775807", "$0 + 1", "arithmetic overflow"),
      ("9223372036854775807", "$0 + 9223372036854775808", "18446744073709551615"),
      ("18446744073709551615", "$0 / 0", "division by zero"),
      ("18446744073709551615", "$0 % 0", "division by zero"),
      ("18446744073709551615", "0 / $0", "0"), ("18446744073709551615", "7 % $0", "7"),
      ("18446744073709551615", "$0 + 0.5", "1.8446744073709552e+19"),
      ("0.5", "18446744073709551615 * $0", "9.223372036854776e+18"),
      (
        "18446744073709551615", "[$0 + 0, $0 * 1.0]",
        "[18446744073709551615,1.8446744073709552e+19]"
      ),
      ("18446744073709551616", "$0 + 0", "1.8446744073709552e+19"),
      ("18446744073709551615", "abs($0)", "18446744073709551615"),
      ("18446744073709551615", "round($0)", "18446744073709551615"),
      ("18446744073709551615", "$0.rounded(to: 2)", "18446744073709551615"),
      ("18446744073709551615", "$0.formatted(places: 1)", "\"18446744073709551615.0\""),
      ("18446744073709551615", "Double($0)", "1.8446744073709552e+19"),
      ("18446744073709551615", "sqrt($0)", "4294967296.0"),
      ("[9223372036854775808,1]", "$0.sum", "9223372036854775809"),
      ("[18446744073709551615,1]", "$0.sum()", "arithmetic overflow"),
      ("18446744073709551615", "\"abc\".prefix($0)", "prefix needs an Int, not a UInt"),
      ("18446744073709551615", "1...$0", "a range needs two Ints, not an Int and a UInt"),
      (
        "18446744073709551615", "[1].percentile($0)",
        "percentile needs a number from 0 to 1, not 18446744073709551615"
      ),
      (
        "18446744073709551615", "$0.ISO8601Format()",
        "ISO8601Format needs a time in the years 0 to 9999"
      ),
      ("5e-324", "$0 / 2", "0.0"), ("1e308", "$0 * 10", "arithmetic overflow"),
    ] as [(String, String, String)]
  )
  func arithmetic(_ payload: String, _ body: String, _ expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
    // With a local the closure is evaluated without scalar steps.
    #expect(try outcome("let x = $0; " + body.replacing("$0", with: "x"), of: payload) == expected)
  }

  @Test(
    "Int cuts off the fraction by the digits, and fails if the rest does not fit",
    arguments: [
      ("-9223372036854775809", nil), ("-9223372036854775808.9", "-9223372036854775808"),
      ("-9223372036854775808", "-9223372036854775808"),
      ("9223372036854775807.9", "9223372036854775807"),
      ("9223372036854775808", nil), ("9223372036854775808.0", nil), ("18446744073709551615", nil),
      ("1e19", nil), ("1e18", "1000000000000000000"), ("-9.223372036854775809e18", nil),
      ("-9.223372036854775808e18", "-9223372036854775808"),
      ("9007199254740993.0", "9007199254740993"),
      ("0.99999999999999999999", "0"), ("-0", "0"), ("-0.0", "0"), ("0e99999999999999999999", "0"),
      ("1e-9223372036854775808", "0"), ("1e9223372036854775807", nil), ("1e400", nil),
      ("-1e99999999999999999999", nil), ("1.5e-99999999999999999999", "0"),
      ("1234567890123456.78e2", "123456789012345678"), ("0.00012345678901234567E+6", "123"),
      ("-12345678901234567890e-10", "-1234567890"), ("1.50", "1"), ("-1.99", "-1"),
    ] as [(String, String?)]
  )
  func conversion(_ number: String, _ expected: String?) throws {
    #expect(try outcome("Int($0)", of: number) == expected ?? "\(number) does not fit in an Int")
    #expect(
      try outcome("$0.map { Int($0) }.first", of: "[\(number)]")
        == expected ?? "\(number) does not fit in an Int"
    )
  }

  @Test("a prefix operator is evaluated by scalar steps")
  func signs() throws {
    let (flag, price) = (MemberPath(["f"]), MemberPath(["p"]))
    let payload = value("{\"f\":false,\"p\":1.5}")
    let cases: [(ScalarTree, Scalar)] = [
      (.not(.member(flag, of: 0)), .bool(true)), (.negation(.member(price, of: 0)), .double(-1.5)),
      (.not(.isText("x", price, of: 0)), .bool(true)),
      (.not(.not(.member(flag, of: 0))), .bool(false)),
    ]
    for (tree, expected) in cases {
      let steps = try #require(ScalarSteps(tree, slots: 1))
      #expect(steps.result(.value(payload), nil) == expected)
    }
  }

  @Test("a closure may be given two payloads")
  func payloads() {
    let outer = Locals().captured
    "1".utf8CString.withUnsafeBytes { first in
      "2".utf8CString.withUnsafeBytes { second in
        var locals = Locals(outer, .payload(.init(rebasing: first.dropLast())), nil)
        locals.append(.payload(.init(rebasing: second.dropLast())))
        let texts = [locals[0].text, locals[1].text]
        #expect(texts == ["1", "2"])
      }
    }
  }
}

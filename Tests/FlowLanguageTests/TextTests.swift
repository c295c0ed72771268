import FlowLanguage
import Testing

/// `é` as one scalar, and as two that look the same.
private let (one, two) = ("\u{E9}", "e\u{301}")

@Suite("Texts are their scalars")
struct TextTests {
  private func result(_ body: String, of payload: String) throws -> String {
    try ValueClosure("{ \(body) }")(value(payload)).text
  }

  @Test(
    "compared, searched and cut by scalars",
    arguments: [
      ("$0.a == $0.b", "false"), ("$0.a != $0.b", "true"), ("$0.a == $0.a + \"\"", "true"),
      ("$0.b.hasPrefix(\"e\")", "true"), ("$0.b.hasSuffix(\"\\u{301}\")", "true"),
      ("$0.b.contains(\"e\")", "true"), ("$0.a.contains(\"e\")", "false"),
      ("$0.b.contains(\"\")", "true"), ("$0.a.contains($0.b)", "false"),
      ("$0.b.replacing(\"e\", with: \"a\")", "\"a\u{301}\""),
      ("($0.b + $0.a).split(separator: \"e\").count", "1"),
      ("$0[\"\(one)\"]", "1"), ("$0[\"\(two)\"]", "2"), ("$0.keys.count", "4"),
      ("[$0.a, $0.b].sorted() == [$0.b, $0.a]", "true"),
      ("[$0.a].contains($0.b)", "false"),
      ("\"aaab\".split(separator: \"ab\")", "[\"aa\"]"),
      ("\"aabaabaab\".replacing(\"aabaab\", with: \"-\")", "\"-aab\""),
      ("\" \u{3000}a b\\n\".trimmed", "\"a b\""), ("\" \\n\".trimmed", "\"\""),
    ]
  )
  func scalars(_ body: String, _ expected: String) throws {
    let payload = "{\"a\":\"\(one)\",\"b\":\"\(two)\",\"\(one)\":1,\"\(two)\":2}"
    // Not a comparison of Strings, to which both are the same.
    #expect(Array(try result(body, of: payload).utf8) == Array(expected.utf8))
  }

  @Test("ordered by scalars, beyond the 16-bit ones too")
  func order() throws {
    let texts = ["", "a", "ab", "a\u{301}", two, one, "\u{FFFD}", "\u{1F600}"]
    let payload = "[" + texts.reversed().map { "\"\($0)\"" }.joined(separator: ",") + "]"
    let expected = "[" + texts.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    #expect(Array(try result("$0.sorted()", of: payload).utf8) == Array(expected.utf8))
  }

  /// Up to 15 bytes a text stands in the words of `String` itself, unless it has been given room.
  @Test("equal however they are kept", arguments: 0...40)
  func kept(_ length: Int) {
    for letter in ["a", "é"] {
      let text = String(repeating: letter, count: length)
      var roomy = text
      roomy.reserveCapacity(200)
      #expect(Value.string(text) == Value.string(roomy))
      #expect(Value.string(roomy) == Value.string(String(Array(text))))
      for index in text.indices {
        var other = text
        other.replaceSubrange(index...index, with: "b")
        var roomyOther = other
        roomyOther.reserveCapacity(200)
        #expect(
          Value.string(text) != Value.string(other) && Value.string(other) != Value.string(roomy)
        )
        #expect(
          Value.string(text) != Value.string(roomyOther)
            && Value.string(roomy) != Value.string(roomyOther)
        )
      }
      #expect(Value.string(text) != Value.string(text + "\0"))
    }
  }

  @Test("long keys are told apart by all of their scalars")
  func keys() {
    let (a, b) = ("longer than seven \(one)", "longer than seven \(two)")
    #expect(value("{\"\(a)\":1}") != value("{\"\(b)\":1}"))
    #expect(value("{\"\(a)\":1,\"\(b)\":2}") == value("{\"\(b)\":2,\"\(a)\":1}"))
  }

  @Test("of several members with one key the last counts, in whatever order")
  func objects() {
    #expect(value("{\"a\":1,\"a\":2}") == value("{\"a\":3,\"a\":2}"))
    #expect(value("{\"a\":1,\"a\":2}") == value("{\"a\":2}"))
    #expect(value("{\"a\":2,\"a\":1}") != value("{\"a\":2}"))
    #expect(value("{\"b\":1,\"a\":1}") == value("{\"a\":1,\"b\":1}"))
    #expect(value("{\"a\":1,\"b\":1}") != value("{\"a\":1,\"c\":1}"))
    #expect(value("{\"a\":1,\"b\":1}") != value("{\"a\":1,\"b\":1,\"c\":1}"))
  }

  @Test(
    "a hundred thousand marks in a row are nothing special",
    .timeLimit(.minutes(5)),
    arguments: [
      ".map { $0.a == $0.a + \"x\" }", ".map { $0.a < $0.a + \"x\" }", ".removeDuplicates()",
      ".map { $0.a.split(separator: \"b\").count }", ".map { $0.a.contains(\"b\") }",
      ".map { $0.a.replacing(\"b\", with: \"c\").count }", ".map { $0.a.trimmed.count }",
      ".map { $0.keys.count }", ".group(by: { $0.a }) { $0 }",
      ".map { [$0.a, $0.b].sorted().count }",
      ".map { ($0.a + $0.b).lowercased().count }", ".map { $0[$0.a] }", ".map { Int($0.a) }",
      ".filter { $0 == [\"a\": $0.b] }",
    ]
  )
  func marks(_ stage: String) throws {
    let marks = "x" + String(repeating: "\u{301}\u{316}", count: 50_000)
    let host = TestHost(subjects: "taps")
    let recorder = try host.run("taps\(stage)")
    for end in ["y", "z"] {
      let members = "\"a\":\"\(marks)\",\"b\":\"\(marks)\(end)\""
      host.send("{\(members),\"\(marks)\":1,\"\(marks)\(end)\":2}", to: "taps")
    }
    #expect(recorder.failure == nil)
  }
}

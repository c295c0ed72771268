import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("Regular expressions")
struct RegexTests {
  /// What the groups of the first match are.
  private func match(_ pattern: String, _ text: String) throws -> String {
    let closure = try ValueClosure("{ $0.firstMatch(of: /\(pattern)/) }")
    return try closure(.string(text)).text
  }

  @Test(
    "match as Perl's do",
    arguments: [
      ("a", "bab", "[\"a\"]"), ("x", "bab", "null"), ("a|ab", "ab", "[\"a\"]"),
      ("ab|a", "ab", "[\"ab\"]"), ("a*", "baa", "[\"\"]"), ("a+", "baa", "[\"aa\"]"),
      ("a+?", "aa", "[\"a\"]"), ("a??b", "ab", "[\"ab\"]"), ("a{2}", "aaa", "[\"aa\"]"),
      ("a{2,}", "aaaa", "[\"aaaa\"]"), ("a{1,2}", "aaa", "[\"aa\"]"),
      ("a{1,2}?", "aaa", "[\"a\"]"), ("a{,2}b", "aaab", "[\"aab\"]"),
      ("a{x}", "a{x}", "[\"a{x}\"]"),
      ("(a)(b)?", "a", "[\"a\",\"a\",null]"), ("(a*)*b", "aab", "[\"aab\",\"aa\"]"),
      ("(?:a|b)+c", "xabac", "[\"abac\"]"), ("(a|b)*", "abba", "[\"abba\",\"a\"]"),
      ("(a+)(a+)", "aaa", "[\"aaa\",\"aa\",\"a\"]"), ("(a+?)(a+)", "aaa", "[\"aaa\",\"a\",\"aa\"]"),
      ("^a", "ba", "null"), ("a$", "ab", "null"), ("^ab$", "ab", "[\"ab\"]"),
      ("(?m)^b$", "a\nb\nc", "[\"b\"]"), ("\\Ab", "a\nb", "null"), ("a.c", "a\nc", "null"),
      ("(?s)a.c", "a\nc", "[\"a\\nc\"]"), ("\\bcat\\b", "concat cat", "[\"cat\"]"),
      ("\\Bcat", "concat", "[\"cat\"]"), ("[a-c]+", "xabcd", "[\"abc\"]"),
      ("[^a-c]+", "abxyc", "[\"xy\"]"), ("[]a]+", "x]a]", "[\"]a]\"]"),
      ("[a-]+", "x-a", "[\"-a\"]"),
      ("[\\d.]+", "v1.25b", "[\"1.25\"]"), ("[^\\s]+", " ab c", "[\"ab\"]"),
      ("\\d+", "a١٢b", "[\"١٢\"]"), ("\\w+", "-élan_1-", "[\"élan_1\"]"),
      ("\\s", "a\u{a0}b", "[\"\u{a0}\"]"),
      ("(?i)straße", "STRAßE", "[\"STRAßE\"]"), ("(?i)é", "É", "[\"É\"]"),
      ("(?i:a)b", "AB", "null"), ("(?i:a)b", "Ab", "[\"Ab\"]"), ("(?i)a(?-i)b", "Ab", "[\"Ab\"]"),
      ("(?i)[^a]", "Ab", "[\"b\"]"), ("((?i)a)b", "AB", "null"),
      ("\\x41\\u00e9\\u{1F600}", "Aé😀", "[\"Aé😀\"]"),
      ("\\.\\/\\(", "./(", "[\"./(\"]"), ("\\t|\\n", "a\tb", "[\"\\t\"]"), (".", "😀", "[\"😀\"]"),
      ("é", "e\u{301}", "null"), ("e.", "e\u{301}", "[\"e\u{301}\"]"),
      ("(?<y>\\d+)-(\\d+)", "10-25", "{\"0\":\"10-25\",\"y\":\"10\",\"2\":\"25\"}"),
      ("(?P<y>a)", "a", "{\"0\":\"a\",\"y\":\"a\"}"), ("a|", "b", "[\"\"]"),
      ("(|a)+", "aa", "[\"\",\"\"]"), ("(?:a?){3}b", "aab", "[\"aab\"]"),
      ("\\$\\{", "${", "[\"${\"]"),
      ("\\p{L}+", "1Àß名_", "[\"Àß名\"]"), ("\\p{Lu}\\p{Ll}+", "xÉlan", "[\"Élan\"]"),
      ("\\P{L}+", "a1 -b", "[\"1 -\"]"), ("\\p{^L}+", "a1 -b", "[\"1 -\"]"),
      ("\\P{^L}+", "1ab2", "[\"ab\"]"), ("\\p{N}+", "a5²Ⅷ٣b", "[\"5²Ⅷ٣\"]"),
      ("\\p{Nd}+", "²5٣", "[\"5٣\"]"), ("[\\p{Sc}\\d.]+", "a €9.50", "[\"€9.50\"]"),
      ("[^\\p{P}\\p{Z}]+", "«¡ab,c»", "[\"ab\"]"), ("\\p{S}", "a+b", "[\"+\"]"),
      ("\\p{Z}", "a\u{2003}b", "[\"\u{2003}\"]"), ("\\p{Cc}", "a\tb", "[\"\\t\"]"),
      ("\\p{M}", "e\u{301}", "[\"\u{301}\"]"), ("(?i)\\p{Lu}", "1a", "[\"a\"]"),
      ("(?i)[\\p{Lu}]", "1é", "[\"é\"]"), ("\\p{Lu}", "a", "null"),
    ] as [(String, String, String)]
  )
  func perl(pattern: String, text: String, expected: String) throws {
    #expect(try match(pattern, text) == expected)
  }

  @Test(
    "in the functions of texts",
    arguments: [
      ("\"a1b22\"", "$0.matches(of: /\\d+/)", "[\"1\",\"22\"]"),
      ("\"aab\"", "$0.matches(of: /a*/)", "[\"aa\",\"\",\"\"]"),
      ("\"é\"", "$0.matches(of: /x*/).count", "2"),
      ("\"a=1;b=2\"", "$0.matches(of: /(\\w)=(\\d)/).map { $0.2 }", "[\"1\",\"2\"]"),
      ("\"a=1;b=2\"", "$0.matches(of: /(?<k>\\w)=/).map(\\.k)", "[\"a\",\"b\"]"),
      ("\"abab\"", "$0.matches(of: /^ab/).count", "1"),
      ("\"ab\"", "$0.wholeMatch(of: /a|ab/)", "[\"ab\"]"),
      ("\"abc\"", "$0.wholeMatch(of: /ab/)", "null"),
      ("\"a-b\"", "$0.replacing(/-/, with: \"<$0>\")", "\"a<->b\""),
      ("\"a-b\"", "$0.replacing(/-/, with: \"$$0 $ $x\")", "\"a$0 $ $xb\""),
      ("\"10-25\"", "$0.replacing(/(\\d+)-(\\d+)/, with: \"$2/$1\")", "\"25/10\""),
      ("\"ab\"", "$0.replacing(/(a)|(b)/, with: \"[$1$2]\")", "\"[a][b]\""),
      ("\"ab\"", "$0.replacing(/(?<k>a)(b)/, with: \"${k}-$1-$2-${2}\")", "\"a-a-b-b\""),
      ("\"ab\"", "$0.replacing(/(a)/, with: \"$12\")", "\"a2b\""),
      ("\"ab\"", "let x = \"$1\"; $0.replacing(/(a)/, with: x)", "\"$1b\""),
      ("\"ab\"", "$0.replacing(/(a)/, with: \"\\($0)$1\")", "\"abab\""),
      ("\"ab\"", "let x = \"$1\"; $0.replacing(/(a)/, with: \"$1\\(x)\")", "\"a$1b\""),
      ("\"ab\"", "let w = /(a)/; $0.replacing(w, with: \"$1$1\")", "\"aab\""),
      ("\"ab\"", "$0.replacing(\"a\", with: \"$1\")", "\"$1b\""),
      ("1", "$0.replacing(/a/, with: \"$0\")", "replacing needs a String, not an Int"),
      ("{}", "$0.missing.replacing(/a/, with: \"$0\")", "null"),
      ("\"ab\"", "$0.replacing(/(a)/, with: \"$2\")", "?"),
      ("\"ab\"", "$0.replacing(/(a)/, with: \"${k}\")", "?"),
      ("\"ab\"", "$0.replacing(/x*/, with: \"-\")", "\"-a-b-\""),
      ("\"a1b2\"", "$0.replacing(/\\d/) { \"<\\($0.0)>\" }", "\"a<1>b<2>\""),
      ("\"a1\"", "$0.replacing(/(?<n>\\d)/) { m in String(Int(m.n) * 2) }", "\"a2\""),
      (
        "\"a1\"", "$0.replacing(/\\d/) { let n = [1]; n[0] }",
        "replacing needs a String from its closure, not an Int"
      ),
      ("\"a1b22\"", "let n = /\\d+/; $0.matches(of: n)", "[\"1\",\"22\"]"),
      ("\"a1\"", "let n = /\\d/; [$0.contains(n), $0.replacing(n, with: \"\")]", "[true,\"a\"]"),
      ("[\"a\",\"1\"]", "let n = /\\d/; $0.map { $0.contains(n) }", "[false,true]"),
      ("\"ab\"", "let w = /x/; let w = \"b\"; $0.contains(w)", "true"),
      ("\"ab\"", "let w = \"x\"; let w = /b/; $0.contains(w)", "true"),
      ("\"ab\"", "let w = /x/; [\"b\"].map { w in w + w }", "[\"bb\"]"),
      ("\"ab\"", "let w = /b/; let v = $0; let u = v.contains(w); [u, v]", "[true,\"ab\"]"),
      ("\"ab\"", "let w = /b/; w", "?"), ("\"ab\"", "let w = /b/; [w]", "?"),
      ("\"ab\"", "let w = /b/; $0 == w", "?"), ("\"ab\"", "let w = /(b/; $0", "?"),
      ("\" a  b \"", "$0.split(separator: /\\s+/)", "[\"a\",\"b\"]"),
      ("\"ab\"", "$0.split(separator: //)", "?"),
      ("\"ab\"", "$0.split(separator: /x?/)", "[\"a\",\"b\"]"),
      ("\"x\"", "$0.contains(/^$/)", "false"),
      ("\"\"", "$0.contains(/^$/)", "true"), ("{}", "$0.missing.contains(/a/)", "null"),
      ("1", "$0.contains(/a/)", "contains needs a String, not an Int"),
    ] as [(String, String, String)]
  )
  func functions(payload: String, body: String, expected: String) throws {
    guard expected != "?" else {
      #expect(throws: Diagnostic.self) { try ValueClosure("{ \(body) }") }
      return
    }
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "division goes on working",
    arguments: [
      ("8", "$0 / 2 / 2", "2"), ("8", "($0)/2/2", "2"), ("8", "[$0/2, $0 /2]", "[4,4]"),
      ("[8,2]", "$0[0]/$0[1]", "4"), ("[8,2]", "$0.reduce(64, /)", "4"),
      ("[8,2]", "$0.reduce(64, /) / $0.reduce(16, /)", "4"),
      ("[8]", "$0.map { $0 / 2 } + $0.map { $0 / 4 }", "[4,2]"),
      ("8", "max($0 / 2, 16 / $0)", "4"),
    ] as [(String, String, String)]
  )
  func division(payload: String, body: String, expected: String) throws {
    #expect(try outcome(body, of: payload) == expected)
  }

  @Test(
    "a hostile pattern takes no longer than another",
    arguments: [
      "(a*)*b", "(a|a)*b", "(a+)+$x", "(?:a?){100}a{100}b", "(.*)(.*)(.*)(.*)b", "(a|aa)+b",
    ]
  )
  func hostile(pattern: String) throws {
    let closure = try ValueClosure("{ $0.contains(/\(pattern)/) }")
    let short = String(repeating: "a", count: 1000)
    #expect(try closure(.string(short)) == .bool(false))
    // A text of 100 KiB is through, or costs more than a value may.
    let text = String(repeating: "a", count: 100 << 10)
    do throws(PipelineFailure) {
      #expect(try closure(.string(text)) == .bool(false))
    } catch {
      #expect(error.code == "limit")
    }
  }

  @Test("a text of 100 KiB is no trouble for a usual pattern")
  func long() throws {
    let line = "level=warn id=42 took 17 ms at node-7\n"
    let text = String(repeating: line, count: (100 << 10) / line.utf8.count)
    let count = try ValueClosure("{ $0.matches(of: /took (\\d+) ms/).count }")
    #expect(try count(.string(text)) == .int((100 << 10) / line.utf8.count))
    let last = try ValueClosure("{ $0.contains(/(a*)*took 18/) }")
    #expect(try last(.string(text)) == .bool(false))
  }

  @Test(
    "a pattern that is much to compile is refused, or compiled soon",
    arguments: [
      "(a{1000}){1000}", "(?:(?:){1000}){1000}", "((((a{9}){9}){9}){9}){9}", "(?:a|b|c){1000}",
    ]
  )
  func large(pattern: String) {
    let diagnostic = #expect(throws: Diagnostic.self) {
      try ValueClosure("{ $0.contains(/\(pattern)/) }")
    }
    #expect(diagnostic?.message.contains("comes to more than 2000 steps") == true)
    let many = Array(repeating: "(?i)[a-zé]", count: 900).joined()
    #expect(throws: Never.self) { try ValueClosure("{ $0.contains(/\(many)/) }") }
  }

  @Test("no pattern crashes, and none takes forever")
  func spoilt() {
    var dice = Dice(state: 23)
    let scraps = [
      "a", "b", "(", ")", "[", "]", "*", "+", "?", "{2}", "{1,3}", "|", "^", "$", ".", "\\d",
      "\\b", "\\p{L}", "\\P{N", "\\p", "(?:", "(?i)", "(?<n>", "-", "\\", "é",
    ]
    var refused = 0
    let count = RandomCases.count(3000)
    for _ in 0..<count {
      let pattern = (0..<Int.random(in: 1...12, using: &dice)).map { _ in
        scraps.randomElement(using: &dice) ?? ""
      }.joined()
      guard let closure = try? ValueClosure("{ $0.matches(of: /\(pattern)/) }") else {
        refused += 1
        continue
      }
      for text in ["", "a", "aabab\nb", "éa1 b"] { _ = try? closure(.string(text)) }
    }
    #expect(refused > count / 10 && refused < count - count / 30)
  }

  @Test("the literal keeps its spelling when it is laid out")
  func layout() {
    let text = #"taps.map{$0.replacing( /a\/b[)"]+/ ,with:"x") }"#
    #expect(
      ExpressionLayout.text(of: text) == #"taps.map { $0.replacing(/a\/b[)"]+/, with: "x") }"#
    )
  }
}

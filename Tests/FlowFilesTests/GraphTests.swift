import FlowFiles
import FlowLanguage
import Testing

@Suite("graphs")
struct GraphTests {
  private static let shop = """
    SUBJECT orders
    SUBJECT revenue
    PIPELINE dear = orders.filter { $0 > 1 }
    PIPELINE both = dear.merge(with: orders)
    RUN totals = both.assign(to: revenue)
    """

  @Test("of a file: who reads whom")
  func file() throws {
    let graph = Graph(try definitions(Self.shop))
    #expect(
      graph.lines(.text) == [
        "orders  → dear, both", "revenue  ← totals", "dear  ← orders  → both",
        "both  ← dear, orders  → totals", "totals  ← both  → revenue",
      ]
    )
    #expect(
      graph.lines(.dot) == [
        "digraph flow {", "  rankdir=LR;", "  n0 [label=\"orders\", shape=cds];",
        "  n1 [label=\"revenue\", shape=cds];", "  n2 [label=\"dear\", shape=box];",
        "  n3 [label=\"both\", shape=box];", "  n4 [label=\"totals\", shape=box, style=bold];",
        "  n0 -> n2;", "  n2 -> n3;", "  n0 -> n3;", "  n3 -> n4;", "  n4 -> n1;", "}",
      ]
    )
  }

  @Test("of an expression: its stages, and the publishers below them")
  func expression() throws {
    let text = "a.flatMap { Just(\"<\\($0)>\").delay(for: 1) }.map { \"x\" }.assign(to: b)"
    let graph = Graph(try FreeExpression(text).stages)
    #expect(
      graph.lines(.mermaid) == [
        "flowchart LR", "  n0([\"a\"])",
        "  n1[\"flatMap { Just(&quot;&lt;\\($0)&gt;&quot;).delay(for: 1)…\"]",
        "  n2[\"Just(&quot;&lt;\\($0)&gt;&quot;)\"]", "  n3[\"delay(for: 1)\"]",
        "  n4[\"map { &quot;x&quot; }\"]", "  n5[\"assign(to: b)\"]", "  n0 --> n1", "  n2 --> n3",
        "  n3 --> n1", "  n1 --> n4", "  n4 --> n5",
      ]
    )
    #expect(graph.lines(.dot).contains("  n4 [label=\"map { \\\"x\\\" }\", shape=box];"))
  }

  @Test("definitions know what they read")
  func reads() throws {
    let result = try definitions(Self.shop)
    #expect(result["both"]?.reads == ["dear", "orders"])
    #expect(result["totals"]?.reads == ["both"])
  }

  @Test("a name in a free expression is a subject, a mistake is still one")
  func free() throws {
    #expect(try FreeExpression("x.merge(with: y)").stages.count == 2)
    #expect(throws: Diagnostic.self) { try FreeExpression("x.fliter { $0 }") }
    #expect(throws: Diagnostic.self) { try FreeExpression("Jsut(1)") }
    #expect(throws: Diagnostic.self) { try FreeExpression("x.map { $0 ") }
  }

  @Test(
    "a name where no publisher can stand is no subject",
    arguments: [
      ("taps.map { value in vlaue }", "there is no value \"vlaue\"; did you mean \"value\"?"),
      ("taps.map { rond($0) }", "there is no function \"rond\"; did you mean \"round\"?"),
      ("taps.scan(0) { $0 + $2 }", "there is no value \"$2\"; did you mean \"$0\"?"),
      ("just(1)", "there is no source \"just\"; did you mean \"Just\"?"),
      ("taps.map { taps }", "expected a value, found the publisher \"taps\""),
      ("(1..<4).publisher.map { $0.a }", "there is no property \"a\""),
    ]
  )
  func noSubject(_ text: String, _ message: String) {
    let diagnostic = #expect(throws: Diagnostic.self) { try FreeExpression(text) }
    #expect(diagnostic?.text == message)
  }

  @Test("a stage is told with its parentheses")
  func enclosed() throws {
    for text in ["(1...3).publisher", "([1, 2]).publisher", "[(1)].publisher"] {
      #expect(try FreeExpression(text).stages[0].text == text)
    }
  }
}

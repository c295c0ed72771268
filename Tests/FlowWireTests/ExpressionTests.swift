import FlowWire
import Testing

@Suite("Where an expression ends")
struct ExpressionTests {
  @Test(
    "at the first blank outside brackets and quotes that no '.' or '{' follows",
    arguments: [
      "a",
      "a.b()",
      "a.map { $0 * 10 }",
      "a.map{ $0 }.filter { $0 > 3 }",
      "a .map { $0 }  .prefix(2)",
      "a.flatMap(maxPublishers: .max(3)) { Just($0).delay(for: .seconds(2)) }",
      "a.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)",
      "[1, 2, 3].publisher",
      "Just(\"a 5\")",
      "Just(\"a \\\" 5\")",
      "Just(\"a \\\\\")",
      "Just(\"(\")",
      "Just(\"} \\(x[\"a b\"] + f(\"c d\")) {\")",
      "a.map { \"é \\($0) )\" }",
      "a.map { [\"id\": $0.id, \"x\": (1, 2)] }",
      "a\t.map { $0 }",
    ]
  )
  func ends(_ text: String) throws {
    let expression = Expression(text, column: 5)
    for (end, demand) in [("", Demand.none), (" 7", .max(7)), ("  max  ", .unlimited)] {
      #expect(
        try TaggedCommand("SUB \(text)\(end)").command
          == .subscribe(expression, demand: demand, id: nil, window: nil)
      )
    }
    let id = StreamID(rawValue: 1)
    #expect(
      try TaggedCommand("SUB \(text) as=1").command
        == .subscribe(expression, demand: .none, id: id, window: nil)
    )
  }

  @Test(
    "takes all of the line if it does not balance, for the language to say where",
    arguments: ["a.map { $0 10", "a.map(f( 10", "Just(\"a) 10", "Just(\"\\(a\") 10", "\"\\"]
  )
  func unbalanced(_ text: String) throws {
    #expect(
      try TaggedCommand("SUB \(text)").command
        == .subscribe(Expression(text, column: 5), demand: .none, id: nil, window: nil)
    )
  }

  @Test("a bracket too many does not open anything")
  func closedTooOften() throws {
    #expect(
      try TaggedCommand("SUB a)} 10").command
        == .subscribe(Expression("a)}", column: 5), demand: .max(10), id: nil, window: nil)
    )
  }

  @Test(
    "is found in a line that is being typed",
    arguments: [
      ("SUB", nil), ("SUB ", ""), ("@7 sub a.map { $0", "a.map { $0"), ("SUB a.b() 5 as=", "a.b()"),
      ("TAKE é.b() ", "é.b()"), ("EXPLAIN a .b ", "a .b "), ("PIPELINE a", nil),
      ("PIPELINE a=", ""), ("RUN a restart=1s = b == c", "b == c"), ("SEND a b", nil), ("", nil),
    ] as [(String, String?)]
  )
  func unfinished(_ line: String, _ expression: String?) {
    let range = Expression.range(inUnfinished: line)
    #expect(range.map { String(Array(line)[$0]) } == expression)
  }
}

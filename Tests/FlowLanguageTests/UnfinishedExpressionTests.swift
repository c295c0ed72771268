import Testing

@testable import FlowLanguage

@Suite("Unfinished expressions")
struct UnfinishedExpressionTests {
  @Test(
    "tell what the parser expects next",
    arguments: [
      ("", .publisher), ("orders", nil), ("orders ", nil), ("orders.", .stage), ("[1, 2].", .stage),
      ("orders.merge(with: ", .publisher), ("orders.prefix(3).", .stage), ("[1, ", .publisher),
      ("orders.map { ", .value), ("orders.map({ ", .value), ("orders.flatMap { ", .publisher),
      ("orders.flatMap(maxPublishers: .max(2)) { ", .publisher),
      ("orders.flatMap { orders.map { ", .value), ("orders.map { $0.", .member([])),
      ("orders.map { order in order.a.b.", .member(["a", "b"])),
      ("orders.map { $0.a!.", .member(["a"])),
      ("orders.map { $0.rows[0].", .member(["rows"])), ("orders.map { max($0, 1).", .member(nil)),
      ("orders.flatMap { Just($0).", .stage), ("orders.flatMap { orders.", .stage),
      ("orders.map(\\.", .keyPath([])), ("orders.map(\\.a.b.", .keyPath(["a", "b"])),
      ("orders.map { \"", nil), ("orders.map { \"\\(", .value),
      ("orders.map { \"\\($0.a.", .member(["a"])),
      ("orders.map { \"\\(\"\\($0.", .member([])), ("orders.map { \"\\\\(", nil),
      ("orders.scan(0) { total, ", nil), ("orders.map { $0 ", nil), ("orders orders.", nil),
      ("orders.map { $0 $0 }.", .stage), ("orders.map { \"\\q\" }.", nil), ("1...", .publisher),
      ("orders.map { if $0 > 3 { ", .value), ("orders.delay(for: .", nil),
    ] as [(String, UnfinishedExpression.Expected?)]
  )
  func expected(_ text: String, _ expected: UnfinishedExpression.Expected?) {
    #expect(UnfinishedExpression(Array(text), isName: { $0 == "orders" }).expected == expected)
  }

  @Test(
    "tell which brackets are open, and where their calls begin",
    arguments: [
      ("orders.map { $0 }", "", 7), ("orders.map { [$0, (1", ")]}", 7), ("a.b(", ")", 2),
      ("orders.flatMap(maxPublishers: .max(2)) {", "}", 7), ("Timer.publish(every: 1", ")", 0),
      ("Timer.publish(every: 1)", "", 0), ("a.map { \"x \\(y", ")\"}", 2), ("[1, 2", "]", 0),
      ("a.map { $0.matches(/(/) ", "}", 2), ("a.b(c) d.e(", ")", 9), ("a.count().fi", "", 10),
      ("a.count().", "", 9),
    ]
  )
  func brackets(_ text: String, _ closers: String, _ complete: Int) {
    let expression = UnfinishedExpression(Array(text), isName: { _ in false })
    #expect(expression.closers == closers)
    #expect(expression.endOfComplete == complete)
  }

  @Test("have a closing bracket too many")
  func stray() {
    let text = "orders.map { $0 }) }"
    #expect(UnfinishedExpression(Array(text), isName: { _ in false }).stray == 17)
  }

  @Test("record the labels of the arguments so far")
  func labels() {
    let text = "orders.debounce(for: 3, "
    let expression = UnfinishedExpression(Array(text), isName: { _ in false })
    #expect(expression.open.last?.entry?.name == "debounce")
    #expect(expression.open.last?.labels == ["for", nil])
    #expect(expression.isAtBeginning)
  }

  @Test(
    "end in the word that is being typed",
    arguments: [
      ("sensors/kitchen-1", "sensors/kitchen-1"), ("orders.deb", "deb"), ("orders.map { $", "$"),
      ("orders.map { $0.a-b", "b"), ("orders.merge(with: lab-1", "lab-1"), ("orders ", ""),
    ]
  )
  func word(_ text: String, _ word: String) {
    #expect(UnfinishedWord(Array(text), isName: { _ in false }).text == word)
  }
}

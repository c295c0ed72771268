import Testing

@testable import flowclient

@Suite("The name that sub waits for")
struct WaitedNameTests {
  @Test(
    "is what the expression begins with, in levels, too; a pattern is none",
    arguments: [
      ("orders", "orders"), ("orders.map { $0 }", "orders"), ("$events", "$events"),
      ("plant/2/oven-7", "plant/2/oven-7"), ("plant/2/oven.map { $0 }", "plant/2/oven"),
      ("plant/2\n  .filter { $0 > 1 }", "plant/2"), ("_a/b/c/d .count()", "_a/b/c/d"),
      ("plant/*", nil), ("plant/*/oven.map { $0 }", nil), ("plant/", nil), ("plant//oven", nil),
      ("/plant", nil), ("plant/o*", nil), ("Just(1)", nil), ("[1, 2].publisher", nil),
      ("orders + 1", nil), ("a/b + c/d", nil), ("$new/plant/*", nil), ("", nil),
    ]
  )
  func name(_ expression: String, _ name: String?) {
    #expect(Subscribing.name(in: expression) == name)
  }
}

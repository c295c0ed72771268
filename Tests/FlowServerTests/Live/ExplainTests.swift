import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("EXPLAIN")
struct ExplainTests {
  @Test("tells of each stage and of all, and subscribes to nothing")
  func rows() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT orders")
    try client.say(
      "EXPLAIN orders.buffer(size: 16, prefetch: .keepFull, whenFull: .dropNewest)"
        + ".flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }"
    )
    #expect(
      try client.lines(7) == [
        "* stage 0 orders asks=\"-\" holds=\"nothing\" full=\"-\" ends=\"with the subject\"",
        "* stage 1 buffer(size: 16, prefetch: .keepFull, whenFull: .dropNewest)"
          + " asks=\"16, then 1 for each value taken\" holds=\"16\""
          + " full=\"stops requesting; .dropNewest for values that arrive anyway\""
          + " ends=\"after what it holds\"",
        "* stage 2 flatMap(maxPublishers: .max(2)) { Just($0).delay(for: 0.04) }"
          + " asks=\"2, then 1 for each publisher that finishes\" holds=\"2 × 1\""
          + " full=\"requests nothing and opens no new publisher\""
          + " ends=\"after the last publisher; at once with a failure\"",
        "* inner 2.0 Just($0) asks=\"-\" holds=\"nothing\" full=\"-\" ends=\"after its value\"",
        "* inner 2.1 delay(for: 0.04) asks=\"the same\" holds=\"what was requested\""
          + " full=\"cannot exceed what was requested\" ends=\"40 ms after its upstream\"",
        "* total holds=\"at most 16 + 2 values\" rate=\"at most 50/s (2 / 40 ms)\"",
        "OK explain stages=3",
      ]
    )
    try client.say("SHOW orders")
    #expect(try client.rest(until: "OK show orders").contains { $0.contains("subscriptions=0") })
  }

  @Test("a name is explained as what it stands for, inside another one too")
  func names() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT numbers")
    _ = try client.ask("PIPELINE even = numbers.filter { $0 % 2 == 0 }")
    #expect(
      try client.ask("PIPELINE tens = even.map { $0 * 10 }") == "OK pipeline tens stages=3"
    )
    try client.say("EXPLAIN tens")
    let rows = try client.lines(5)
    #expect(rows[0].hasPrefix("* stage 0 numbers of=even asks="))
    #expect(rows[1].hasPrefix("* stage 1 filter { $0 % 2 == 0 } of=even asks="))
    #expect(rows[2].hasPrefix("* stage 2 map { $0 * 10 } asks=\"the same\""))
    #expect(rows.suffix(2) == ["* total holds=\"nothing\"", "OK explain stages=3"])
    _ = try client.ask("SUBJECT sums")
    _ = try client.ask("RUN totals = tens.assign(to: sums)")
    try client.say("EXPLAIN totals")
    #expect(
      try client.lines(6)[3]
        == "* stage 3 assign(to: sums) asks=\"what the subject grants\" holds=\"nothing\""
        + " full=\"-\" ends=\"with its upstream\""
    )
    try client.say("EXPLAIN numbers")
    #expect(try client.lines(3).last == "OK explain stages=1")
  }

  @Test("what is wrong is told as for SUB")
  func mistakes() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT orders")
    #expect(
      try client.ask("EXPLAIN nobody")
        == "ERR unknown-name unknown name \"nobody\"; LIST lists the names"
    )
    try client.say("EXPLAIN orders.fliter { $0 }")
    #expect(
      try client.lines(3) == [
        "ERR syntax 16: there is no operator \"fliter\"; did you mean \"filter\"?",
        "#   EXPLAIN orders.fliter { $0 }", "#                  ^^^^^^",
      ]
    )
    try client.say("EXPLAIN orders.foo().bar().prefix(1, 2)")
    #expect(
      try client.lines(3) == [
        "ERR syntax 16: there is no operator \"foo\" (2 more mistakes: 22: there is no operator "
          + "\"bar\"; 38: too many arguments: prefix(count), prefix(while: { value in … }) or "
          + "prefix(untilOutputFrom: publisher))",
        "#   EXPLAIN orders.foo().bar().prefix(1, 2)", "#                  ^^^",
      ]
    )
    #expect(try client.ask("EXPLAIN").hasPrefix("ERR usage the name or pipeline is missing"))
  }
}

import FlowTestSupport
import Testing

/// The mission's scenarios over a real socket, a second of theirs being a tenth of ours.
@Suite("Scenarios over the wire", .serialized)
struct WireScenarios {
  @Test("5: one at a time, the others find no demand", .timeLimit(.minutes(1)))
  func bare() throws {
    let server = try LiveServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT taps")
    let pipeline = "taps.flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.2) }"
    #expect(try client.ask("SUB \(pipeline) max") == "OK sub 1 - demand=max")
    for value in 1...10 { _ = try client.ask("SEND taps \(value)") }
    #expect(try client.lines(2) == ["DROP 1 9 no-demand", "= 1 1"])
    _ = try client.ask("SEND taps 11")
    #expect(try client.line() == "= 1 11")
  }

  @Test("6: a buffer of four before it", .timeLimit(.minutes(1)))
  func buffered() throws {
    let server = try LiveServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask(
      "PIPELINE slow = taps.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)"
        + ".flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.1) }"
    )
    _ = try client.ask("SUB slow max")
    for value in 1...10 { _ = try client.ask("SEND taps \(value)") }
    #expect(try client.lines(2) == ["DROP 1 5 no-demand", "= 1 1"])
    _ = try client.ask("SEND taps 11")
    #expect(try client.lines(5) == ["= 1 2", "= 1 3", "= 1 4", "= 1 5", "= 1 11"])
  }

  @Test("2: a buffer that is large enough, none is missed", .timeLimit(.minutes(1)))
  func none() throws {
    let server = try LiveServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask(
      "SUB taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)"
        + ".flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 0.05) } max"
    )
    for value in 1...12 { try client.say("SEND taps \(value)") }
    var values: [String] = []
    while values.count < 12 {
      let line = try client.line()
      if line.hasPrefix("= ") { values.append(line) } else { #expect(line.hasPrefix("OK send ")) }
    }
    #expect(values == (1...12).map { "= 1 \($0)" })
  }

  @Test("13: three fetches, the second fails and is replaced inside", .timeLimit(.minutes(1)))
  func replaced() throws {
    let server = try LiveServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    let fetch = "{ id in if id == 2 { Fail(\"no\") } else { Just(id * 10) } }"
    try client.say("SUB [1, 2, 3].publisher.flatMap \(fetch) max")
    #expect(try client.lines(3) == ["OK sub 1 - demand=max", "= 1 10", "FAIL 1 stage no"])
    let inside = "{ id in Just(id).flatMap \(fetch).replaceError(with: 0) }"
    try client.say("SUB [1, 2, 3].publisher.flatMap \(inside) max")
    #expect(
      try client.lines(5) == ["OK sub 2 - demand=max", "= 2 10", "= 2 0", "= 2 30", "DONE 2"]
    )
  }

  @Test("23: never more than asked, under any demand", .timeLimit(.minutes(1)))
  func neverMore() throws {
    let server = try LiveServer()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT taps")
    _ = try client.ask(
      "SUB taps.buffer(size: 4, prefetch: .keepFull, whenFull: .dropNewest)"
        + ".flatMap(maxPublishers: .max(1)) { Just($0).delay(for: 0.02) } 3"
    )
    for value in 1...10 { _ = try client.ask("SEND taps \(value)") }
    #expect(try client.lines(4) == ["DROP 1 5 no-demand", "= 1 1", "= 1 2", "= 1 3"])
    for value in [4, 5] {
      try client.say("REQ 1 1")
      #expect(try client.line() == "= 1 \(value)")
    }
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 values=5 missed=0 undelivered=0")
  }
}

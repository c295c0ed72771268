import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("flowclient tap and marble as processes")
struct TapProcessTests: ClientSuite {
  let address: String

  init() throws {
    (_, address) = try TestServer.start(
      """
      SUBJECT orders
      SUBJECT slow flow=slowest
      SUBJECT out
      PIPELINE big = orders.filter { $0 > 1 }.scan(0) { $0 + $1 }
      RUN copies = orders.map { $0 * 10 }.assign(to: out)
      """,
      on: "127.0.0.1:0"
    )
  }

  /// Connects without a new process, which may be slow on a busy machine.
  private func connect() throws -> TestClient {
    let client = try TestClient(port: try #require(UInt16(address.split(separator: ":")[1])))
    _ = try client.line()
    return client
  }

  /// Waits until the server has `count` taps.
  private func waitForTaps(_ count: Int) throws {
    let client = try connect()
    try Patience.wait(for: "\(count) taps") {
      try client.say("LIST streams")
      let rows = try client.rest { $0.hasPrefix("OK list ") }
      return rows.count { $0.hasPrefix("* tap ") } == count
    }
  }

  @Test("tap prints passing values, and is not counted as a subscription")
  func tap() throws {
    let three = try start("tap", "-n", "3", "orders")
    let run = try start("tap", "copies", "-o", "json")
    let source = try start("tap", "copies.0")
    try waitForTaps(3)
    #expect(try self.run("send", "orders", "1", "2", "3").status == 0)
    #expect(three.waitForEnd() == .init(output: "1\n2\n3\n", remarks: "", status: 0))
    let lines = run.waitForOutput(lines: 3)
    #expect(lines.count == 3 && lines[2].hasSuffix("\"value\":30}"))
    #expect(try self.run("show", "orders").output.contains("subscriptions=1 "))
    #expect(try self.run("delete", "copies").status == 0)
    #expect(run.waitForEnd().status == 1)
    #expect(try self.run("done", "orders").status == 0)
    #expect(source.waitForEnd() == .init(output: "1\n2\n3\n", remarks: "", status: 0))
  }

  @Test("tap refuses an expression and an unknown stage")
  func refusals() throws {
    #expect(try run("tap").status == 64)
    #expect(try run("tap", "a.b").status == 64)
    #expect(try run("tap", "orders.map { $0 }").status == 64)
    let stage = try run("tap", "big.9")
    #expect(stage.status == 1)
    #expect(stage.remarks.contains("big has no stage 9; its stages are 0 to 2"))
    #expect(try run("marble").status == 64)
    #expect(try run("marble", "nobody").status == 1)
    #expect(try run("marble", "orders", "--save", "x.flow", "--for", "1ms").status == 64)
  }

  @Test(
    "marble draws lanes into a pipe, and saves a passing test",
    arguments: ["big", "copies"]
  )
  func marble(_ name: String) throws {
    let sub = try start("sub", "big")
    let file = try TestFolder.file()
    let marble = try start("marble", name, "--for", "3s", "--ascii", "--save", file)
    try waitForTaps(2)
    let sender = try connect()
    for value in ["1", "2", "3", "'", "{\"a\":1}", "ü\u{1b}[31m"] {
      _ = try sender.ask("SEND out \(value)")
      if Int(value) != nil {
        #expect(try sender.ask("SEND orders \(value)").hasPrefix("OK send orders "))
      }
    }
    let result = marble.finish()
    #expect(result.status == 0, "\(result.remarks)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first?.hasPrefix("orders ") == true)
    #expect(lines.dropFirst().first?.hasPrefix("\(name) ") == true)
    #expect(lines.contains { $0.hasPrefix("0 orders ") })
    #expect(result.output.utf8.allSatisfy { $0 < 0x80 })
    #expect(result.remarks.contains("wrote \(file): 3 of 3 values"))
    let test = try run("test", file)
    #expect(test.output == "\(file): 1 of 1 test passed\n")
    #expect(try run("lint", file).status == 0)
    sub.kill(15)
  }
}

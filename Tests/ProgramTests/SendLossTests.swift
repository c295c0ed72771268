import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("flowclient send without its connection or its subject")
struct SendLossTests {
  private let server: ScriptedServer

  init() throws { server = try ScriptedServer() }

  private func send(_ options: String...) throws -> RunningProgram {
    try RunningProgram("flowclient", ["-s", server.address, "send", "a"] + options)
  }

  /// Answers the first commands of `send`, like a server whose subject `a` has these settings.
  private func open(_ settings: String, demand: String) throws -> TestClient {
    let client = try server.greet()
    #expect(try client.line() == "LIST subjects a/**")
    try client.say(
      "* subject a passthrough \(settings) subscriptions=1",
      "* subject a/b passthrough flow=free on=nats subscriptions=0",
      "OK list 2"
    )
    try publish(client, demand: demand)
    return client
  }

  private func publish(_ client: TestClient, demand: String) throws {
    #expect(try client.line() == "PUB a as=1 grant=4096")
    try client.say("OK pub 1 a demand=\(demand)")
  }

  @Test("reports values that may be lost, over all connections, and exits with 69")
  func counts() throws {
    let send = try send("-o", "json")
    let first = try open("flow=slowest", demand: "10")
    send.type("1\n2\n")
    #expect(try first.rest(until: "PING") == ["= 1 1", "= 1 2", "PING"])
    first.close()
    let second = try server.greet()
    try publish(second, demand: "10")
    send.type("3\n")
    #expect(try second.lines(2) == ["= 1 3", "PING"])
    second.close()
    let third = try server.greet()
    try publish(third, demand: "10")
    send.endInput()
    #expect(try third.line() == "@d1 DONE 1")
    try third.say("@d1 OK done 1")
    let result = send.waitForEnd()
    #expect(result.status == 69)
    #expect(result.output == "{\"name\":\"a\",\"sent\":3,\"unconfirmed\":3}\n")
    let lines = result.remarks.split(separator: "\n")
    let end = "may not have reached the server, and will not be sent again"
    #expect(lines.first == "at most 2 values \(end)")
    #expect(lines.contains("at most 1 value \(end)"))
    #expect(
      lines.last
        == "flowclient: connection lost on the way: at most 3 of 3 values may not have reached a"
    )
  }

  @Test("does not report values that the server has confirmed")
  func confirmed() throws {
    let send = try send("-o", "json")
    let first = try open("flow=free", demand: "max")
    send.type("1\n2\n")
    #expect(try first.rest(until: "PING").count == 3)
    try first.say("PONG")
    // The next PING shows that the client has read the answer.
    send.type("3\n")
    #expect(try first.lines(2) == ["= 1 3", "PING"])
    first.close()
    let second = try server.greet()
    try publish(second, demand: "max")
    send.endInput()
    _ = try second.line()
    try second.say("@d1 OK done 1")
    let result = send.waitForEnd()
    #expect(result.status == 69)
    #expect(result.output == "{\"name\":\"a\",\"sent\":3,\"unconfirmed\":1}\n")
  }

  @Test("reports nothing if all values had arrived")
  func nothingLost() throws {
    let send = try send("-o", "json")
    let first = try open("flow=slowest", demand: "10")
    send.type("1\n")
    #expect(try first.lines(2) == ["= 1 1", "PING"])
    try first.say("PONG")
    first.close()
    let second = try server.greet()
    try publish(second, demand: "10")
    send.endInput()
    _ = try second.line()
    try second.say("@d1 OK done 1")
    let result = send.waitForEnd()
    #expect(result.status == 0 && result.output == "{\"name\":\"a\",\"sent\":1}\n")
    #expect(!result.remarks.contains("at most"))
  }

  @Test("on a storing subject, only a grant confirms values")
  func stored() throws {
    let send = try send()
    let client = try open("flow=slowest on=nats", demand: "4096")
    send.type("1\n2\n3\n")
    #expect(try client.lines(3) == ["= 1 1", "= 1 2", "= 1 3"])
    try client.say("REQ 1 2", "CANCEL 1 away")
    send.endInput()
    // A slow client ends the publication before it reads CANCEL, and asks why it waits.
    while let line = try? client.line() {
      if line == "@d1 DONE 1" { try client.say("@d1 OK done 1 ended") }
      if line.hasPrefix("WATCH ") { try client.say("ERR unknown-name there is no a") }
    }
    let result = send.waitForEnd()
    #expect(result.status == 1)
    let count = "3 values were sent before that; at least 2 of them were taken"
    #expect(result.remarks.hasSuffix("\n\(count)\n"))
  }

  @Test("a real server confirms values", arguments: ["a", "a flow=slowest", "b/c"])
  func real(_ subject: String) throws {
    let definitions = "SUBJECT \(subject)\nSUBJECT \(subject.prefix(1))/d"
    let (_, address) = try TestServer.start(definitions)
    let name = String(subject.prefix { $0 != " " })
    let sub = try RunningProgram("flowclient", ["-s", address, "sub", name])
    let send = try RunningProgram("flowclient", ["-s", address, "--trace", "send", name])
    send.type("1\n")
    let isTold = (9...20).contains { send.waitForRemarks(lines: $0).contains("← PONG") }
    #expect(isTold)
    #expect(send.finish().status == 0)
    sub.kill(2)
    #expect(sub.waitForEnd().status == 128 + 2)
  }

  @Test("a subject that ends after the last value makes send fail")
  func endsLate() throws {
    let send = try send()
    let client = try open("flow=slowest", demand: "10")
    send.type("1\n2\n")
    send.endInput()
    #expect(try client.rest(until: "@d1 DONE 1").count >= 3)
    try client.say("CANCEL 1 completed", "PONG", "@d1 OK done 1 ended")
    let result = send.waitForEnd()
    #expect(result.status == 1)
    #expect(
      result.remarks == """
        flowclient: completed the server ended the stream
        2 values were sent before that, and may not have been taken

        """
    )
  }
}

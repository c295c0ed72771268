import FlowServerSupport
import FlowTestSupport
import Testing

/// Tests with two servers on a real NATS.
@Suite("sub --durable")
struct DurableTests {
  @Test("acknowledges printed values for all servers; the others come again")
  func acknowledges() throws {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    let nats = try NATSServer()
    defer { withExtendedLifetime(nats) {} }
    let definition = "SUBJECT jobs flow=slowest on=nats"
    let addresses = try (0..<2).map { _ in
      try TestServer.start(definition, nats: [nats.address]).address
    }
    func client(_ server: Int, _ arguments: String...) throws -> RunningProgram {
      try RunningProgram("flowclient", ["-s", addresses[server]] + arguments)
    }
    let sent = try client(0, "send", "jobs")
    sent.type((1...10).map { "\($0)\n" }.joined())
    #expect(sent.finish().status == 0)
    let first = try client(0, "sub", "jobs", "-n", "3", "--durable", "b").finish()
    #expect(first == .init(output: "1\n2\n3\n", remarks: "", status: 0))
    let second = try client(1, "sub", "jobs", "-n", "2", "--durable", "b", "--demand", "1").finish()
    #expect(second.output == "4\n5\n")
    #expect(try client(1, "DONE", "jobs").finish().status == 0)
    let third = try client(1, "sub", "jobs", "--durable", "b").finish()
    #expect(third.output == "6\n7\n8\n9\n10\n")
    let last = try client(0, "sub", "jobs", "--durable", "b").finish()
    #expect(last == .init(output: "", remarks: "", status: 0))
    let gone = try client(0, "DELETE", "jobs", "durable=b").finish()
    #expect(gone.remarks == "OK delete jobs durable=b\n")
  }
}

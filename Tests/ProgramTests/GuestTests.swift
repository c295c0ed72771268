import FlowServer
import FlowServerSupport
import FlowTestSupport
import Testing

@Suite("flowclient with a token without the right hold")
struct GuestTests {
  private let address: String

  init() throws {
    (_, address) = try TestServer.start(
      "SUBJECT jobs flow=slowest\nSUBJECT taps",
      tokens: [Token("root"), Token("guest", rights: .subscribe)]
    )
  }

  private func client(_ token: String, _ arguments: String...) throws -> RunningProgram {
    try RunningProgram(
      "flowclient",
      ["-s", address] + arguments,
      environment: ["FLOW_TOKEN=\(token)"]
    )
  }

  @Test("sub says once that no publisher waits for it")
  func remark() throws {
    let remark = "flow=free: this token lacks the right hold, so publishers do not wait for it"
    let sub = try client("guest", "sub", "jobs", "-n", "2")
    #expect(sub.waitForRemarks(lines: 1) == [remark])
    for value in ["1", "2"] {
      #expect(try client("root", "send", "jobs", value).finish().status == 0)
    }
    let result = sub.finish()
    #expect(result.output == "1\n2\n" && result.status == 0)
    // On a busy machine it may also say that nothing comes.
    #expect(result.remarks.split(separator: "\n").count { $0 == remark } == 1)
    let quiet = try client("guest", "-q", "sub", "jobs.prefix(0)")
    #expect(quiet.finish() == .init(output: "", remarks: "", status: 0))
  }

  @Test(
    "sub says nothing of it where it makes no difference",
    arguments: [("guest", "taps.prefix(0)"), ("root", "jobs.prefix(0)")]
  )
  func silence(_ token: String, _ expression: String) throws {
    let sub = try client(token, "sub", expression)
    #expect(sub.finish() == .init(output: "", remarks: "", status: 0))
  }
}

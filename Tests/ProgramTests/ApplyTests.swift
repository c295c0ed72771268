import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

@Suite("flowclient apply")
struct ApplyTests {
  private func client(_ address: String, _ arguments: String...) throws -> RunningProgram.Outcome {
    try RunningProgram("flowclient", ["-s", address] + arguments).finish()
  }

  @Test("creates and changes definitions with their readers, and keeps the others")
  func apply() throws {
    let (server, address) = try TestServer.start("SUBJECT mine\nSUBJECT a\nPIPELINE b = a\n")
    defer { withExtendedLifetime(server) {} }
    let path = try TestFolder.file(
      """
      set stall 5s
      subject a
      SUBJECT out current "x # y"
      PIPELINE b = a.map { $0 + 1 }
      PIPELINE c = b
        .map { $0 * 2 }
      RUN r = c.assign(to: out)
      """
    )
    let plan = try client(address, "apply", "--dry-run", path)
    #expect(
      plan.output == """
        would create subject out
        would change pipeline b
        would create pipeline c
        would create run r

        """
    )
    #expect(
      plan.remarks
        == "2 unchanged; -v lists them\nset is only for files the server reads itself; ignored\n"
    )
    #expect(try client(address, "show", "c").status == 1)
    #expect(try client(address, "-q", "apply", path).output.contains("changed pipeline b\n"))
    #expect(try client(address, "apply", path).output == "")
    #expect(
      try client(address, "-v", "apply", path).output == """
        unchanged subject a
        unchanged subject out
        unchanged pipeline b
        unchanged pipeline c
        unchanged run r
        unchanged subject mine, not in the file

        """
    )
    let changed = try TestFolder.file(
      try String(contentsOfFile: path, encoding: .utf8).replacing("+ 1", with: "+ 2")
    )
    #expect(
      try client(address, "apply", changed).output == """
        changed pipeline b
        changed pipeline c
        changed run r

        """
    )
    #expect(try client(address, "send", "a", "1").status == 0)
    #expect(try client(address, "sub", "-n", "1", "out").output == "6\n")
    let again = try TestFolder.file(
      try String(contentsOfFile: changed, encoding: .utf8).replacing("r =", with: "r restart=1s =")
    )
    let last = try client(address, "apply", again, "-o", "json").output.split(separator: "\n").last
    #expect(last == #"{"change":"changed","kind":"run","name":"r"}"#)
    #expect(try client(address, "-v", "apply", again).output.contains("unchanged run r\n"))
  }

  @Test("deletes stored, unread values only with --force")
  func unreadValues() throws {
    guard NATSServer.program != nil else { try Test.cancel("\(NATSServer.missing)") }
    let nats = try NATSServer()
    let definition = "SUBJECT jobs flow=slowest on=nats"
    let (server, address) = try TestServer.start(definition, nats: [nats.address])
    defer { withExtendedLifetime((nats, server)) {} }
    for value in ["1", "2"] { #expect(try client(address, "send", "jobs", value).status == 0) }
    let path = try TestFolder.file(definition + " room=9\n")
    let loss = "change subject jobs, deleting 2 unread values\n"
    #expect(try client(address, "apply", "--dry-run", path).output == "would \(loss)")
    let refused = try client(address, "apply", path)
    #expect(refused.status == 1 && refused.output.isEmpty)
    let text = "apply would delete 2 unread values of jobs (2); nothing is applied"
    #expect(refused.remarks.contains(text))
    // The reader stays, since NATS may not hear what was read just before a subscription ended.
    let reader = try RunningProgram("flowclient", ["-s", address, "sub", "jobs", "--delay", "1h"])
    try Patience.wait(for: "NATS to hear that a value was read") {
      try client(address, "apply", "--dry-run", path).output.contains("deleting 1 unread value\n")
    }
    reader.kill(SIGTERM)
    _ = reader.waitForEnd()
    let forced = try client(address, "apply", "--force", path)
    #expect(forced.output == "changed subject jobs, deleting 1 unread value\n")
    #expect(try client(address, "apply", path).remarks == "1 unchanged; -v lists them\n")
  }

  @Test("reports a refused line, and which lines were applied or not")
  func refusedLine() throws {
    let (server, address) = try TestServer.start(
      "SUBJECT a\nSUBJECT b\nPIPELINE p = a\nPIPELINE q = a\nRUN old = Just(2).assign(to: b)\n"
        + "RUN back = b.assign(to: a)\n"
    )
    defer { withExtendedLifetime(server) {} }
    let path = try TestFolder.file(
      """
      SUBJECT a
      SUBJECT b
      PIPELINE p = a.map { $0 + 1 }
      RUN r = a.assign(to: b)
      PIPELINE q = a.map { $0 + 2 }
      RUN old = Just(1).assign(to: b)
      """
    )
    let outcome = try client(address, "-q", "apply", path)
    #expect(outcome.status == 1)
    #expect(outcome.output == "changed pipeline p\n")
    #expect(
      outcome.remarks == """
        flowclient: \(path):4: cycle r would feed itself: a → b → a
        not applied: run r, pipeline q, run old
        deleted and not recreated: run old

        """
    )
    #expect(try client(address, "show", "q").output.contains("PIPELINE q = a\n"))
    #expect(try client(address, "show", "p").output.contains("a.map { $0 + 1 }\n"))
  }

  @Test("a file with errors is exit 65, without connecting; no server is exit 69")
  func refusals() throws {
    let bad = try client("127.0.0.1:1", "apply", try TestFolder.file("SUBJCT a\n"))
    #expect(bad.status == 65 && bad.remarks.contains("did you mean \"SUBJECT\"?"))
    #expect(try client("127.0.0.1:1", "apply", try TestFolder.file("SUBJECT a\n")).status == 69)
  }
}

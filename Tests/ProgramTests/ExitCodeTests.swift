import FlowServerSupport
import FlowTestSupport
import Glibc
import Testing

@testable import flowclient

@Suite("exit codes")
struct ExitCodeTests {
  /// A command that ends with a given code, for a server with tokens.
  private enum Way {
    /// Runs `flowclient` with these arguments and the token.
    case client([String])
    case withoutToken([String])
    /// Runs a script of the shell, in which `"$0" "$@"` is the client.
    case shell(String, [String])
    /// The code is only for bugs, so there is no command.
    case none
  }

  private func way(to code: ExitCode, _ page: String) throws -> Way {
    switch code {
    case .done: .client(["ping"])
    case .no: .client(["sub", "Fail(\"no\")"])
    case .critical: .client(["check", "nothing"])
    case .unknown: .withoutToken(["check"])
    case .usage: .client(["sub"])
    case .badInput: .shell(#"echo '{' | "$0" "$@" send orders --format ndjson"#, [])
    case .cannotRead: .client(["lint", "/nonexistent"])
    case .unreachable: .client(["-s", "unix:/nonexistent", "list"])
    case .bug: .none
    case .cannotWrite: .shell(#""$0" "$@" version > /dev/full"#, [])
    case .tryLater:
      .shell(#""$0" sub 'Just(1).append(orders)' | { read one; "$0" sub orders; }"#, [])
    case .protocolBroken: .withoutToken(["-s", page, "list"])
    case .refused: .withoutToken(["send", "orders", "1"])
    case .badConfiguration: .client(["--token-file", "/dev/null", "list"])
    case .timeout: .client(["sub", "orders", "--timeout", "1ms"])
    }
  }

  @Test("each exit code has a command that ends with it", arguments: ExitCode.allCases)
  func each(_ code: ExitCode) throws {
    let tokens = try TestFolder.file("sesame all\n")
    let limit = code == .tryLater ? "set connection-limit 1\n" : ""
    let file = try TestFolder.file("\(limit)SUBJECT orders flow=slowest\n")
    let server = try RunningProgram(
      "FlowServer",
      [
        "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--token-file", tokens, "-c", file,
      ]
    )
    defer { server.kill(SIGTERM) }
    let lines = server.waitForMessages(5)
    func place(_ start: String) throws -> String {
      String(try #require(lines.first { $0.hasPrefix(start) }, "\(lines)").dropFirst(start.count))
    }
    let address = try place("listening on ")
    let page = String(try place("page on http://").dropLast())
    let known = ["FLOW_TOKEN=sesame", "FLOW_SERVER=\(address)", "PATH=/usr/bin:/bin"]
    let result: RunningProgram.Outcome
    switch try way(to: code, page) {
    case .client(let arguments):
      result = try RunningProgram("flowclient", arguments, environment: known).finish()
    case .withoutToken(let arguments):
      result = try RunningProgram(
        "flowclient",
        arguments,
        environment: ["FLOW_SERVER=\(address)"]
      ).finish()
    case .shell(let script, let arguments):
      let program = try RunningProgram.folder() + "/flowclient"
      result = try RunningProgram(
        "/bin/sh",
        ["-c", script, program] + arguments,
        environment: known
      ).finish()
    case .none: return
    }
    #expect(result.status == code.rawValue, "\(result)")
    #expect(code == .done || !result.remarks.isEmpty || !result.output.isEmpty)
  }

  @Test("a server that closes at once is unreachable", arguments: [["ping"], ["sub", "a"]])
  func hungUp(_ command: [String]) throws {
    let silent = try SilentServer()
    let client = try RunningProgram("flowclient", ["-s", silent.address] + command)
    try silent.hangUp()
    let result = client.finish()
    #expect(result.status == ExitCode.unreachable.rawValue)
    let message = "cannot reach \(silent.address): "
    #expect(result.remarks.contains(message), "\(result)")
  }

  @Test("SIGINT and SIGTERM end flowclient by that signal", arguments: [SIGINT, SIGTERM])
  func signals(_ number: Int32) throws {
    let (_, address) = try TestServer.start("SUBJECT orders")
    let sub = try RunningProgram(
      "flowclient",
      ["-s", address, "sub", "Just(1).append(orders)"]
    )
    #expect(sub.waitForOutput(lines: 1) == ["1"])
    sub.kill(number)
    #expect(sub.waitForEnd() == .init(output: "1\n", remarks: "", status: 128 + number))
  }

  @Test("a signal in a pause of --delay requests no further value")
  func signalInPause() throws {
    let (server, address) = try TestServer.start(
      "SUBJECT orders replay 3\nRUN filling = (1...3).publisher.assign(to: orders)"
    )
    defer { withExtendedLifetime(server) {} }
    let sub = try RunningProgram("flowclient", ["-s", address, "sub", "orders", "--delay", "1h"])
    #expect(sub.waitForOutput(lines: 1) == ["1"])
    sub.kill(SIGTERM)
    _ = sub.waitForEnd()
    let shown = try RunningProgram("flowclient", ["-s", address, "show", "orders"]).finish()
    #expect(shown.output.contains("delivered=1 "), "\(shown)")
  }
}

import FlowTestSupport
import Foundation
import Testing

/// The netcats that people have: some never send an end of input, some do after the last line.
@Suite("Netcats")
struct NetcatTests {
  struct Netcat: CustomTestStringConvertible {
    let program: String
    let arguments: [String]
    /// Whether it tells the server that no more input comes.
    let sendsEnd: Bool

    var testDescription: String { ([program] + arguments).joined(separator: " ") }

    static let all = [
      Netcat(program: "nc.openbsd", arguments: [], sendsEnd: false),
      Netcat(program: "nc.openbsd", arguments: ["-N"], sendsEnd: true),
      Netcat(program: "nc.traditional", arguments: [], sendsEnd: false),
      Netcat(program: "nc.traditional", arguments: ["-q", "5"], sendsEnd: true),
      Netcat(program: "ncat", arguments: [], sendsEnd: true),
      Netcat(program: "socat", arguments: ["-t", "10", "-"], sendsEnd: true),
    ]

    var path: String? {
      ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + program }
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs it with `input`, and returns what it printed by the time the server had closed.
    func run(_ input: String, port: UInt16) throws -> [String] {
      guard let path else { throw TestFailure("\(program) is not installed") }
      let process = Process()
      process.executableURL = URL(filePath: path)
      process.arguments =
        arguments + (program == "socat" ? ["TCP:127.0.0.1:\(port)"] : ["127.0.0.1", "\(port)"])
      let stdin = Pipe()
      let stdout = Pipe()
      process.standardInput = stdin
      process.standardOutput = stdout
      try process.run()
      stdin.fileHandleForWriting.write(Data(input.utf8))
      stdin.fileHandleForWriting.closeFile()
      let output = stdout.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  @Test(
    "QUIT ends the session with all its answers",
    .timeLimit(.minutes(1)),
    arguments: Netcat.all.filter { $0.path != nil }
  )
  func quit(_ netcat: Netcat) throws {
    let server = try LiveServer()
    let lines = try netcat.run(
      "SUBJECT prices current 1\nTAKE prices 1\nPING\nQUIT\n",
      port: server.port
    )
    #expect(
      lines.dropFirst() == [
        "OK subject prices current 1 flow=free", "OK take 1 prices demand=1", "= 1 1", "DONE 1",
        "PONG", "OK quit", "BYE quit bye",
      ]
    )
  }

  @Test(
    "the end of input ends the session with all its answers",
    .timeLimit(.minutes(1)),
    arguments: Netcat.all.filter { $0.path != nil && $0.sendsEnd }
  )
  func endOfInput(_ netcat: Netcat) throws {
    let server = try LiveServer()
    let commands = (1...2000).map { "PING \($0)\n" }.joined()
    let lines = try netcat.run(commands + "SUB nosuch\n", port: server.port)
    #expect(lines.count == 2002)
    #expect(lines.last?.hasPrefix("ERR unknown-name ") == true)
  }

  @Test(
    "what was asked for comes after the end of input",
    .timeLimit(.minutes(1)),
    arguments: Netcat.all.filter { $0.path != nil && $0.sendsEnd }
  )
  func bounded(_ netcat: Netcat) throws {
    let server = try LiveServer()
    let lines = try netcat.run(
      "TAKE Timer.publish(every: 0.05).autoconnect() 3\n",
      port: server.port
    )
    #expect(lines.suffix(4) == ["= 1 1", "= 1 2", "= 1 3", "DONE 1"])
  }
}

import FlowServer
import FlowServerSupport
import FlowTestSupport
import Foundation
import Glibc
import Testing

/// The common netcats: some send an end of input after the last line, others never do.
struct Netcat: CustomTestStringConvertible {
  let program: String
  let arguments: [String]
  /// Whether it passes the end of its input on to the server.
  let sendsEnd: Bool

  var testDescription: String { ([program] + arguments).joined(separator: " ") }

  static let all = [
    Netcat(program: "nc.openbsd", arguments: [], sendsEnd: false),
    Netcat(program: "nc.openbsd", arguments: ["-N"], sendsEnd: true),
    Netcat(program: "nc.traditional", arguments: [], sendsEnd: false),
    Netcat(program: "nc.traditional", arguments: ["-q", "60"], sendsEnd: true),
    Netcat(program: "ncat", arguments: [], sendsEnd: true),
    Netcat(program: "socat", arguments: ["-t", "10", "-"], sendsEnd: true),
  ]

  var path: String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The programs that are not installed.
  static let missing = Set(all.filter { $0.path == nil }.map(\.program)).sorted()
    .joined(separator: ", ")

  /// Starts it with pipes for its input and output.
  func start(port: UInt16) throws -> Process {
    let path = try #require(path)
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments =
      arguments + (program == "socat" ? ["TCP:127.0.0.1:\(port)"] : ["127.0.0.1", "\(port)"])
    process.standardInput = Pipe()
    process.standardOutput = Pipe()
    try process.run()
    // The deadline for a netcat that does not end.
    DispatchQueue.global().asyncAfter(deadline: Patience.deadline) { [weak process] in
      guard let process, process.isRunning else { return }
      Issue.record("waited \(Patience.seconds) s for the end of \(testDescription)")
      Glibc.kill(process.processIdentifier, SIGKILL)
    }
    return process
  }

  /// Runs it with `input`; returns its output when it has ended by itself.
  func run(_ input: String, port: UInt16) throws -> [String] {
    let process = try start(port: port)
    guard let stdin = process.standardInput as? Pipe, let stdout = process.standardOutput as? Pipe
    else { throw TestFailure("\(program) has no pipes") }
    stdin.fileHandleForWriting.write(Data(input.utf8))
    stdin.fileHandleForWriting.closeFile()
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}

@Suite("Netcats", .enabled(if: Netcat.missing.isEmpty, "needs \(Netcat.missing)"))
struct NetcatTests {
  @Test(
    "QUIT ends the session with all its answers",
    .timeLimit(.minutes(10)),
    arguments: Netcat.all
  )
  func quit(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
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
    .timeLimit(.minutes(10)),
    arguments: Netcat.all.filter(\.sendsEnd)
  )
  func endOfInput(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
    let commands = (1...2000).map { "PING \($0)\n" }.joined()
    let lines = try netcat.run(commands + "SUB nosuch\n", port: server.port)
    #expect(lines.count == 2002)
    #expect(lines.last?.hasPrefix("ERR unknown-name ") == true)
  }

  @Test(
    "requested values come after the end of input",
    .timeLimit(.minutes(10)),
    arguments: Netcat.all.filter(\.sendsEnd)
  )
  func bounded(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
    let lines = try netcat.run(
      "TAKE (1...3).publisher.concatMap { Just($0).delay(for: 0.05) } 3\n",
      port: server.port
    )
    #expect(lines.suffix(4) == ["= 1 1", "= 1 2", "= 1 3", "DONE 1"])
  }

  @Test(
    "kill -9 leaves no stream after a value could not be sent",
    .timeLimit(.minutes(10)),
    arguments: Netcat.all
  )
  func kill(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
    let client = try server.connect()
    _ = try client.ask("SUBJECT prices")
    let process = try netcat.start(port: server.port)
    guard let stdin = process.standardInput as? Pipe else { throw TestFailure("no pipe") }
    stdin.fileHandleForWriting.write(Data("SUB prices max\nPUB prices\n".utf8))
    try Patience.wait(for: "a subscription of prices") {
      try client.ask("SEND prices 1").hasSuffix(" to=1 missed=0")
    }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    // The server sees only an end of input, until the client's kernel refuses a value.
    try Patience.wait(for: "the end of the streams") {
      if try client.ask("LIST streams") == "OK list 0" { return true }
      _ = try client.linesSoFar()
      _ = try client.ask("SEND prices 2")
      return false
    }
    #expect(try client.ask("SEND prices 3") == "OK send prices to=0 missed=0")
  }

  @Test(
    "FEED takes the last line without a line end if the input ends",
    .timeLimit(.minutes(10)),
    arguments: Netcat.all
  )
  func feed(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
    let client = try server.connect()
    _ = try client.ask("SUBJECT log replay 9")
    let lines = try netcat.run(
      "FEED log\na\n\n# b\nc" + (netcat.sendsEnd ? "" : "\n.\nQUIT\n"),
      port: server.port
    )
    #expect(
      lines.dropFirst().prefix(2) == [
        "# feeding log; end with a line that is a single .",
        "OK feed log sent=4 missed=0 refused=0",
      ]
    )
    _ = try client.ask("TAKE log 4")
    #expect(try client.lines(5) == ["= 1 a", "= 1 ", "= 1 # b", "= 1 c", "DONE 1"])
  }

  @Test(
    "TAIL goes on after the end of input, until the subject is done",
    .timeLimit(.minutes(10)),
    arguments: Netcat.all
  )
  func tail(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
    let client = try server.connect()
    _ = try client.ask("SUBJECT prices")
    let process = try netcat.start(port: server.port)
    guard let stdin = process.standardInput as? Pipe, let stdout = process.standardOutput as? Pipe
    else { throw TestFailure("no pipes") }
    stdin.fileHandleForWriting.write(Data("TAIL prices\n".utf8))
    stdin.fileHandleForWriting.closeFile()
    try Patience.wait(for: "a reader of prices") {
      try client.ask("SEND prices 1") == "OK send prices to=1 missed=0"
    }
    _ = try client.ask("SEND prices 2")
    _ = try client.ask("DONE prices")
    let output = stdout.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(String(decoding: output, as: UTF8.self).hasSuffix(" auth=none\n1\n2\n"))
  }

  @Test(
    "kill -9 in the middle of a FEED leaves nothing behind",
    .timeLimit(.minutes(10)),
    arguments: Netcat.all
  )
  func killFeed(_ netcat: Netcat) throws {
    let server = try TestServer(time: .real)
    let client = try server.connect()
    _ = try client.ask("SUBJECT log flow=slowest")
    let process = try netcat.start(port: server.port)
    guard let stdin = process.standardInput as? Pipe else { throw TestFailure("no pipe") }
    stdin.fileHandleForWriting.write(Data("FEED log\na\nb\n".utf8))
    try Patience.wait(for: "a feed of log") { try client.ask("LIST streams") != "OK list 0" }
    _ = try client.line()
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    // The server still delivers the lines that it has received.
    try client.say("TAKE log 2 as=7")
    #expect(try client.lines(4) == ["OK take 7 log demand=2", "= 7 a", "= 7 b", "DONE 7"])
    try Patience.wait(for: "the end of the feed") {
      try client.say("LIST streams")
      return try client.rest { $0.hasPrefix("OK list ") } == ["OK list 0"]
    }
  }

  @Test("the shell script of protocol.md is a worker", .timeLimit(.minutes(10)))
  func worker() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "protocol.md"), encoding: .utf8)
    let blocks = page.components(separatedBy: "```sh\n").dropFirst()
    let script = try #require(blocks.first { $0.hasPrefix("#!/bin/sh") })
    let server = try TestServer(time: .real)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/timeout")
    process.arguments = [
      "30", "/bin/sh", "-c", script.components(separatedBy: "```")[0], "worker.sh", "127.0.0.1",
      "\(server.port)",
    ]
    try process.run()
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUB [\"ab c\", \"d*\"].publisher.flatMap { ask(capitals, $0) } 10")
    #expect(try client.lines(3) == ["= 1 \"AB C\"", "= 1 \"D*\"", "DONE 1"])
    // The script ends with the server.
    server.server.stop(drain: 0) {}
    process.waitUntilExit()
    #expect(process.terminationStatus != 124)
  }
}

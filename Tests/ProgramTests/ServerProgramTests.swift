import FlowTestSupport
import Foundation
import Testing

@Suite("FlowServer as a process")
struct ServerProgramTests {
  private func start(_ arguments: String..., page: String = "off") throws -> RunningProgram {
    try RunningProgram("FlowServer", arguments + ["--http", page])
  }

  /// Returns the address that the server logs in one of its first lines.
  private func address(of server: RunningProgram, among most: Int = 2) throws -> String {
    let line = (2...most).lazy.compactMap { count in
      server.waitForMessages(count).first { $0.hasPrefix("listening on ") }
    }
    return String(try #require(line.first).dropFirst("listening on ".count))
  }

  @Test("logs its address, writes the ports file, and exits with 0 at SIGTERM")
  func serves() throws {
    let ports = try TestFolder.file()
    let file = try TestFolder.file("subject shop\npipeline dear = shop\n  .filter { $0 > 9 }\n")
    let server = try start(
      "--listen",
      "127.0.0.1:0",
      "-c",
      file,
      "--ports-file",
      ports,
      page: "127.0.0.1:0"
    )
    let lines = server.waitForMessages(4)
    try #require(lines.count == 4)
    #expect(lines[0].hasPrefix("FlowServer "))
    #expect(lines[1].hasPrefix("listening on 127.0.0.1:"))
    #expect(lines[2].hasPrefix("page on http://127.0.0.1:"))
    #expect(lines[3] == "read \(file)")
    let page = lines[2].dropFirst("page on http://".count).dropLast()
    let address = String(lines[1].dropFirst("listening on ".count))
    #expect(!address.hasSuffix(":0"))
    let list = try RunningProgram("flowclient", ["-s", address, "list"]).finish()
    #expect(list.output.contains("shop") && list.output.contains("dear"))
    #expect(try String(contentsOfFile: ports, encoding: .utf8) == "tcp \(address)\nhttp \(page)\n")
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("a second signal ends it at once, and it says so")
  func stopsAtOnce() throws {
    let server = try start("--listen", "127.0.0.1:0")
    let port = try #require(UInt16(try address(of: server).split(separator: ":")[1]))
    let client = try TestClient(port: port)
    _ = try client.line()
    try client.say("SUBJECT taps", "TAKE taps 1")
    _ = try client.lines(2)
    server.kill(SIGTERM)
    #expect(try client.line() == "DRAIN 30")
    server.kill(SIGTERM)
    #expect(try client.rest() == ["BYE shutdown the server is shutting down"])
    #expect(server.waitForEnd().status == 0)
  }

  @Test("the demo's printed samples work")
  func demo() throws {
    let server = try start("demo", "--listen", "127.0.0.1:0")
    let address = try address(of: server)
    #expect(
      server.waitForOutput(lines: 20).joined(separator: "\n").contains("-s \(address) sub slow")
    )
    func client(_ arguments: String...) throws -> RunningProgram {
      try RunningProgram("flowclient", ["-s", address] + arguments)
    }
    let even = try client("sub", "even", "-n", "2")
    try Patience.wait(for: "a subscription of even") {
      try client("-v", "send", "numbers", "2").finish().remarks.contains("to=1 missed=0")
    }
    #expect(try client("send", "numbers", "3", "4").finish().status == 0)
    #expect(even.waitForEnd().output == "20\n40\n")
    #expect(try client("sub", "ticks", "-n", "1").finish().output == "1\n")
    server.kill(SIGINT)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("the demo takes free ports if the usual ones are taken, and says so")
  func demoMoves() throws {
    // If another program has the usual ports, this one moves as well.
    let first = try RunningProgram("FlowServer", ["demo"])
    _ = try address(of: first)
    let second = try RunningProgram("FlowServer", ["demo"])
    let place = try address(of: second)
    let said = second.waitForOutput(lines: 8).joined(separator: "\n")
    #expect(place != "127.0.0.1:3569")
    #expect(said.contains("samples listens at \(place). "), "\(said)")
    #expect(said.contains("Another program listens at 127.0.0.1:3569, "), "\(said)")
    #expect(said.contains(" open http://127.0.0.1:"), "\(said)")
    #expect(!said.contains("http://127.0.0.1:8569/"), "\(said)")
    #expect(said.contains("-s \(place) sub orders"), "\(said)")
    #expect(try RunningProgram("flowclient", ["-s", place, "ping"]).finish().status == 0)
    for server in [first, second] {
      server.kill(SIGTERM)
      #expect(server.waitForEnd().status == 0)
    }
  }

  @Test("the demo starts a NATS until its own end, or says how to get one")
  func demoNATS() throws {
    let none = try start("demo", "--listen", "127.0.0.1:0", "--nats").finish()
    #expect(none.status == 69)
    #expect(none.remarks.contains("msg=\"there is no nats-server on the PATH\""))
    guard let program = NATSServer.program else { try Test.cancel("\(NATSServer.missing)") }
    let folder = program.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let server = try RunningProgram(
      "FlowServer",
      ["demo", "--listen", "127.0.0.1:0", "--nats"],
      environment: ["PATH=/usr/bin:/bin:\(folder.joined(separator: "/"))"]
    )
    // Lines about NATS, away and then up, may come first.
    let address = try address(of: server, among: 4)
    func client(_ arguments: String...) throws -> RunningProgram.Outcome {
      try RunningProgram("flowclient", ["-s", address] + arguments).finish()
    }
    try Patience.wait(for: "the demo's NATS") { try client("send", "jobs", "1").status == 0 }
    #expect(try client("sub", "jobs", "-n", "1", "--durable", "x").output == "1\n")
    let well = try client("check", "jobs").output
    #expect(well.contains("; jobs exists nats=up room=4096 used="))
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("check reports the places of errors in a file")
  func check() throws {
    let good = try TestFolder.file("# nothing but\nSUBJECT a\n")
    #expect(try start("check", good).finish().output == "\(good): ok\n")
    let bad = try TestFolder.file("SUBJECT a\n\nPIPELINE b = a.fliter { $0 }\n")
    let result = try start("check", bad).finish()
    #expect(result.status == 78)
    #expect(result.remarks.contains("\(bad):3:16: error: there is no operator"))
    #expect(result.remarks.contains("filter"))
    #expect(result.remarks.contains("\n" + String(repeating: " ", count: 17) + "^^^^^^\n"))
    #expect(try start("check", "/nonexistent/x.flow").finish().status == 66)
  }

  @Test("config shows each setting with its source, and the errors of a file")
  func config() throws {
    let good = try TestFolder.file("set drain 10s\nSUBJECT a\n")
    let result = try RunningProgram(
      "FlowServer",
      ["config", "-c", good, "--listen", ":4000"],
      environment: ["FLOWSERVER_HTTP=off"]
    ).finish()
    #expect(result.status == 0)
    let rows = result.output.split(separator: "\n").map {
      $0.split(separator: " ").map(String.init)
    }
    #expect(rows.contains(["listen", ":4000", "--listen"]))
    #expect(rows.contains(["http", "off", "FLOWSERVER_HTTP"]))
    #expect(rows.contains(["set", "drain", "10s", "\(good):1"]))
    let bad = try TestFolder.file("set drian 10s\n")
    let refused = try start("config", "-c", bad).finish()
    #expect(refused.status == 78)
    #expect(refused.remarks.contains("did you mean \"drain\"?"))
  }

  @Test("refuses addresses that other machines reach, unless an option allows it")
  func open() throws {
    let result = try start("--listen", "0.0.0.0:0").finish()
    #expect(result.status == 78)
    #expect(result.remarks.contains("--insecure-open"))
    let server = try start("--listen", "0.0.0.0:0", "--insecure-open")
    #expect(try address(of: server).hasPrefix("0.0.0.0:"))
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("a token file restricts clients, and allows other machines")
  func tokens() throws {
    let tokens = try TestFolder.file("# for the shop\nsesame all\nlooker sub\n")
    let server = try start("--listen", "0.0.0.0:0", "--token-file", tokens)
    let lines = server.waitForMessages(3)
    #expect(lines[0].contains(" is readable by others; ") && !lines.joined().contains("sesame"))
    let place = try #require(lines.first { $0.hasPrefix("listening on ") })
    let address = "127.0.0.1:" + place.split(separator: ":")[1]
    func client(_ arguments: [String], token: String? = nil) throws -> RunningProgram.Outcome {
      let environment = token.map { ["FLOW_TOKEN=\($0)"] } ?? []
      return try RunningProgram(
        "flowclient",
        ["-s", address] + arguments,
        environment: environment
      )
      .finish()
    }
    #expect(try client(["--token-file", tokens, "subject", "a"]).status == 0)
    #expect(try client(["send", "a", "1"], token: "sesame").status == 0)
    #expect(try client(["ping", "hi"], token: "looker").output == "PONG hi\n")
    #expect(try client(["--token-file", tokens, "send", "a", "1"], token: "x").status == 0)
    let refused = try client(["send", "a", "1"], token: "looker")
    #expect(refused.status == 77)
    #expect(refused.remarks.contains("this token may not send to a"))
    for arguments in [["send", "a", "1"], ["list"]] {
      let unknown = try client(["--trace"] + arguments, token: "hushhush")
      #expect(unknown.status == 77, "\(unknown)")
      #expect(unknown.remarks.contains("unknown token") && !unknown.remarks.contains("hush"))
      let none = try client(arguments)
      #expect(none.status == (arguments == ["list"] ? 1 : 77), "\(none)")
    }
    #expect(try client(["--token-file", "/nonexistent", "list"]).status == 66)
    #expect(try client(["--token-file", "/dev/null", "list"]).status == 78)
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("does not start with a token file without tokens")
  func noTokens() throws {
    let result = try start("--listen", "127.0.0.1:0", "--token-file", "/dev/null").finish()
    #expect(result.status == 78)
    #expect(result.remarks.contains("/dev/null: has no token"))
    #expect(try start("--token-file", "/nonexistent").finish().status == 66)
  }

  @Test("an address in use is exit 69")
  func taken() throws {
    let first = try start("--listen", "127.0.0.1:0")
    let address = try address(of: first)
    let second = try start("--listen", address).finish()
    #expect(second.status == 69)
    #expect(second.remarks.contains(address))
    #expect(second.remarks.contains("--listen 127.0.0.1:0"))
    first.kill(SIGTERM)
    #expect(first.waitForEnd().status == 0)
  }

  @Test("logs all files, and at SIGHUP reads included files again")
  func included() throws {
    let names = try TestFolder.file("SUBJECT a\n")
    let file = try TestFolder.file("include \(names)\nPIPELINE b = a\n")
    let server = try start("--listen", "127.0.0.1:0", "-c", file)
    let lines = server.waitForMessages(4)
    #expect(lines.contains("read \(file)") && lines.contains("read \(names)"), "\(lines)")
    try Data("SUBJECT a\nSUBJECT c\n".utf8).write(to: URL(fileURLWithPath: names))
    server.kill(SIGHUP)
    #expect(
      server.waitForMessages(5).last == "reloaded: made c; unchanged: 2"
    )
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("SIGHUP reads the token file again for new connections")
  func reloadTokens() throws {
    let file = try TestFolder.file("old all\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let server = try start("--listen", "127.0.0.1:0", "--token-file", file)
    let address = try address(of: server)
    let lines = server.waitForMessages(2).count
    func status(_ token: String) throws -> Int32 {
      try RunningProgram(
        "flowclient",
        ["-s", address, "list", "subjects"],
        environment: ["FLOW_TOKEN=\(token)"]
      )
      .finish().status
    }
    try Data("new all\nguest sub\n".utf8).write(to: URL(fileURLWithPath: file))
    #expect(try status("old") == 0 && status("new") == 77)
    server.kill(SIGHUP)
    #expect(
      server.waitForMessages(lines + 2).last == "reloaded: 2 tokens for new connections"
    )
    #expect(try status("old") == 77 && status("new") == 0)
    #expect(
      server.waitForMessages(lines + 3).last?.hasPrefix("failed AUTH from 127.0.0.1 client=")
        ?? false
    )
    try Data("new wrong\n".utf8).write(to: URL(fileURLWithPath: file))
    server.kill(SIGHUP)
    let refused = server.waitForMessages(lines + 4).last ?? ""
    #expect(
      refused.hasPrefix("not reloaded, nothing changed: \(file):1: unknown right; expected sub")
    )
    #expect(try status("new") == 0)
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("SIGHUP ends the connections of a removed token")
  func revokedToken() throws {
    let file = try TestFolder.file("old all\nother all\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let server = try start("--listen", "127.0.0.1:0", "--token-file", file)
    let address = try address(of: server)
    let lines = server.waitForMessages(2).count
    func client(_ token: String, _ words: String...) throws -> RunningProgram {
      let environment = ["FLOW_TOKEN=\(token)"]
      return try RunningProgram("flowclient", ["-s", address] + words, environment: environment)
    }
    #expect(try client("other", "subject", "a").finish().status == 0)
    let old = try client("old", "sub", "a")
    try Patience.wait(for: "a subscription of a") {
      try client("other", "list", "streams").finish().output.contains("name=a")
    }
    try Data("other all\n".utf8).write(to: URL(fileURLWithPath: file))
    server.kill(SIGHUP)
    #expect(
      server.waitForMessages(lines + 1).last
        == "reloaded: 1 token for new connections; "
        + "connections ended because of revoked tokens: 1"
    )
    #expect(old.finish().status == 77)
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("at SIGHUP an empty file changes nothing, unless it is marked as empty")
  func emptied() throws {
    let tokens = try TestFolder.file("old all\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
    let names = try TestFolder.file("SUBJECT b\n")
    let file = try TestFolder.file("include \(names)\nSUBJECT a\n")
    let server = try start("--listen", "127.0.0.1:0", "-c", file, "--token-file", tokens)
    let address = try address(of: server)
    var lines = server.waitForMessages(4).count
    func list() throws -> (status: Int32, output: String) {
      let words = ["-s", address, "list", "subjects"]
      let result = try RunningProgram("flowclient", words, environment: ["FLOW_TOKEN=old"]).finish()
      return (result.status, result.output)
    }
    func reload(_ path: String, _ text: String) throws -> String {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      server.kill(SIGHUP)
      lines += 1
      return server.waitForMessages(lines).last ?? ""
    }
    #expect(
      try reload(file, "")
        == "not reloaded, nothing changed: \(file) is empty now; "
        + "if that is intended, write \"# empty\" in it"
    )
    let text = "include \(names)\nSUBJECT a\n"
    #expect(try reload(file, text).hasPrefix("reloaded: unchanged: 2; "))
    #expect(try reload(names, "\n# all gone\n").contains("\(names) is empty now; "))
    #expect(try reload(names, "SUBJECT b\n").hasPrefix("reloaded: unchanged: 2; "))
    #expect(try reload(tokens, "\n").contains("\(tokens): has no token, expected "))
    #expect(try list().output.split(separator: "\n").count == 2)
    try Data("old all\n".utf8).write(to: URL(fileURLWithPath: tokens))
    #expect(try reload(names, "# empty\n").contains("deleted b"))
    #expect(try list().output.split(separator: "\n").count == 1)
    #expect(try reload(tokens, "# empty\n").contains("0 tokens"))
    #expect(try list().status == 77)
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("at SIGHUP a pipe instead of a file changes nothing, and blocks no reload")
  func pipe() throws {
    let file = try TestFolder.file("SUBJECT a\n")
    let tokens = try TestFolder.file("old all\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
    let server = try start("--listen", "127.0.0.1:0", "-c", file, "--token-file", tokens)
    let lines = server.waitForMessages(3).count
    for (index, path) in [file, tokens].enumerated() {
      try FileManager.default.removeItem(atPath: path)
      try #require(mkfifo(path, 0o600) == 0)
      server.kill(SIGHUP)
      let refusal = "cannot read \(path): it is a pipe, which can be read once only"
      #expect(
        server.waitForMessages(lines + 2 * index + 1).last
          == "not reloaded, nothing changed: \(refusal)"
      )
      try FileManager.default.removeItem(atPath: path)
      try Data((path == file ? "SUBJECT a\n" : "old all\n").utf8)
        .write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
      server.kill(SIGHUP)
      #expect(
        server.waitForMessages(lines + 2 * index + 2).last?.hasPrefix("reloaded: unchanged: 1")
          ?? false
      )
    }
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("SIGHUP warns of a token file that others can read, and skips its BOM")
  func tokensAgain() throws {
    let file = try TestFolder.file("old all\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let server = try start("--listen", "127.0.0.1:0", "--token-file", file)
    let address = try address(of: server)
    let lines = server.waitForMessages(2).count
    try Data([0xEF, 0xBB, 0xBF] + "old all\n".utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    server.kill(SIGHUP)
    let said = server.waitForMessages(lines + 2)
    #expect(said[lines] == "\(file) is readable by others; run chmod 600 \(file)")
    #expect(said[lines + 1] == "reloaded: 1 token for new connections")
    for token in [["FLOW_TOKEN=old"], []] {
      let words = ["-s", address, "list"] + (token.isEmpty ? ["--token-file", file] : [])
      let list = try RunningProgram("flowclient", words, environment: token).finish()
      #expect(list.status == 0, "\(list)")
    }
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("a ports file that cannot be written is exit 73, and leaves no file")
  func portsTooLarge() throws {
    let ports = TestFolder.folder()
    let program = try RunningProgram.folder() + "/FlowServer"
    let options = "--listen 127.0.0.1:0 --http off --ports-file \(ports)"
    let script = "ulimit -f 0; exec \(program) \(options)"
    let result = try RunningProgram("/bin/sh", ["-c", script]).finish()
    #expect(result.status == 73)
    #expect(result.remarks.contains("cannot write \(ports): file too large"))
    let names = try FileManager.default.contentsOfDirectory(
      atPath: String(ports.prefix(upTo: ports.lastIndex(of: "/") ?? ports.endIndex))
    )
    #expect(!names.contains { ports.hasSuffix($0.prefix(36)) })
  }

  @Test("a token file marked as empty lets nobody in")
  func meantEmpty() throws {
    let tokens = try TestFolder.file("# empty\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tokens)
    let server = try start("--listen", "127.0.0.1:0", "--token-file", tokens)
    let address = try address(of: server)
    let words = ["-s", address, "list"]
    let list = try RunningProgram("flowclient", words, environment: ["FLOW_TOKEN=any"]).finish()
    #expect(list.status == 77)
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("unknown signals do not end it")
  func otherSignals() throws {
    let server = try start("--listen", "127.0.0.1:0")
    let port = try #require(UInt16(try address(of: server).split(separator: ":")[1]))
    let client = try TestClient(port: port)
    _ = try client.line()
    for signal in [SIGUSR1, SIGUSR2, SIGPIPE] { server.kill(signal) }
    #expect(try client.ask("PING") == "PONG")
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("without descriptors it still answers /healthz, even if all connections are held")
  func healthWithoutDescriptors() throws {
    let program = try RunningProgram.folder() + "/FlowServer"
    let options = "--listen 127.0.0.1:0 --http 127.0.0.1:0"
    let server = try RunningProgram("/bin/sh", ["-c", "ulimit -n 64; exec \(program) \(options)"])
    let ports = server.waitForMessages(3).compactMap { line in
      line.split { !$0.isNumber }.last.flatMap { UInt16($0) }
    }
    let (port, page) = (ports[ports.count - 2], ports[ports.count - 1])
    func health() throws -> String {
      let client = try TestClient(port: page)
      try client.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
      return try client.line()
    }
    var clients: [TestClient] = []
    repeat {
      clients.append(try TestClient(port: port))
    } while try clients.last?.line().hasPrefix("HI ") == true
    for _ in 0..<5 { #expect(try health() == "HTTP/1.1 200 OK\r") }
    // These connections send nothing and use up all descriptors.
    let silent = try (0..<100).map { _ in try TestClient(port: page) }
    for _ in 0..<5 { #expect(try health() == "HTTP/1.1 200 OK\r") }
    #expect(try clients[0].ask("PING") == "PONG")
    withExtendedLifetime(silent) {}
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }

  @Test("SIGHUP reads the files again; a bad one is reported and changes nothing")
  func reload() throws {
    let file = try TestFolder.file("SUBJECT a\n")
    let server = try start("--listen", "127.0.0.1:0", "-c", file)
    let address = try address(of: server)
    let lines = server.waitForMessages(3).count
    let watcher = try RunningProgram(
      "flowclient",
      ["-s", address, "sub", "$events.filter { $0.event.hasSuffix(\"reloaded\") }", "-n", "2"]
    )
    try Patience.wait(for: "a subscription of $events") {
      try !RunningProgram("flowclient", ["-s", address, "list", "streams"]).finish().output.isEmpty
    }
    try Data("SUBJECT a\nSUBJECT b\n".utf8).write(to: URL(fileURLWithPath: file))
    server.kill(SIGHUP)
    #expect(server.waitForMessages(lines + 1).last == "reloaded: made b; unchanged: 1")
    try Data("SUBJECT a\nSUBJCT b\n".utf8).write(to: URL(fileURLWithPath: file))
    server.kill(SIGHUP)
    let refused = server.waitForMessages(lines + 2).last ?? ""
    #expect(
      refused.hasPrefix(
        "not reloaded, nothing changed: 1 error in the files: \(file):2:1: error: unknown command"
      ),
      "\(refused)"
    )
    let list = try RunningProgram("flowclient", ["-s", address, "list", "subjects"]).finish()
    #expect(list.output.contains("subject b "))
    let events = watcher.finish().output.split(separator: "\n")
    #expect(events.count == 2)
    #expect(
      events[0].hasPrefix(#"{"event":"reloaded","text":"made b; unchanged: 1","#),
      "\(events)"
    )
    #expect(
      events[1].hasPrefix(
        #"{"event":"not-reloaded","text":"1 error in the files: \#(file):2:1: error: unknown"#
      ),
      "\(events)"
    )
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
  }
}

extension RunningProgram {
  /// Waits until `count` events are logged; returns their messages.
  func waitForMessages(_ count: Int) -> [String] {
    waitForRemarks(lines: count).map { line in
      guard let start = line.range(of: " msg=") else { return line }
      let quoted = Data(line[start.upperBound...].utf8)
      return (try? JSONDecoder().decode(String.self, from: quoted)) ?? line
    }
  }
}

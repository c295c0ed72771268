import Dispatch
import FlowTestSupport
import Foundation
import Glibc
import Synchronization
import Testing

@Suite("FlowServer with sockets from systemd")
struct SocketActivationTests {
  @Test("listens only on these sockets, and logs their addresses")
  func serves() throws {
    let (flow, http) = (try ListeningDescriptor(), try ListeningDescriptor())
    let ports = try TestFolder.file()
    let server = try RunningProgram(
      "FlowServer",
      ["--ports-file", ports],
      environment: ["LISTEN_FDNAMES=flow:http"],
      passed: [flow.descriptor, http.descriptor]
    )
    let client = try TestClient(port: flow.port)
    #expect(try client.line().hasPrefix("HI flow/"))
    let browser = try TestClient(port: http.port)
    try browser.say("GET /healthz HTTP/1.1\r", "Host: localhost\r", "\r")
    #expect(try browser.line() == "HTTP/1.1 200 OK\r")
    let lines = server.waitForRemarks(lines: 3)
    #expect(lines[1].contains("listening on 127.0.0.1:\(flow.port)"), "\(lines)")
    #expect(lines[2].contains("page on http://127.0.0.1:\(http.port)/"), "\(lines)")
    server.kill(SIGTERM)
    try client.say("QUIT")
    #expect(server.waitForEnd().status == 0)
    #expect(
      try String(contentsOfFile: ports, encoding: .utf8)
        == "tcp 127.0.0.1:\(flow.port)\nhttp 127.0.0.1:\(http.port)\n"
    )
  }

  @Test("listens for a proxy only at addresses of this machine")
  func proxy() throws {
    let passed = try ListeningDescriptor()
    let ports = try TestFolder.file()
    let server = try RunningProgram(
      "FlowServer",
      ["--http", "off", "--listen-proxy", "127.0.0.1:0", "--ports-file", ports],
      environment: ["LISTEN_FDNAMES=proxy"],
      passed: [passed.descriptor]
    )
    let client = try TestClient(port: passed.port)
    try client.send(Array("PROXY TCP4 192.0.2.7 203.0.113.1 53211 3570\r\nLIST clients\n".utf8))
    #expect(try client.line().hasPrefix("HI flow/"))
    #expect(try client.line().contains(" peer=192.0.2.7:53211 "))
    let lines = server.waitForRemarks(lines: 3)
    #expect(lines[1].contains("listening on 127.0.0.1:\(passed.port) for a proxy"), "\(lines)")
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
    let places = try String(contentsOfFile: ports, encoding: .utf8).split(separator: "\n")
    #expect(places.count == 2 && places.allSatisfy { $0.hasPrefix("proxy 127.0.0.1:") })
    let tokens = try TestFolder.file("sesame all\n")
    let open = try RunningProgram(
      "FlowServer",
      ["--http", "off", "--listen-proxy", "0.0.0.0:0", "--token-file", tokens]
    ).finish()
    #expect(open.status == 78)
    #expect(open.remarks.contains("whose PROXY headers would be believed"))
  }

  @Test("has the page for a proxy only at addresses of this machine")
  func pageBehindProxy() throws {
    let ports = try TestFolder.file()
    let tokens = try TestFolder.file("sesame all\n")
    let usual = ["--listen", "127.0.0.1:0", "--token-file", tokens]
    let passed = try ListeningDescriptor()
    let server = try RunningProgram(
      "FlowServer",
      usual + ["--http-proxy", "127.0.0.1:0", "--ports-file", ports],
      environment: ["LISTEN_FDNAMES=http-proxy"],
      passed: [passed.descriptor]
    )
    let browser = try TestClient(port: passed.port)
    let hello = "PROXY TCP4 192.0.2.7 203.0.113.1 53211 8569\r\n"
    try browser.send(Array((hello + "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").utf8))
    #expect(try browser.line() == "HTTP/1.1 200 OK\r")
    let lines = server.waitForRemarks(lines: 5)
    let line = "page on 127.0.0.1:\(passed.port) for a proxy"
    #expect(lines.contains { $0.contains(line) }, "\(lines)")
    server.kill(SIGTERM)
    #expect(server.waitForEnd().status == 0)
    let places = try String(contentsOfFile: ports, encoding: .utf8).split(separator: "\n")
    #expect(places.map { $0.prefix { $0 != " " } } == ["tcp", "http-proxy", "http-proxy"])
    let open = try RunningProgram("FlowServer", usual + ["--http-proxy", "0.0.0.0:0"]).finish()
    #expect(open.status == 78)
    #expect(open.remarks.contains("whose PROXY headers would be believed"))
  }

  @Test("a descriptor that is no listening socket is exit 78, with its number")
  func refuses() throws {
    let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    let flow = try ListeningDescriptor()
    let server = try RunningProgram("FlowServer", [], passed: [flow.descriptor, file])
    let outcome = server.finish()
    #expect(outcome.status == 78)
    #expect(outcome.remarks.contains("that was passed as fd 4: it is not a socket"), "\(outcome)")
    let closed = try RunningProgram(
      "FlowServer",
      ["--http", "off"],
      environment: ["LISTEN_FDNAMES=http"],
      passed: [flow.descriptor]
    ).finish()
    #expect(closed.status == 78)
    #expect(closed.remarks.contains("a socket for the page was passed, but --http is off"))
  }

  @Test(
    "during a restart every client that connects gets an answer"
  )
  func upgrade() throws {
    let socket = try ListeningDescriptor()
    func start() throws -> RunningProgram {
      try RunningProgram("FlowServer", ["--http", "off"], passed: [socket.descriptor])
    }
    let isOver = Atomic(false)
    let greeted = Mutex(0)
    let failures = Mutex<[String]>([])
    let crowd = DispatchGroup()
    let port = socket.port
    for _ in 0..<4 {
      DispatchQueue.global().async(group: crowd) {
        while !isOver.load(ordering: .relaxed) {
          do {
            let client = try TestClient(port: port)
            let line = try client.line()
            guard line.hasPrefix("HI flow/") else { throw TestFailure(line) }
            greeted.withLock { $0 += 1 }
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
        }
      }
    }
    func waitForMore(_ count: Int) throws {
      let goal = greeted.withLock { $0 } + count
      try Patience.wait(for: "\(count) more greetings") {
        greeted.withLock { $0 >= goal } || failures.withLock { !$0.isEmpty }
      }
    }
    for _ in 1...4 {
      let server = try start()
      try waitForMore(100)
      server.kill(SIGTERM)
      #expect(server.waitForEnd().status == 0)
    }
    let last = try start()
    try waitForMore(20)
    isOver.store(true, ordering: .relaxed)
    #expect(crowd.wait(timeout: Patience.deadline) == .success, "waited for the end of the crowd")
    last.kill(SIGTERM)
    #expect(last.waitForEnd().status == 0)
    #expect(failures.withLock { $0 } == [])
  }
}

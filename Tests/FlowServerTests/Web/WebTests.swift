import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("The page's addresses")
struct WebTests {
  /// A server with a page, and the page's port.
  private func start(
    _ change: (inout Configuration) -> Void = { _ in }
  ) throws -> (server: TestServer, port: UInt16) {
    var configuration = Configuration()
    change(&configuration)
    let server = try TestServer(configuration)
    let address = try server.server.serveWeb(on: "127.0.0.1:0")
    return (server, try #require(address.split(separator: ":").last.flatMap { UInt16($0) }))
  }

  /// The whole answer to a request that ends the connection.
  private func ask(
    _ port: UInt16,
    _ line: String,
    _ headers: String...,
    host: String? = "127.0.0.1",
    version: String = "1.1",
    body: String = ""
  ) throws -> String {
    let client = try TestClient(port: port)
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    let hosts = host.map { ["Host: \($0)"] } ?? []
    let head = ["\(line) HTTP/\(version)"] + hosts + ["Connection: close"] + headers + length
    try client.send(Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8))
    return String(decoding: try client.bytesToTheEnd(), as: UTF8.self)
  }

  private func status(_ answer: String) -> String {
    String(answer.dropFirst("HTTP/1.1 ".count).prefix(3))
  }

  @Test(
    "serve what there is, and say why there is no more",
    arguments: [
      ("GET /healthz", "200", "ok"), ("HEAD /healthz", "200", ""), ("GET /readyz", "200", "ok"),
      ("GET /", "200", "<!doctype html>"), ("GET /page.js", "200", "class Feed"),
      ("GET /page.css", "200", ":root"), ("GET /metrics", "200", "flow_build_info{version="),
      ("GET /v1/topology?name=p", "200", "\"watched\":{\"name\":\"p\""),
      ("GET /v1/graph.dot", "200", "digraph flow"),
      ("GET /v1/try?expr=Just(1)", "200", "\"end\":[0,\"done\"]"),
      ("GET /v1/try?expr=Just(1)&until=abc", "400", "until is \"abc\", expected a number"),
      ("GET /v1/try?expr=Just(1)&ticks=2e3", "400", "ticks is \"2e3\", expected a number"),
      ("GET /v1/try?expr=Just(1)&until=-9223372036854775808", "200", "\"end\""),
      ("GET /nowhere", "404", "there is no /nowhere here"),
      ("POST /metrics", "405", "/metrics takes GET, HEAD"),
      ("GET /../etc/passwd", "404", "there is no"),
    ]
  )
  func resources(_ line: String, _ code: String, _ text: String) throws {
    let (server, port) = try start()
    try server.prepare("SUBJECT a", "PIPELINE p = a.map { $0 }")
    let answer = try ask(port, line)
    #expect(status(answer) == code, "\(answer)")
    let parts = answer.split(separator: "\r\n\r\n", maxSplits: 1)
    #expect(text.isEmpty ? parts.count == 1 : answer.contains(text), "\(answer)")
    #expect(answer.contains("Content-Security-Policy: default-src 'none'"))
  }

  @Test(
    "know their own names, and addresses; a name that somebody has made point here is none",
    arguments: [
      ("127.0.0.1:8569", true), ("localhost", true), ("[::1]:1", true), ("x.localhost:2", true),
      ("evil.example", false), ("127.0.0.1.evil.example", false), ("localhost.evil", false),
      ("[::1].evil.example", false), ("localhost:evil", false), ("null", false), ("", false),
      ("flow.example", true), ("flow.example:80", true), ("named.example:8570", true),
      ("named.example", true), ("named.example:80", false),
    ]
  )
  func hosts(_ host: String, _ isKnown: Bool) throws {
    let (server, port) = try start {
      $0.webOrigins = ["http://flow.example", "https://named.example:8570", "null"]
    }
    // A socket file beside it does not make other hosts acceptable here.
    let file = try server.server.serveWeb(on: "unix:\(TestFolder.folder())")
    #expect(file.hasPrefix("unix:"))
    #expect(status(try ask(port, "GET /metrics", host: host)) == (isKnown ? "200" : "421"))
    #expect(
      status(try ask(port, "GET /metrics", host: host, version: "1.0")) == (isKnown ? "200" : "421")
    )
  }

  @Test("the metrics of many names are gathered in several turns")
  func manyNames() throws {
    let (server, port) = try start { $0.pipelines.slice = 1 }
    let names = (1...500).map { "s\($0)" }
    try server.server.load(names.map { "SUBJECT \($0)\n" }.joined(), file: "x")
    let before = server.server.perform { $0.counters.turns }
    let answer = try ask(port, "GET /metrics")
    #expect(status(answer) == "200")
    for name in names { #expect(answer.contains("{subject=\"\(name)\"}"), "\(name)") }
    #expect(answer.hasSuffix("flow_metrics_left_out 0\n"))
    #expect(server.server.perform { $0.counters.turns } > before + 100)
  }

  @Test("HTTP/1.0 needs no Host, and later versions are 1.1")
  func versions() throws {
    let (server, port) = try start()
    #expect(try ask(port, "GET /healthz", host: nil, version: "1.0").hasPrefix("HTTP/1.1 200"))
    #expect(try ask(port, "GET /healthz", version: "1.2").hasPrefix("HTTP/1.1 200"))
    #expect(status(try ask(port, "GET /healthz", host: nil)) == "400")
    withExtendedLifetime(server) {}
  }

  @Test("a client that waits for a 100 Continue gets it at once")
  func continues() throws {
    let (server, port) = try start { $0.tokens = [Token("secret")] }
    let client = try TestClient(port: port)
    let head = [
      "POST /login HTTP/1.1", "Host: localhost", "Content-Length: 12", "Expect: 100-continue",
      "Connection: close", "", "",
    ]
    try client.send(Array(head.joined(separator: "\r\n").utf8))
    #expect(try client.rest(until: "\r") == ["HTTP/1.1 100 Continue\r", "\r"])
    try client.send(Array("token=secret".utf8))
    #expect(try client.line() == "HTTP/1.1 303 See Other\r")
    withExtendedLifetime(server) {}
  }

  @Test("are read by no other site, but for the page, which a link may lead to")
  func sites() throws {
    let (server, port) = try start()
    #expect(status(try ask(port, "GET /metrics", "Sec-Fetch-Site: cross-site")) == "403")
    #expect(status(try ask(port, "GET /metrics", "Sec-Fetch-Site: same-origin")) == "200")
    #expect(status(try ask(port, "GET /", "Sec-Fetch-Site: cross-site")) == "200")
    withExtendedLifetime(server) {}
  }

  @Test("ask for a token where there are some, in a header or by a form")
  func tokens() throws {
    let (server, port) = try start {
      $0.tokens = [Token("secret"), Token("little", rights: .subscribe, pattern: "a*")]
    }
    try server.server.load("SUBJECT a1\nSUBJECT b1\n", file: "x")
    #expect(status(try ask(port, "GET /healthz")) == "200")
    for path in ["/", "/metrics", "/readyz", "/events", "/v1/topology", "/page.js", "/v1/try"] {
      #expect(status(try ask(port, "GET \(path)")) == "401", "\(path)")
    }
    // The form that asks for one looks like the page, and says where it was.
    #expect(status(try ask(port, "GET /page.css")) == "200")
    #expect(try ask(port, "GET /").contains("\r\nReferrer-Policy: same-origin\r\n"))
    // It is sent to the page itself, whose address a browser keeps whole by that.
    #expect(try ask(port, "GET /").contains("<form method=\"post\">"))
    #expect(status(try ask(port, "POST /", body: "token=wrong")) == "401")
    #expect(try ask(port, "POST /", body: "token=secret").contains("\r\nLocation: ./\r\n"))
    #expect(status(try ask(port, "POST /metrics", body: "token=secret")) == "405")
    #expect(status(try ask(port, "GET /metrics", "Authorization: Bearer wrong")) == "401")
    #expect(status(try ask(port, "GET /metrics", "Authorization: Bearer secret")) == "200")
    let little = try ask(port, "GET /v1/topology", "Authorization: Bearer little")
    #expect(little.contains("a1") && !little.contains("b1"))
    let metrics = try ask(port, "GET /metrics", "Authorization: Bearer little")
    #expect(metrics.contains("subject=\"a1\"") && !metrics.contains("b1"))
    #expect(!metrics.contains("flow_connections "))
    let form = try ask(port, "POST /login", body: "token=secret")
    #expect(status(form) == "303")
    let line = try #require(form.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
    #expect(line.hasSuffix("; HttpOnly; SameSite=Strict; Path=/"))
    let cookie = line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" }
    #expect(status(try ask(port, "GET /metrics", "Cookie: \(cookie)")) == "200")
    #expect(
      status(try ask(port, "POST /login", "Origin: http://evil.example", body: "token=secret"))
        == "403"
    )
    _ = server.server.replaceTokens([Token("other")])
    #expect(status(try ask(port, "GET /metrics", "Cookie: \(cookie)")) == "401")
  }

  @Test("tell what there is and how it does, and stop when somebody has gone")
  func events() throws {
    let (server, port) = try start()
    try server.prepare("SUBJECT a", "PIPELINE p = a.map { $0 }")
    let client = try TestClient(port: port)
    try client.send(Array("GET /events?watch=p HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    var text = ""
    try Patience.wait(for: "the first picture") {
      server.advance(seconds: 0.05)
      text += String(decoding: client.bytesSoFar(), as: UTF8.self)
      return text.contains("\ndata: {\"at\"")
    }
    let lines = text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("data: {\"server\":{\"version\"") }, "\(lines)")
    #expect(lines.contains { $0.contains("Asleep: nobody is subscribed to p.") }, "\(lines)")
    #expect(server.server.perform { $0.web.streamCount } == 1)
    client.close()
    try server.wait(for: "the end of the stream") { $0.web.streamCount == 0 }
    // A page that comes back soon has verdicts at once.
    for _ in 0..<40 { server.advance(seconds: 0.05) }
    #expect(server.server.perform { $0.watch.isJudged })
    for _ in 0..<80 { server.advance(seconds: 0.05) }
    #expect(server.server.perform { $0.watch.names.isEmpty })
  }

  @Test("are told to a browser that comes to the other port")
  func browser() throws {
    let (server, port) = try start()
    let browser = try server.connect()
    try browser.say("GET / HTTP/1.1\r")
    #expect(try browser.line() == "BYE http page on port \(port)")
  }

  @Test("are not ready while a run has failed")
  func readiness() throws {
    let (server, port) = try start()
    try server.prepare("SUBJECT a", "SUBJECT b", "RUN r = a.tryMap { $0 / 0 }.assign(to: b)")
    let client = try server.framed()
    _ = try client.ask("SEND a 1")
    let answer = try ask(port, "GET /readyz")
    #expect(status(answer) == "503")
    #expect(answer.hasSuffix("run r has failed\n"))
    _ = try client.ask("DELETE r")
    #expect(status(try ask(port, "GET /readyz")) == "200")
  }

  @Test("end a request that is too slow, and close the longest waiting if too many wait")
  func patience() throws {
    let (server, port) = try start()
    let slow = try TestClient(port: port)
    try slow.send(Array("GET / HTTP/1.1\r\n".utf8))
    try server.wait(for: "a connection") { $0.web.connectionCount == 1 }
    for _ in 0..<30 { server.advance(seconds: 0.5) }
    #expect(String(decoding: try slow.bytesToTheEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 408 "))
    // One gets events, one has been answered and may ask again, the others send little or nothing.
    let page = try TestClient(port: port)
    try page.send(Array("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    let idle = try TestClient(port: port)
    try idle.send(Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    #expect(try idle.line() == "HTTP/1.1 200 OK\r")
    try server.wait(for: "a page") { $0.web.streamCount == 1 }
    server.advance(seconds: 0.1)
    var clients: [TestClient] = []
    for number in 2..<WebDoor.mostConnections {
      clients.append(try TestClient(port: port))
      if number % 2 == 0 { try clients.last?.send(Array("GET /".utf8)) }
    }
    try server.wait(for: "the maximum number of connections") {
      $0.web.connectionCount == WebDoor.mostConnections
    }
    #expect(try ask(port, "GET /healthz").hasPrefix("HTTP/1.1 200 "))
    #expect(String(decoding: try idle.bytesToTheEnd(), as: UTF8.self).hasSuffix("ok\n"))
    for _ in 0..<200 { #expect(try ask(port, "GET /healthz").hasPrefix("HTTP/1.1 200 ")) }
    #expect(server.server.perform { $0.web.streamCount } == 1)
    #expect(!page.bytesSoFar().isEmpty)
  }
}

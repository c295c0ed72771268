import FlowServerSupport
import FlowTestSupport
import FlowTransport
import Synchronization
import Testing

@testable import FlowServer

/// A listening socket of a process that has no descriptors left but the spare one.
private final class CrowdedSocket: ListeningSocket {
  private let socket: any ListeningSocket

  init() throws {
    socket = try SystemPlatform.shared.listen(on: try SocketAddress(parsing: "127.0.0.1:0"))
  }

  var address: SocketAddress { socket.address }
  var descriptor: Int32 { socket.descriptor }
  func accept() -> Acceptance { .exhausted }
  func acceptBySpare() -> Acceptance { socket.acceptBySpare() }
  func renewSpare() { socket.renewSpare() }
  func turnAway(saying farewell: [UInt8]) -> TurningAway { socket.turnAway(saying: farewell) }
  func close(_ watch: (any FlowTransport.Watch)?) { socket.close(watch) }
}

@Suite("The page behind a proxy")
struct WebProxyTests {
  private let server: TestServer
  private let port: UInt16
  private let plain: UInt16
  private let lines = Lines()

  private final class Lines: Sendable {
    private let all = Mutex<[String]>([])

    func add(_ event: ServerLogEvent) { all.withLock { $0.append("\(event)") } }

    func have(_ text: String) -> Bool { all.withLock { $0.contains { $0.contains(text) } } }
  }

  init() throws {
    var configuration = Configuration()
    configuration.tokens = try Token.all(
      in: "sesame all\ncert:alice sub,send lab-*\ncert:root all\n",
      file: "tokens"
    )
    configuration.webOrigins = ["https://flow.example"]
    let server = try TestServer(configuration) { [lines] in lines.add($0) }
    func listen(_ behindProxy: Bool) throws -> UInt16 {
      let address = try server.server.serveWeb(on: "127.0.0.1:0", behindProxy: behindProxy)
      return try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
    }
    // The first is not the one that browsers are sent to.
    port = try listen(true)
    plain = try listen(false)
    self.server = server
    try server.server.load("SUBJECT lab-1\nSUBJECT office\n", file: "x")
  }

  /// The whole answer to a request behind what a proxy says.
  private func ask(
    _ hello: [UInt8],
    _ line: String,
    _ headers: String...,
    host: String = "flow.example"
  ) throws -> String {
    let client = try TestClient(port: port)
    let head = ["\(line) HTTP/1.1", "Host: \(host)", "Connection: close"] + headers
    try client.send(hello + Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8))
    return String(decoding: try client.bytesToTheEnd(), as: UTF8.self)
  }

  private func status(_ answer: String) -> String { String(answer.dropFirst(9).prefix(3)) }

  @Test("a certificate has the rights of its line, a token that is said those of its own")
  func certificate() throws {
    let alice = ProxyHello.header("alice")
    let topology = try ask(alice, "GET /v1/topology")
    #expect(status(topology) == "200")
    #expect(topology.contains("lab-1") && !topology.contains("office"))
    #expect(try !ask(alice, "GET /metrics").contains("flow_connections "))
    #expect(try ask(ProxyHello.header("root"), "GET /metrics").contains("flow_connections "))
    let bearer = "Authorization: Bearer sesame"
    #expect(try ask(alice, "GET /metrics", bearer).contains("flow_connections "))
    #expect(status(try ask(alice, "GET /metrics", "Authorization: Bearer wrong")) == "401")
    #expect(lines.have("failed login on the page from 192.0.2.7"))
    let strangers = [
      ProxyHello.header("alice", isVerified: false), ProxyHello.header("bob"),
      Array(ProxyHello.line.utf8),
    ]
    for stranger in strangers {
      #expect(status(try ask(stranger, "GET /metrics")) == "401")
      #expect(status(try ask(stranger, "GET /healthz")) == "200")
    }
    #expect(status(try ask(alice, "GET /metrics", host: "evil.example")) == "421")
    withExtendedLifetime(server) {}
  }

  @Test("who logs in over TLS says the cookie over TLS only")
  func cookie() throws {
    for (origin, end) in [("https://flow.example", "; Secure"), ("http://flow.example", "")] {
      let client = try TestClient(port: port)
      let form = "token=sesame"
      let head = [
        "POST /login HTTP/1.1", "Host: flow.example", "Connection: close", "Origin: \(origin)",
        "Content-Length: \(form.utf8.count)", "", form,
      ]
      try client.send(Array((ProxyHello.line + head.joined(separator: "\r\n")).utf8))
      let answer = String(decoding: try client.bytesToTheEnd(), as: UTF8.self)
      let line = try #require(
        answer.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") }
      )
      #expect(line.hasSuffix("; HttpOnly; SameSite=Strict; Path=/\(end)"), "\(answer)")
    }
    withExtendedLifetime(server) {}
  }

  @Test("a session has the rights of the certificate and the address that the proxy tells")
  func session() throws {
    func talk(_ hello: [UInt8], _ lines: String...) throws -> [String] {
      let client = try TestClient(port: port)
      let request = WebSocketTalk.request(host: "flow.example")
      let frames = (lines + ["QUIT"]).flatMap { WebSocketTalk.frame(1, $0) }
      try client.send(hello + request + frames)
      #expect(try client.rest(until: "\r").first == "HTTP/1.1 101 Switching Protocols\r")
      return try WebSocketTalk.messages(client)
    }
    let alice = try talk(ProxyHello.header("alice"), "SEND lab-1 1", "SEND office 1")
    #expect(alice[0].hasSuffix(" auth=none"))
    #expect(alice[1].hasPrefix("OK send lab-1"))
    #expect(alice[2] == "ERR denied this token may not send to office")
    let root = try talk(ProxyHello.header("root"), "LIST clients")
    #expect(root.contains { $0.contains(" peer=192.0.2.7:53211 ") }, "\(root)")
    let bob = try talk(ProxyHello.header("bob"), "SEND lab-1 1")
    #expect(bob[0].hasSuffix(" auth=token"))
    #expect(bob[1].hasPrefix("ERR denied"))
    withExtendedLifetime(server) {}
  }

  @Test("events end when the line of the certificate has gone")
  func revoked() throws {
    let client = try TestClient(port: port)
    let request = "GET /events HTTP/1.1\r\nHost: flow.example\r\n\r\n"
    try client.send(ProxyHello.header("alice") + Array(request.utf8))
    #expect(try client.line().hasPrefix("HTTP/1.1 200"))
    _ = server.server.replaceTokens([Token("other")])
    #expect(try client.bytesToTheEnd().isEmpty == false)
    #expect(status(try ask(ProxyHello.header("alice"), "GET /metrics")) == "401")
  }

  @Test("what does not begin with a header is closed without a word, after 5 s what says nothing")
  func wrong() throws {
    let wrong = try TestClient(port: port)
    try wrong.say("GET /healthz HTTP/1.1\r", "Host: localhost\r", "\r")
    #expect(try wrong.bytesToTheEnd().isEmpty)
    #expect(lines.have("PROXY header: the connection does not begin with one"))
    let silent = try TestClient(port: port)
    try silent.send(Array("PRO".utf8))
    try waitForUnannounced(1)
    server.advance(seconds: 5.1)
    #expect(try silent.bytesToTheEnd().isEmpty)
    #expect(server.server.perform { $0.web.countOfUnannounced } == 0)
    // Where browsers come, a header is no request.
    let plain = try TestClient(port: plain)
    try plain.send(Array(ProxyHello.line.utf8))
    #expect(try plain.line() == "HTTP/1.1 400 Bad Request\r")
  }

  private func waitForUnannounced(_ count: Int) throws {
    try server.wait(for: "\(count) browsers without their header") {
      $0.web.countOfUnannounced == count
    }
  }

  @Test("a connection over the limit closes the one unannounced longest")
  func limit() throws {
    let first = try TestClient(port: port)
    try first.send(Array("PROXY ".utf8))
    try waitForUnannounced(1)
    server.advance(seconds: 0.1)
    let others = try (1..<WebDoor.mostConnections).map { _ in try TestClient(port: port) }
    for client in others { try client.send(Array("PROXY ".utf8)) }
    try waitForUnannounced(WebDoor.mostConnections)
    #expect(status(try ask(Array(ProxyHello.line.utf8), "GET /healthz")) == "200")
    #expect(try first.bytesToTheEnd().isEmpty)
    try waitForUnannounced(others.count)
  }

  @Test("a connection that uses the spare descriptor is closed after one answer")
  func crowded() throws {
    let socket = try CrowdedSocket()
    _ = try server.server.serveWeb(with: .passed(socket), behindProxy: true)
    let port = try #require(socket.address.port)
    for _ in 0..<2 {
      let client = try TestClient(port: port)
      let request = "GET /healthz HTTP/1.1\r\nHost: flow.example\r\n\r\n"
      try client.send(Array((ProxyHello.line + request).utf8))
      let answer = String(decoding: try client.bytesToTheEnd(), as: UTF8.self)
      #expect(status(answer) == "200" && answer.contains("\r\nConnection: close\r\n"), "\(answer)")
    }
  }

  @Test("a browser that comes to the protocol's port is told of the port where browsers go")
  func sent() throws {
    let browser = try server.connect()
    try browser.say("GET / HTTP/1.1\r")
    #expect(try browser.line() == "BYE http page on port \(plain)")
  }
}

import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("Bad input")
struct HostileTests {
  @Test(
    "gets a clear error and the connection lives on",
    arguments: [
      ("pipelin x = orders", "ERR unknown-command ", "PIPELINE?"),
      ("SUB nosuch", "ERR unknown-name ", "LIST"),
      ("SUBJECT 1st", "ERR usage ", ""),
      ("SEND orderz 1", "ERR unknown-name ", "did you mean orders?"),
      ("SEND even 1", "ERR usage ", "pipeline"),
      ("SUBJECT even", "ERR exists ", "DELETE even first"),
      ("PIPELINE orders = even", "ERR exists ", "DELETE orders first"),
      ("DONE even", "ERR usage ", "not a subject"),
      ("DELETE nosuch", "ERR unknown-name ", ""),
      ("= 9 x", "ERR unknown-stream ", ""),
      ("= x", "ERR usage ", ""),
      ("SUB orders 1 2 3", "ERR usage ", ""),
    ]
  )
  func errors(_ line: String, _ start: String, _ part: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT orders")
    _ = try client.ask("PIPELINE even = orders.filter { $0 % 2 == 0 }")
    let answer = try client.ask(line)
    #expect(answer.hasPrefix(start), "\(answer)")
    #expect(part.isEmpty || answer.contains(part), "\(answer)")
    #expect(try client.ask("PING") == "PONG")
  }

  @Test("what is no value, or too long, is answered with the tag it would have had")
  func refusedFrames() throws {
    var configuration = Configuration()
    configuration.valueLimit = 100
    let server = try TestServer(configuration)
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT orders")
    let long = String(repeating: "x", count: 101)
    for frame in ["= x", ": x 1\nx", "= 9 \(long)", ": 9 101\n\(long)"] {
      #expect(try client.ask(frame).hasPrefix("@! ERR "), "\(frame)")
    }
    // Behind one that is skipped as well.
    try client.say(": x 1", "x", "= x", ": x 1", "x", "@6 SEND orders \(long)")
    #expect(
      try client.lines(4).map { $0.prefix(7) } == ["@! ERR ", "@! ERR ", "@! ERR ", "@6 ERR "]
    )
    #expect(try client.ask("@7 SEND orders \(long)").hasPrefix("@7 ERR value-too-long "))
    #expect(try client.ask("SEND orders \(long)").hasPrefix("ERR value-too-long "))
    #expect(try client.ask("PING") == "PONG")
  }

  @Test("shows where a mistake in a pipeline is")
  func carets() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT orders")
    try client.say("PIPELINE x = orders.fliter { $0 }")
    #expect(
      try client.lines(3) == [
        #"ERR syntax 21: there is no operator "fliter"; did you mean "filter"?"#,
        "#   PIPELINE x = orders.fliter { $0 }",
        "#                       ^^^^^^",
      ]
    )
    _ = try client.ask("HELLO 1")
    try client.say("PIPELINE x = orders.fliter { $0 }", "PING")
    let lines = try client.lines(2)
    #expect(lines[0].hasPrefix("ERR syntax 21:"))
    #expect(lines[1] == "PONG")
  }

  @Test("a counted value of 2 MB is skipped to its last byte, however it comes in")
  func longCountedValue() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(Array(": 1 2000000\n".utf8))
    for _ in 0..<20 { try client.send([UInt8](repeating: 10, count: 100_000)) }
    #expect(try client.line().hasPrefix("ERR value-too-long "))
    #expect(try client.ask("\nPING") == "PONG")
  }

  @Test("a hundred errors in a row end the connection")
  func manyErrors() throws {
    let server = try TestServer()
    let client = try server.connect()
    for _ in 0..<100 { try client.say("nonsense") }
    let lines = try client.rest()
    #expect(lines.count == 101)
    #expect(lines.last?.hasPrefix("BYE errors ") == true)
  }

  /// What ends a first line that no client of this protocol says.
  static let foreignLines = [
    "GET / HTTP/1.1", "POST /x HTTP/1.0", "PRI * HTTP/2.0", "get / http/1.1", "GET / HTTP/1.1 ",
    "OPTIONS rtsp://x/ RTSP/1.0", "REGISTER sip:x SIP/2.0", "REQMOD icap://x ICAP/1.0",
    "PING / HTTP/1.1", "SEND orders HTTP/1.1", "send orders x HTTP/1.1", "@t HELP HTTP/1.1",
    "HTTP/1.1", "SUBJECT x HTTP/1.1\r", "FEED orders HTTP/1.1", "= 1 HTTP/1.1\nGET / HTTP/1.1",
    "\r\n# x\n \nGET / HTTP/1.1",
    "POST /" + String(repeating: "a", count: 70_000) + " HTTP/1.1",
    "POST /" + String(repeating: "a", count: 65_536 - 15) + " HTTP/1.1",
    "POST /" + String(repeating: "a", count: 65_536 - 14) + " HTTP/1.1",
    "@x SEND /" + String(repeating: "a", count: 2_000_000) + " HTTP/1.1",
    String(repeating: " ", count: 70_000),
  ]

  @Test("no browser has its lines run", arguments: foreignLines, [1 << 20, 1000])
  func browsers(_ line: String, _ piece: Int) throws {
    let server = try TestServer()
    let browser = try server.connect()
    let request = Array("\(line)\r\nHost: x\r\n\r\nSUBJECT mine\r\n".utf8)
    var rest = request[...]
    // The server may be gone before it was sent all.
    while !rest.isEmpty, (try? browser.send(Array(rest.prefix(piece)))) != nil {
      rest = rest.dropFirst(piece)
    }
    let lines = (try? browser.rest()) ?? []
    #expect(lines.isEmpty || lines.last?.hasPrefix("BYE http ") == true, "\(lines)")
    #expect(try server.connect().ask("LIST") == "OK list 0")
  }

  @Test(
    "lines that only look a little like a browser's are run",
    arguments: ["PING HTTP/x", "PING xHTTP/1.1", "PING 1.1", "PING HTTP/1.1 x"]
  )
  func noBrowsers(_ line: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let answer = try client.ask(line)
    #expect(answer.hasPrefix("PONG"), "\(answer)")
  }

  @Test("behind a first line all is as ever")
  func laterForeignLines() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try client.ask("PING / ") == "PONG / ")
    #expect(try client.ask("PING / HTTP/1.1") == "PONG / HTTP/1.1")
    let long = String(repeating: "x", count: 70_000)
    #expect(try client.ask(long).hasPrefix("ERR line-too-long "))
  }

  @Test("HTTP and TLS clients are told where they are")
  func otherProtocols() throws {
    let server = try TestServer()
    let browser = try server.connect()
    try browser.send(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
    #expect(try browser.rest().first?.hasPrefix("BYE http ") == true)
    let secure = try server.connect()
    try secure.send([0x16, 0x03, 0x01, 0x02, 0x00, 0x01])
    #expect(try secure.rest().first?.hasPrefix("BYE tls ") == true)
  }

  @Test("TLS is told behind lines that say nothing, too", arguments: ["\n", "\r\n \n", "# a\n"])
  func laterTLS(_ nothing: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.send(Array(nothing.utf8) + [0x16, 0x03, 0x0A, 0x02])
    #expect(try client.rest().first?.hasPrefix("BYE tls ") == true)
  }

  @Test("bytes of TLS in a conversation are an unknown command")
  func bytesOfTLS() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("PING")
    try client.send([0x16, 0x03, 0x0A])
    #expect(try client.line().hasPrefix("ERR unknown-command "))
  }

  @Test("a bad count ends the connection, since there is no telling where the next frame begins")
  func badCount() throws {
    let server = try TestServer()
    let client = try server.connect()
    try client.say(": 1 x")
    #expect(try client.rest().first?.hasPrefix("BYE framing ") == true)
  }
}

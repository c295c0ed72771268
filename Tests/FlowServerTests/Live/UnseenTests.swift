import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Nothing that a client says is shown to another so that a terminal obeys it or hides it.
@Suite("What is unseen")
struct UnseenTests {
  private static let unseen: [Unicode.Scalar] = [
    "\u{1B}", "\u{7F}", "\u{9B}", "\u{202E}", "\u{200B}", "\u{2066}", "\u{FEFF}",
  ]

  private static var text: String {
    String(String.UnicodeScalarView(["a"] + unseen + ["b"]))
  }

  private func check(_ lines: [String], _ place: String) {
    for line in lines where !line.hasPrefix("= ") {
      let found = line.unicodeScalars.filter { Self.unseen.contains($0) }
      #expect(found.isEmpty, "\(place): \(line.debugDescription)")
    }
  }

  @Test("is spelled out in all that is said of it")
  func texts() throws {
    let server = try TestServer()
    let client = try server.connect()
    let other = try server.connect()
    let text = Self.text
    check([try other.ask("HELLO 1 name=\(text)")], "HELLO")
    for line in [
      "SUBJECT current-text current \"\(text)\"", "SUBJECT a", "SUBJECT c",
      "PIPELINE p = a.map { $0 == \"\(text)\" ? fail(\"\(text)\") : $0 }",
      "RUN r = a.map { $0 == \"\(text)\" ? fail(\"\(text)\") : $0 }.assign(to: c)",
      "SUB p 5", "SEND a \"\(text)\"", "SUB \(text)", "\(text)", "HELP \(text)", "LIST \(text)",
      "SUB p.filter { $0 \(text) }", "SUB p.fliter(\"\(text)\")", "FAIL c code \(text)",
      "SUB c 1", "LIST", "LIST clients", "SHOW p", "SHOW r", "SHOW c", "SHOW current-text",
      "EXPLAIN p", "@\(text) PING", "SUB a as=\(text)", "REQ \(text) 1", "KILL \(text)",
    ] {
      try client.say(line)
      check(try client.linesSoFar(), line)
    }
  }

  @Test("stays in values as it is")
  func values() throws {
    let server = try TestServer()
    let client = try server.connect()
    _ = try client.ask("SUBJECT a")
    _ = try client.ask("SUB a 1")
    #expect(try client.ask("SEND a \(Self.text)") == "= 1 \(Self.text)")
    #expect(try client.line().hasPrefix("OK send a"))
    #expect(try client.ask("PING \(Self.text)") == "PONG \(Self.text)")
  }
}

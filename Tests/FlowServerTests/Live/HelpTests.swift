import FlowLanguage
import FlowServerSupport
import FlowTestSupport
import FlowWire
import Testing

@testable import FlowServer

@Suite("HELP")
struct HelpTests {
  /// A client of a server with the names that examples use, and with what `example` is about.
  private func client(of server: TestServer, for example: String) throws -> TestClient {
    let client = try server.connect()
    for name in ["orders", "taps", "returns", "revenue"] { _ = try client.ask("SUBJECT \(name)") }
    switch example.split(separator: " ")[0] {
    case "REQ", "CANCEL", "KILL": _ = try client.ask("SUB orders 1 as=1")
    case "DONE", "FAIL", "=", ":": _ = try client.ask("PUB orders as=1")
    default: break
    }
    return client
  }

  /// The lines that answer a command, up to the one that is no row.
  private func answer(_ line: String, _ client: TestClient) throws -> [String] {
    try client.say(line)
    return try client.rest { !$0.hasPrefix("*") }
  }

  @Test("there is help on each command, and its examples work", arguments: CommandTable.all)
  func commands(_ entry: CommandEntry) throws {
    let server = try TestServer()
    let rows = try answer("HELP \(entry.name)", try server.connect())
    #expect(rows.first == "* \(entry.form)")
    #expect(rows.last == "OK help \(entry.name)")
    #expect(rows.count > entry.examples.count + 3, "it says more than the form and the examples")
    for row in rows { #expect(row.count <= 98, "\(row)") }
    for example in entry.examples {
      #expect(rows.contains("* example: \(example)"))
      let server = try TestServer()
      let client = try client(of: server, for: example)
      if entry.name == ":" { try client.say(example, "hello") } else { try client.say(example) }
      if entry.name == "TAIL" {
        // It has no answer but the values that it does not have here.
        _ = try server.connect().ask("DONE orders")
        #expect(try client.rest() == [], "\(example)")
      } else {
        #expect(try !client.line().hasPrefix("ERR "), "\(example)")
      }
    }
  }

  @Test("there is help on each operator, and its example runs", arguments: OperatorTable.all)
  func operators(_ entry: OperatorEntry) throws {
    let server = try TestServer()
    let client = try client(of: server, for: entry.example)
    let rows = try answer("HELP \(entry.name)", client)
    #expect(rows.prefix(2) == ["* \(entry.signature)", "* \(entry.summary)"])
    #expect(rows.contains("* example: \(entry.example)"))
    #expect(rows.last == "OK help \(entry.name)")
    let marbles = entry.marbles.flatMap { $0.rows.map { "* \($0)" } }
    if !marbles.isEmpty {
      let start = try #require(rows.firstIndex(of: "* marble diagram, one character per second:"))
      #expect(Array(rows[(start + 1)...].prefix(marbles.count)) == marbles)
    }
    for demand in entry.demands {
      #expect(rows.contains { $0.hasSuffix(": \(demand.general.asks)") })
      #expect(rows.contains { $0.hasSuffix(": \(demand.general.ends)") })
    }
    let line = entry.role == .ending ? "RUN x = \(entry.example)" : "SUB \(entry.example) 1"
    let verb = entry.role == .ending ? "OK run x" : "OK sub 1 - demand=1"
    #expect(try client.ask(line) == verb)
  }

  @Test("there is help on each function, also where an operator has the name")
  func functions() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(
      try answer("HELP uppercased", client) == [
        "* text.uppercased()", "* The text in upper case.",
        "* example: \"tea\".uppercased() is \"TEA\"", "OK help uppercased",
      ]
    )
    for entry in FunctionTable.all {
      #expect(try answer("HELP \(entry.name)", client).contains("* \(entry.signature)"))
    }
    #expect(try client.ask("HELP upercased").hasSuffix("did you mean uppercased?"))
  }

  @Test(
    "there is help on each topic, in lines that fit a terminal",
    arguments: HelpTopic.allCases.map(\.rawValue)
  )
  func topics(_ name: String) throws {
    let server = try TestServer()
    let client = try server.connect()
    let rows = try answer("HELP \(name)", client)
    #expect(rows.count >= 4)
    // Clients put these rows into tables.
    let widest = name == "metrics" ? 200 : 98
    #expect(rows.allSatisfy { $0.count <= widest }, "\(rows.filter { $0.count > widest })")
    #expect(rows.count <= 30 || name == "metrics")
    #expect(try answer("HELP", client).contains { $0.hasPrefix("* topics: ") && $0.contains(name) })
  }

  @Test("the metrics are a topic: a name, a kind and what it tells")
  func metrics() throws {
    let server = try TestServer()
    let rows = try answer("HELP metrics", try server.connect())
    #expect(rows.contains("* flow_connections gauge open connections"))
    #expect(rows.count == server.server.perform { $0.metrics.count } + 1)
  }

  @Test("a topic is found in the singular and in capitals, a mistake is understood")
  func spelling() throws {
    let server = try TestServer()
    let client = try server.connect()
    #expect(try answer("HELP Subscription", client).last == "OK help Subscription")
    #expect(
      try client.ask("HELP demnd")
        == "ERR usage there is no help on \"demnd\"; did you mean demand?"
    )
    #expect(
      try client.ask("HELP fliter").hasSuffix("did you mean filter?")
    )
  }

  @Test("no topic hides a command or an operator")
  func clashes() {
    let names = CommandTable.all.map { $0.name.lowercased() } + OperatorTable.all.map(\.name)
    for topic in HelpTopic.allCases { #expect(!names.contains(topic.rawValue)) }
  }
}

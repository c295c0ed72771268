import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("KILL")
struct KillTests {
  @Test("ends a client, whatever it is at", arguments: ["PING", "FEED a", "TAIL a", "SERVE x 1"])
  func client(_ line: String) throws {
    let server = try TestServer()
    let admin = try server.connect()
    _ = try admin.ask("SUBJECT a")
    let client = try server.connect()
    try client.say(line)
    if !line.hasPrefix("TAIL") { _ = try client.line() }
    #expect(try admin.ask("KILL CLIENT 2") == "OK kill client 2")
    let last = try client.rest().last
    #expect(line.hasPrefix("TAIL") || last == "BYE killed ended by an administrator")
    #expect(try admin.ask("kill client 2").hasPrefix("ERR unknown-stream there is no client 2; "))
  }

  @Test("of itself is answered first")
  func oneself() throws {
    let server = try TestServer()
    let admin = try server.connect()
    try admin.say("KILL CLIENT 1")
    #expect(try admin.rest() == ["OK kill client 1", "BYE killed ended by an administrator"])
  }

  @Test("ends a stream of any kind, and what was held still goes out")
  func streams() throws {
    let server = try TestServer()
    let admin = try server.connect()
    _ = try admin.ask("HELLO 1")
    _ = try admin.ask("SUBJECT a flow=slowest")
    _ = try admin.ask("SUB a")
    let client = try server.connect()
    _ = try client.ask("SUB [1].publisher.delay(for: 60) 1 as=3")
    _ = try client.ask("PUB a as=4")
    #expect(try client.ask("= 4 held") == "OK value 4 held=1 demand=0")
    try client.say("SERVE x as=5")
    _ = try client.lines(3)
    for id in 3...5 { #expect(try admin.ask("KILL STREAM 2 \(id)") == "OK kill stream 2 \(id)") }
    #expect(
      try client.lines(3) == [
        "FAIL 3 killed ended by an administrator", "CANCEL 4 killed",
        "FAIL 5 killed ended by an administrator",
      ]
    )
    #expect(try client.ask("LIST streams").contains("client=1"))
    try admin.say("REQ 1 1")
    #expect(try admin.line() == "= 1 held")
    for id in [3, 4, 5, 9] {
      #expect(try admin.ask("KILL STREAM 2 \(id)").hasPrefix("ERR unknown-stream client 2 has no "))
    }
    #expect(try admin.ask("KILL STREAM 7 1").hasPrefix("ERR unknown-stream there is no client 7"))
  }

  @Test("ends all that is open on a name, and leaves the name")
  func names() throws {
    let server = try TestServer()
    let admin = try server.connect()
    for line in ["SUBJECT a", "SUBJECT b", "PIPELINE p = a.map { $0 }"] { _ = try admin.ask(line) }
    _ = try admin.ask("RUN r = a.map { $0 }.subscribe(b)")
    let client = try server.connect()
    for line in ["SUB a 1", "SUB a 1", "SUB p 1", "PUB a", "SUB b 1"] { _ = try client.ask(line) }
    let feeder = try server.connect()
    #expect(try feeder.ask("FEED a") == "# feeding a; end with a line that is a single .")
    #expect(try admin.ask("KILL NAME a") == "OK kill name a ended=4")
    #expect(try client.lines(3).map { $0.prefix(8) } == ["FAIL 1 k", "FAIL 2 k", "CANCEL 4"])
    #expect(try feeder.rest().last == "BYE killed ended by an administrator")
    #expect(try admin.ask("KILL NAME r") == "OK kill name r ended=1")
    #expect(try admin.ask("KILL NAME r") == "OK kill name r ended=0")
    try admin.say("SHOW r")
    let rows = try admin.rest(until: "OK show r")
    #expect(rows.contains("* failure killed ended by an administrator"), "\(rows)")
    #expect(try admin.ask("SEND b 1") == "OK send b to=1 missed=0")
    #expect(try admin.ask("SEND a 1") == "OK send a to=1 missed=0")
    #expect(try admin.ask("KILL NAME c").hasPrefix("ERR unknown-name unknown name \"c\""))
  }

  @Test(
    "says what is wrong with it",
    arguments: [
      (
        "KILL",
        "ERR usage the first word is missing: CLIENT, STREAM or NAME; the form is KILL CLIENT N | "
      ),
      (
        "KILL x",
        "ERR usage the first word is \"x\", expected CLIENT, STREAM or NAME; did you mean "
          + "\"KILL NAME x\"?; "
      ),
      (
        "KILL 7.1",
        "ERR usage the first word is \"7.1\", expected CLIENT, STREAM or NAME; did you mean "
          + "\"KILL STREAM 7 1\"?; "
      ),
      (
        "KILL 7",
        "ERR usage the first word is \"7\", expected CLIENT, STREAM or NAME; did you mean "
          + "\"KILL CLIENT 7\"?; "
      ),
      ("KILL CLIENT", "ERR usage client is missing; "),
      ("KILL CLIENT x", "ERR usage client is \"x\", expected the number of a client; "),
      ("KILL CLIENT 99999999999999999999", "ERR usage client is "),
      ("KILL STREAM 1", "ERR usage id is missing; "),
      ("KILL STREAM 1 1.1", "ERR usage id is \"1.1\", expected the number of a stream; "),
      ("KILL NAME $events", "ERR denied $events belongs to the server; "),
      ("KILL CLIENT 1 2", "ERR usage unexpected argument \"2\"; "),
    ]
  )
  func mistakes(_ line: String, _ start: String) throws {
    let server = try TestServer()
    let answer = try server.connect().ask(line)
    #expect(answer.hasPrefix(start), "\(answer)")
  }
}

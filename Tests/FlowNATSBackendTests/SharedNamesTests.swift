import FlowNATSSupport
import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowNATSBackend
@testable import FlowServer

@Suite("Names of subjects in NATS")
struct SharedNamesTests {
  private let lossless = "SUBJECT a flow=slowest on=nats"
  private let row = "* subject a passthrough flow=slowest on=nats "

  /// What the stream of names says of each name.
  private func names(_ play: PlayedServer) -> [String] {
    play.play { $0.streams["flow_NAMES"]?.messages.map { "\($0.subject) \($0.text)" } ?? [] }
  }

  /// Has another server define a subject, and make its stream first.
  private func define(_ play: PlayedServer, _ name: String, _ line: String, most: Int = 69_632) {
    play.play { nats in
      let stream = PlayedNATS.Stream()
      (stream.name, stream.most) = ("flow_\(name)", most)
      stream.subjects = ["flow.v.\(name)", "flow.e.\(name)"]
      stream.refuses = line.contains("flow=slowest")
      nats.streams[stream.name] = stream
      nats.define(name, line)
    }
    play.settle()
  }

  @Test("a definition is put into NATS before it is answered, its deletion as well")
  func put() throws {
    let play = try PlayedServer(lines: lossless)
    let definition = "flow.n.a SUBJECT a passthrough flow=slowest on=nats"
    #expect(names(play) == [definition])
    let client = try play.framed(lossless)
    #expect(names(play) == [definition])
    #expect(try client.ask("DELETE a") == "OK delete a")
    #expect(names(play) == ["flow.n.a DELETE"])
    #expect(try client.ask("SUBJECT a on=nats") == "OK subject a passthrough flow=free on=nats")
    #expect(names(play) == ["flow.n.a SUBJECT a passthrough flow=free on=nats"])
  }

  @Test("what another server defines is there, and is deleted when it is deleted there")
  func elsewhere() throws {
    let play = try PlayedServer()
    let client = try play.framed()
    define(play, "a", "SUBJECT a passthrough flow=slowest on=nats")
    #expect(try client.ask("SUB a 1") == "OK sub 1 a demand=1")
    try play.say(client, "SEND a 1")
    #expect(Set(try client.lines(2)) == ["OK send a seq=1", "= 1 1"])
    play.play { nats in
      nats.streams["flow_a"] = nil
      nats.define("a", "DELETE")
    }
    play.settle()
    #expect(try client.line() == "FAIL 1 deleted subject a was deleted")
    #expect(try client.ask("SEND a 2").hasPrefix("ERR unknown-name "))
    #expect(try client.ask("LIST") == "OK list 0")
  }

  @Test("of a value under way when another server deletes the subject nobody says that it is lost")
  func deletedUnderWay() throws {
    let play = try PlayedServer()
    let client = try play.framed()
    define(play, "a", "SUBJECT a passthrough flow=slowest on=nats")
    play.play { $0.faults["PUBLISH"] = [.unanswered] }
    try play.say(client, "SEND a 1")
    play.settle()
    play.play { nats in
      #expect(nats.streams["flow_a"]?.messages.isEmpty == false)
      nats.streams["flow_a"] = nil
      nats.define("a", "DELETE")
    }
    play.settle()
    #expect(
      try client.line()
        == "ERR away subject a was deleted; the value may or may not have been stored"
    )
  }

  @Test("what was defined before a server starts is there")
  func before() throws {
    let play = try PlayedServer { nats in
      for (name, subjects) in [
        ("NAMES", ["flow.n.>"]), ("a", ["flow.v.a", "flow.e.a"]), ("b", ["flow.v.b", "flow.e.b"]),
      ] {
        let stream = PlayedNATS.Stream()
        (stream.name, stream.subjects) = ("flow_\(name)", subjects)
        (stream.most, stream.refuses) = name == "NAMES" ? (.max, false) : (69_632, true)
        stream.keepsNewest = name == "NAMES"
        nats.streams[stream.name] = stream
      }
      nats.define("a", "SUBJECT a flow=slowest on=nats")
      nats.define("b", "SUBJECT b flow=slowest on=nats")
      nats.define("b", "DELETE")
    }
    let client = try play.framed()
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
    #expect(try client.ask("SEND b 1").hasPrefix("ERR unknown-name "))
  }

  /// A server whose client has lost the name to another server, of which it has heard late.
  private func lose() throws -> (PlayedServer, TestClient) {
    let play = try PlayedServer()
    let client = try play.framed()
    // Heard of only when NATS says that somebody was first.
    play.play { nats in
      nats.losePullsOfNames()
      nats.define("a", "SUBJECT a flow=slowest stall=9s on=nats")
    }
    try play.say(client, lossless)
    play.advance(seconds: 4)
    #expect(try client.line().hasPrefix("ERR exists "))
    return (play, client)
  }

  @Test("of two definitions at once one wins, and the other is ERR exists")
  func race() throws {
    let (play, client) = try lose()
    defer { withExtendedLifetime(play) {} }
    // The same one is OK.
    #expect(try client.ask("SUBJECT a flow=slowest stall=9s on=nats").hasPrefix("OK subject a "))
  }

  @Test(
    "a definition is put again until that is answered",
    arguments: [PlayedNATS.Fault.lost, .unanswered, .refused(0), .refused(10008)]
  )
  func again(_ fault: PlayedNATS.Fault) throws {
    let play = try PlayedServer()
    let client = try play.framed()
    play.fail("NAMES PUBLISH", fault)
    try play.server.server.load(lossless, file: "x.flow")
    play.advance(seconds: 7)
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
    #expect(names(play) == ["flow.n.a SUBJECT a passthrough flow=slowest on=nats"])
  }

  @Test(
    "the stream of names is opened and read again after whatever goes wrong",
    arguments: ["STREAM.CREATE", "CONSUMER.CREATE", "PULL"],
    [PlayedNATS.Fault.lost, .unanswered, .refused(0), .refused(10008)]
  )
  func opened(_ request: String, _ fault: PlayedNATS.Fault) throws {
    let play = try PlayedServer { $0.faults["NAMES \(request)"] = [fault, fault] }
    play.advance(seconds: 30)
    let client = try play.framed(lossless)
    define(play, "b", "SUBJECT b flow=slowest on=nats")
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
    #expect(try client.ask("SEND b 1") == "OK send b seq=1")
  }

  @Test("one that was deleted and defined anew while the server was away is another subject")
  func anew() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed("SUB a 9")
    play.play { nats in
      nats.isThere = false
      nats.disconnect()
      nats.define("a", "DELETE")
    }
    define(play, "a", "SUBJECT a flow=slowest on=nats")
    play.play { nats in
      nats.put("new", into: "a")
      nats.isThere = true
    }
    play.advance(seconds: 3)
    #expect(try client.line() == "FAIL 1 deleted subject a was deleted")
    #expect(try client.ask("SUB a 9") == "OK sub 2 a demand=9")
    #expect(try client.line() == "= 2 new")
  }

  @Test("a name that is something else here stays that, until it is deleted here")
  func taken() throws {
    let play = try PlayedServer()
    let client = try play.framed("SUBJECT a")
    define(play, "a", "SUBJECT a flow=slowest on=nats")
    define(play, "b", "RUN b = nonsense")
    #expect(try client.ask("SEND a 1") == "OK send a to=0 missed=0")
    #expect(try client.ask("LIST").hasPrefix("* subject a passthrough flow=free "))
    #expect(try client.line() == "OK list 1")
    #expect(try client.ask("DELETE a") == "OK delete a")
    play.settle()
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
  }

  @Test("a NATS without JetStream counts as away, with the reason")
  func withoutJetStream() throws {
    let play = try PlayedServer {
      $0.faults["NAMES STREAM.CREATE"] = Array(repeating: .refused(0), count: 20)
    }
    let client = try play.framed()
    try play.say(client, lossless)
    play.advance(seconds: 6)
    let answer = try client.line()
    #expect(answer.hasPrefix("ERR away NATS has not answered: this NATS has no JetStream; "))
    try play.server.server.load(lossless, file: "x.flow")
    try play.say(client, "SHOW a")
    #expect(try client.lines(3)[1].contains(" nats=away away="))
    play.advance(seconds: 20)
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
  }

  @Test("what the stream of names has lost is put there again")
  func lost() throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT b on=nats")
    let client = try play.framed("SUB a 9")
    play.play { nats in
      nats.streams["flow_NAMES"] = nil
      nats.disconnect()
    }
    play.advance(seconds: 3)
    #expect(names(play).count == 2)
    try play.say(client, "SEND a 1")
    #expect(Set(try client.lines(2)) == ["OK send a seq=1", "= 1 1"])
  }

  // MARK: A full NATS

  private func fill(_ play: PlayedServer) {
    play.play { $0.faults["NAMES PUBLISH"] = Array(repeating: .refused(10023), count: 100) }
  }

  @Test("a run and a subject are deleted though NATS has no room to store that")
  func deletedWithoutRoom() throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT b flow=slowest on=nats")
    let client = try play.framed("RUN r = a.assign(to: b)")
    fill(play)
    #expect(try client.ask("DELETE r") == "OK delete r")
    #expect(try client.ask("DELETE b") == "OK delete b")
    #expect(names(play) == ["flow.n.a SUBJECT a passthrough flow=slowest on=nats"])
    #expect(try client.ask("LIST runs") == "OK list 0")
    play.play { $0.faults = [:] }
    play.advance(seconds: 2)
    #expect(try client.ask("SUBJECT b on=nats") == "OK subject b passthrough flow=free on=nats")
  }

  @Test("a definition for which NATS has no room is refused; of a file it is tried again")
  func noRoom() throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT c on=nats")
    let client = try play.framed()
    fill(play)
    let text = "ERR limit NATS has no room to store the definition of "
    let advice = " (error 10023); read or DELETE subjects that fill it, or raise its max_file_store"
    #expect(try client.ask("SUBJECT b on=nats") == "\(text)b\(advice)")
    #expect(play.play { $0.streams["flow_b"] == nil })
    #expect(try client.ask("RUN r = a.assign(to: c)") == "\(text)r\(advice)")
    #expect(try client.ask("LIST").hasPrefix(row))
    _ = try client.line()
    #expect(try client.line() == "OK list 2")
    try play.server.server.load("SUBJECT b on=nats", file: "x.flow")
    play.advance(seconds: 2)
    play.play { $0.faults = [:] }
    play.advance(seconds: 2)
    #expect(try client.ask("SEND b 1") == "OK send b seq=1")
  }

  @Test("what could not be defined for want of room can be deleted")
  func deletedBeforeRoom() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    fill(play)
    try play.server.server.load("SUBJECT b on=nats", file: "x.flow")
    try play.say(client, "DELETE b")
    play.advance(seconds: 2)
    #expect(try client.line() == "OK delete b")
    #expect(try client.ask("SHOW b").hasPrefix("ERR unknown-name "))
  }

  @Test(
    "what another server removes is deleted, whether that is heard of or NATS is away then",
    arguments: [true, false]
  )
  func removedElsewhere(_ isHeard: Bool) throws {
    let play = try PlayedServer(lines: lossless, "SUBJECT b on=nats")
    let client = try play.framed("SUB a 1")
    play.play { nats in
      nats.deleteStream("a")
      nats.removeDefinition(of: "a", isHeard: isHeard)
    }
    play.advance(seconds: 3)
    #expect(try client.line() == "FAIL 1 deleted subject a was deleted")
    #expect(try client.ask("SEND a 2").hasPrefix("ERR unknown-name "))
    #expect(try client.ask("SEND b 1") == "OK send b seq=1")
    #expect(try client.ask(lossless) == "OK subject a passthrough flow=slowest on=nats")
  }

  @Test("a line that is taken out of a file leaves its subject in NATS, for all servers")
  func file() throws {
    let play = try PlayedServer()
    let server = play.server.server
    #expect(try server.load(["x.flow"]) { _ in lossless } == ["made a"])
    play.settle()
    let client = try play.framed("SUB a 9")
    #expect(try server.load(["x.flow"]) { _ in "SUBJECT b" } == ["made b", "left in NATS a"])
    try play.say(client, "SEND a 1")
    #expect(Set(try client.lines(2)) == ["OK send a seq=1", "= 1 1"])
    #expect(try server.load(["x.flow"]) { _ in lossless } == ["deleted b", "unchanged: 1"])
    #expect(try client.ask("DELETE a") == "OK delete a")
    #expect(names(play) == ["flow.n.a DELETE"])
  }

  @Test("the loser of two definitions has what the other one says; a file that disagrees says so")
  func loser() throws {
    let (play, client) = try lose()
    defer { withExtendedLifetime(play) {} }
    #expect(try client.ask("SEND a 1") == "OK send a seq=1")
    // Here a file disagrees.
    let other = try PlayedServer(lines: lossless)
    try other.server.server.load("SUBJECT b flow=slowest on=nats", file: "x.flow")
    other.settle()
    other.play { nats in nats.define("c", "SUBJECT c flow=slowest stall=9s on=nats") }
    other.settle()
    #expect(throws: ConfigurationError.self) {
      try other.server.server.load("SUBJECT c flow=slowest on=nats", file: "x.flow")
    }
  }

  @Test("what a file says and NATS does not is of no use, and says so")
  func refused() throws {
    let play = try PlayedServer { $0.isThere = false }
    try play.server.server.load("SUBJECT a flow=slowest on=nats", file: "x.flow")
    play.play { nats in
      let stream = PlayedNATS.Stream()
      (stream.name, stream.subjects, stream.most) = ("flow_a", ["flow.v.a", "flow.e.a"], 7)
      nats.streams["flow_a"] = stream
      nats.isThere = true
    }
    play.advance(seconds: 3)
    let client = try play.framed()
    for command in ["SUB a 1", "SUB a.map { $0 } 1", "PUB a", "SEND a 1", "FEED a\n1\n."] {
      try client.say(command)
      #expect(try client.line().hasPrefix("ERR exists "), "\(command)")
    }
  }

  @Test("settings that are left out are as they are; others are ERR exists")
  func settings() throws {
    let play = try PlayedServer(lines: lossless)
    let client = try play.framed()
    let same = "SUBJECT a flow=slowest on=nats replicas=1 storage=file"
    #expect(try client.ask(same).hasPrefix("OK subject a "))
    #expect(try client.ask("\(lossless) storage=memory").hasPrefix("ERR exists "))
    #expect(try client.ask("\(lossless) replicas=3").hasPrefix("ERR exists "))
    #expect(try client.ask("\(lossless) room=5").hasPrefix("ERR exists "))
    #expect(try client.ask("SUBJECT a").hasPrefix("ERR exists "))
    #expect(try client.ask("SUBJECT NAMES on=nats").hasPrefix("ERR usage "))
    #expect(throws: ConfigurationError.self) {
      try play.server.server.load("SUBJECT NAMES on=nats", file: "x.flow")
    }
  }
}

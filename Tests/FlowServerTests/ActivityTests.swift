import Testing

@testable import FlowServer

@Suite("What the loop is doing")
struct ActivityTests {
  @Test(
    "of a command it is the client and the verb, and nothing that may be secret",
    arguments: [
      ("SUB taps 1", "client=7 SUB"), ("AUTH sesame", "client=7 AUTH"),
      ("@tag.1  take x 1", "client=7 TAKE"), ("EXPLAINEVERYTHING x", "client=7 EXPLAINE"),
      ("= 1 2", "client=7 values"), ("@x", "client=7 values"), ("ping", "client=7 PING"),
    ]
  )
  func command(_ line: String, _ expected: String) {
    let activity = Activity()
    activity.record(.values, client: 7)
    var line = line
    line.withUTF8 { activity.record(command: UnsafeRawBufferPointer($0)) }
    let description = activity.description
    #expect(description == expected)
  }

  @Test("otherwise it is what part of a turn is under way")
  func parts() {
    let activity = Activity()
    activity.beginTurn(at: 5)
    var told = ["\(activity.start)", activity.description]
    activity.record(.timers)
    told.append(activity.description)
    activity.record(.sending, client: 3)
    told.append(activity.description)
    activity.record(.web)
    told.append(activity.description)
    #expect(told == ["5", "the turn begins", "timers", "client=3 output", "a request by HTTP"])
  }

  @Test("a turn is seen from outside while it is under way, and not after it")
  func turn() throws {
    let server = Server()
    let inside = server.perform { $0.turnUnderWay }
    #expect(inside?.doing == "files or the program that hosts the server")
    #expect(inside.map { $0.began > 0 } == true)
    let other = server.perform { $0.turnUnderWay }
    #expect(other?.number != inside?.number)
  }
}

import FlowCore
import FlowLanguage
import FlowServerSupport
import FlowSubjects
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("The end of a subject with many readers")
struct SubjectEndTests {
  private static let readers = 1000
  private let server: TestServer
  private let root: TestClient
  private let reader: TestClient

  /// Starts a server whose turns are over after the first parts, with many readers of `s`.
  init() throws {
    var configuration = Configuration.ofTests()
    configuration.pipelines.slice = 1
    server = try TestServer(configuration)
    root = try server.framed("SUBJECT s")
    reader = try server.framed()
    try reader.say((1...Self.readers).map { "SUB s max as=\($0)" }.joined(separator: "\n"))
    for answer in try reader.lines(Self.readers) where !answer.hasPrefix("OK sub ") {
      throw TestFailure(answer)
    }
  }

  @Test(
    "is told to each of them once, in order, and the name is free at once",
    arguments: [
      ("DELETE s", "OK delete s", "FAIL ID deleted subject s was deleted"),
      ("DONE s", "OK done s", "DONE ID"),
      ("FAIL s broken no more", "OK fail s", "FAIL ID broken no more"),
    ]
  )
  func told(_ line: String, _ answer: String, _ end: String) throws {
    #expect(try root.ask(line) == answer)
    if line == "DELETE s" {
      #expect(try root.ask("SUBJECT s") == "OK subject s passthrough flow=free")
      #expect(try root.ask("SEND s 1") == "OK send s to=0 missed=0")
    }
    let ends = (1...Self.readers).map { end.replacing("ID", with: "\($0)") }
    #expect(try reader.lines(Self.readers) == ends)
    #expect(try reader.ask("PING") == "PONG")
  }

  @Test("takes several turns, and is not told to those that leave meanwhile")
  func turns() throws {
    let left = server.server.perform { engine in
      engine.timeSlice.beginTurn()
      guard let subject = engine.registry.subject("s") else { return 0 }
      engine.registry.remove("s")?.end()
      engine.subscription("2.\(Self.readers)")?.cancel()
      return subject.outletCount
    }
    #expect((1..<Self.readers - 1).contains(left))
    let ends = (1..<Self.readers).map { "FAIL \($0) deleted subject s was deleted" }
    #expect(try reader.lines(Self.readers - 1) == ends)
    #expect(try reader.ask("PING") == "PONG")
  }

  @Test("is what they are told, though the subject is deleted before all are")
  func deletedMeanwhile() throws {
    server.server.perform { engine in
      engine.timeSlice.beginTurn()
      engine.registry.subject("s")?.completeBehindHeld(.finished)
      engine.registry.remove("s")?.end()
    }
    #expect(try reader.lines(Self.readers) == (1...Self.readers).map { "DONE \($0)" })
    #expect(try reader.ask("PING") == "PONG")
  }

  @Test("by KILL NAME is told to each of them once, in order")
  func killed() throws {
    #expect(try root.ask("KILL NAME s") == "OK kill name s ended=\(Self.readers)")
    let ends = (1...Self.readers).map { "FAIL \($0) killed ended by an administrator" }
    #expect(try reader.lines(Self.readers) == ends)
    #expect(try reader.ask("PING") == "PONG")
  }

  @Test("counts what they have not read of the kept values, once")
  func kept() throws {
    #expect(try root.ask("SUBJECT k current 1").hasPrefix("OK subject k "))
    let other = try server.framed()
    try other.say((1...Self.readers).map { "SUB k as=\($0)" }.joined(separator: "\n"))
    for answer in try other.lines(Self.readers) { #expect(answer.hasPrefix("OK sub ")) }
    #expect(try root.ask("DELETE k") == "OK delete k")
    let ends = (1...Self.readers).flatMap {
      ["DROP \($0) 1 no-demand", "FAIL \($0) deleted subject k was deleted"]
    }
    #expect(try other.lines(2 * Self.readers) == ends)
  }
}

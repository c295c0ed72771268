import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("print into the log")
struct PrintTests {
  /// A server whose log is kept, and a client of it.
  private final class Place {
    let lines: Guarded<[String]>
    let server: TestServer
    let client: TestClient

    init(_ configuration: Configuration = Configuration()) throws {
      let lines = Guarded<[String]>([])
      self.lines = lines
      server = try TestServer(configuration) { event in
        lines.withLock { $0.append("\(event)") }
      }
      client = try server.connect()
    }

    /// What was logged since it was asked last.
    func takeLog() -> [String] {
      lines.withLock { lines in
        defer { lines = [] }
        return lines
      }
    }
  }

  @Test("says whose line it is, and keeps it one line")
  func lines() throws {
    let place = try Place()
    _ = try place.client.ask("SUB Just(\"a\\n\\u{1b}[31mlistening on\").print(\"x\") max")
    _ = try place.client.lines(2)
    let log = place.takeLog()
    #expect(log.allSatisfy { $0.hasPrefix("print client=1 id=1: x: ") }, "\(log)")
    #expect(log.contains { $0.hasPrefix("print client=1 id=1: x: request ") }, "\(log)")
    #expect(log.contains { $0.contains("receive value: ") })
    #expect(log.joined().unicodeScalars.allSatisfy { $0.value >= 0x20 })
  }

  @Test("a pipeline may write so many lines a second; what is left out is counted and told")
  func limit() throws {
    var configuration = Configuration()
    configuration.pipelines.printLimit = 10
    let place = try Place(configuration)
    _ = try place.client.ask("HELLO 1")
    try place.client.say("SUB (1...1000).publisher.print(\"x\").last() 1")
    _ = try place.client.rest(until: "DONE 1")
    #expect(place.takeLog().count == 10)
    place.server.advance(seconds: 1.1)
    let told = place.takeLog()
    #expect(told.count == 1)
    #expect(told.first?.hasPrefix("print: … 9") == true, "\(told)")
    #expect(told.first?.hasSuffix(" lines left out; a pipeline may write 10 per second") == true)
    try place.client.say("SUB Just(1).print(\"y\") 1")
    _ = try place.client.rest(until: "DONE 2")
    #expect(place.takeLog().contains { $0.hasSuffix("y: receive value: (1)") })
    let prints = place.server.server.perform { ($0.prints.written, $0.prints.leftOut) }
    #expect(prints.0 > 10 && prints.1 > 900)
  }

  @Test("all pipelines together may write five times as much as one")
  func all() throws {
    var configuration = Configuration()
    configuration.pipelines.printLimit = 10
    let place = try Place(configuration)
    _ = try place.client.ask("HELLO 1")
    for _ in 0..<20 { try place.client.say("SUB (1...100).publisher.print().last() 1") }
    for _ in 0..<20 { _ = try place.client.rest { $0.hasPrefix("DONE ") } }
    #expect(place.takeLog().count == 50)
  }

  @Test("a long line is cut")
  func long() throws {
    let place = try Place()
    let label = String(repeating: "ö", count: 2000)
    try place.client.say("SUB Just(1).print(\"\(label)\") max", "PING")
    _ = try place.client.rest { $0 == "PONG" }
    let log = place.takeLog()
    #expect(!log.isEmpty)
    for line in log { #expect(line.utf8.count < 1100 && line.hasSuffix("…")) }
  }
}

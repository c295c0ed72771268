import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer
@testable import FlowSubjects

/// Plays the same random commands with two servers and compares all output.
///
/// One server handles the values of a read together, the other one after the other.
struct BatchPlay {
  /// A server with a pipeline `p`, two clients that subscribe to it, and a publisher.
  private final class World {
    let server: TestServer
    let clients: [TestClient]
    let publisher: TestClient
    private let other: TestClient
    private let together: Bool

    init(_ pipeline: String, behind lines: [String], flow: String, together: Bool) throws {
      var configuration = Configuration()
      // Without a limit, since on a slow machine the two servers would end their turns differently.
      configuration.pipelines.slice = .max
      server = try TestServer(configuration)
      clients = [try server.framed(), try server.framed()]
      publisher = try server.framed()
      other = try server.framed()
      self.together = together
      try server.prepare("SUBJECT orders flow=\(flow)", "SUBJECT taps", "SUBJECT returns")
      for line in lines where try !other.ask(line).hasPrefix("OK") { throw TestFailure(line) }
      let answer = try other.ask("PIPELINE p = \(pipeline)")
      guard answer.hasPrefix("OK") else { throw TestFailure("\(pipeline): \(answer)") }
      if !together { takeOneByOne() }
      // Another subscriber must not change the output.
      let buffer = "buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest)"
      _ = try other.ask("SUB orders.\(buffer) max")
    }

    /// Makes all subjects handle one value after the other.
    private func takeOneByOne() {
      server.server.perform { engine in
        for subject in engine.registry.subjects { subject.state.batches.largest = 0 }
      }
    }

    /// Returns the new lines of all clients, and the rows of `LIST` and `SHOW`.
    func news() throws -> (publisher: [String], clients: [[String]], figures: [String]) {
      // Reads the publisher twice, since the clients' commands may grant it more.
      let first = try publisher.linesSoFar()
      let lines = try clients.map { try $0.linesSoFar() }
      let second = try publisher.linesSoFar()
      try other.say("LIST subjects", "LIST runs", "SHOW p", "PING all")
      return (first + second, lines, try other.rest(until: "PONG all"))
    }
  }

  /// The published subjects, by the number of their publication, from 0.
  private static let subjects = ["orders", "taps", "returns"]

  private let worlds: [World]
  private var random: SeededGenerator
  private let pipeline: String
  private let makesObjects: Bool
  /// Whether the stream of each client is open.
  private var isOpen = [false, false]
  /// The remaining grant of each publication; `nil` after its end.
  private var grants: [Int?] = [0, 0, 0]
  private var last = 0

  init(
    _ pipeline: String,
    behind lines: [String] = [],
    flow: String,
    makesObjects: Bool = false,
    seed: UInt64
  ) throws {
    self.pipeline = pipeline
    self.makesObjects = makesObjects
    random = SeededGenerator(state: seed)
    worlds = [
      try World(pipeline, behind: lines, flow: flow, together: true),
      try World(pipeline, behind: lines, flow: flow, together: false),
    ]
    for (index, name) in Self.subjects.enumerated() {
      for world in worlds { try world.publisher.say("PUB \(name) as=\(index + 1) owner=yes") }
    }
    try compare()
  }

  /// Plays a random command, and compares the output.
  mutating func step() throws {
    let client = random.number(below: 4) == 0 ? 1 : 0
    switch random.number(below: 8) {
    case 0 where isOpen[client]: try say("CANCEL 1", by: client)
    case 0...1 where !isOpen[client]: try say("SUB p \(demand(below: 20)) as=1", by: client)
    case 1...3: if isOpen[client] { try say("REQ 1 \(demand(below: 30))", by: client) }
    case 4: for world in worlds { world.server.advance(seconds: 0.3) }
    default: try publish(random.number(below: 40) + 1)
    }
    try compare()
  }

  /// Ends all subjects in random order, each right after some values, with a few steps in between.
  mutating func end() throws {
    for index in Array(grants.indices).shuffled(using: &random) {
      let ends = ["DONE \(index + 1)", "FAIL \(index + 1) no reason"]
      try publish(random.number(below: 10), then: ends[random.number(below: 2)] + "\n")
      grants[index] = nil
      try compare()
      for _ in 0..<RandomCases.count(3) { try step() }
    }
  }

  /// Returns a random demand up to `limit`, or sometimes `max`.
  private mutating func demand(below limit: Int) -> String {
    random.number(below: 12) == 0 ? "max" : "\(random.number(below: limit) + 1)"
  }

  private func say(_ line: String, by client: Int) throws {
    for world in worlds { try world.clients[client].say(line) }
  }

  /// Sends values, most of them to `orders`, and the line `end`, all at once.
  private mutating func publish(_ wanted: Int, then end: String = "") throws {
    var lines = ""
    var index = 0
    for _ in 0..<wanted {
      if random.number(below: 10) == 0 { index = random.number(below: 5) % 3 }
      guard let grant = grants[index], grant > 0 else { continue }
      grants[index] = grant == .max ? .max : grant - 1
      last = random.number(below: 4) == 0 ? last : random.number(below: 100)
      let value = makesObjects ? "{\"price\":\(last),\"total\":[\(last)]}" : "\(last)"
      lines += "= \(index + 1) \(value)\n"
    }
    for world in worlds { try world.publisher.send(Array((lines + end).utf8)) }
  }

  private mutating func compare() throws {
    let together = try worlds[0].news()
    let oneByOne = try worlds[1].news()
    #expect(together.publisher == oneByOne.publisher, "\(pipeline)")
    #expect(together.clients == oneByOne.clients, "\(pipeline)")
    #expect(together.figures == oneByOne.figures, "\(pipeline)")
    for line in together.publisher {
      let words = line.split(separator: " ")
      guard words.count > 2, let index = Int(words[words[0] == "OK" ? 2 : 1]).map({ $0 - 1 }),
        grants.indices.contains(index), let grant = grants[index]
      else { continue }
      switch words.prefix(2) {
      case ["OK", "pub"]: grants[index] = Int(words[4].dropFirst("demand=".count)) ?? .max
      default: if words[0] == "REQ" { grants[index] = grant + (Int(words[2]) ?? 0) }
      }
    }
    for (client, lines) in together.clients.enumerated() {
      for line in lines {
        switch line.split(separator: " ").prefix(2) {
        case ["OK", "sub"]: isOpen[client] = true
        case ["OK", "cancel"], ["DONE", "1"], ["FAIL", "1"]: isOpen[client] = false
        default: break
        }
      }
    }
  }
}

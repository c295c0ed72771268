import FlowTestSupport
import Testing

@testable import FlowServer

/// The same things at random on two servers, of which one takes the values of a read together and
/// the other one after the other: nobody may see a difference.
struct BatchPlay {
  /// A server with a pipeline `p`, somebody who subscribes to it and somebody who publishes.
  private final class World {
    let server: TestServer
    let client: TestClient
    let publisher: TestClient
    private let other: TestClient

    init(_ pipeline: String, behind runs: [String], flow: String, together: Bool) throws {
      var configuration = Configuration()
      // On a slow machine one of the two would leave its turn sooner than the other.
      configuration.slice = .max
      server = try TestServer(configuration)
      client = try server.framed()
      publisher = try server.framed()
      other = try server.framed()
      try server.prepare("SUBJECT orders flow=\(flow)", "SUBJECT taps", "SUBJECT returns")
      for line in runs where try !client.ask(line).hasPrefix("OK") { throw TestFailure(line) }
      let answer = try client.ask("PIPELINE p = \(pipeline)")
      guard answer.hasPrefix("OK") else { throw TestFailure("\(pipeline): \(answer)") }
      // What is shared takes one value after the other, and so do all others of its subject.
      let rest =
        together ? "buffer(size: 9, prefetch: .byRequest, whenFull: .dropOldest)" : "share()"
      _ = try other.ask("SUB orders.\(rest) max")
    }

    /// What both have been told since the last time, and what is said of the pipeline.
    func news() throws -> [String] {
      // What either has said may have told the other something.
      let first = try publisher.linesSoFar()
      let lines = try client.linesSoFar()
      let second = try publisher.linesSoFar()
      try client.say("LIST subjects", "LIST runs", "SHOW p")
      return try first + second + lines + client.rest(until: "OK show p")
    }
  }

  private let worlds: [World]
  private var random: SplitMix
  private let pipeline: String
  private let makesObjects: Bool
  private var isOpen = false
  /// What the publisher may still send.
  private var grant = 0
  private var last = 0

  init(
    _ pipeline: String,
    behind runs: [String] = [],
    flow: String,
    makesObjects: Bool,
    seed: UInt64
  ) throws {
    self.pipeline = pipeline
    self.makesObjects = makesObjects
    random = SplitMix(seed)
    worlds = [
      try World(pipeline, behind: runs, flow: flow, together: true),
      try World(pipeline, behind: runs, flow: flow, together: false),
    ]
    for world in worlds { try world.publisher.say("PUB orders as=1") }
    try compare()
  }

  /// Does one thing at random, and looks at all that came of it.
  mutating func step() throws {
    switch random.number(below: 8) {
    case 0 where isOpen: try say("CANCEL 1")
    case 0...1 where !isOpen: try say("SUB p \(random.number(below: 20)) as=1")
    case 1...3: if isOpen { try say("REQ 1 \(random.number(below: 30) + 1)") }
    case 4: for world in worlds { world.server.advance(seconds: 0.3) }
    default: try publish(random.number(below: 40) + 1)
    }
    try compare()
  }

  private func say(_ line: String) throws {
    for world in worlds { try world.client.say(line) }
  }

  private mutating func publish(_ wanted: Int) throws {
    let count = min(wanted, grant)
    grant -= count
    var lines = ""
    for _ in 0..<count {
      last = random.number(below: 4) == 0 ? last : random.number(below: 100)
      lines += makesObjects ? "= 1 {\"price\":\(last),\"total\":[\(last)]}\n" : "= 1 \(last)\n"
    }
    for world in worlds { try world.publisher.send(Array(lines.utf8)) }
  }

  private mutating func compare() throws {
    let together = try worlds[0].news()
    let oneByOne = try worlds[1].news()
    #expect(together == oneByOne, "\(pipeline)")
    for line in together {
      let words = line.split(separator: " ")
      switch words.prefix(2) {
      case ["OK", "sub"]: isOpen = true
      case ["OK", "cancel"], ["DONE", "1"], ["FAIL", "1"]: isOpen = false
      case ["OK", "pub"]: grant = Int(words[4].dropFirst("demand=".count)) ?? .max
      case ["REQ", "1"]: grant += Int(words[2]) ?? 0
      default: break
      }
    }
  }
}

import FlowServerSupport
import FlowTestSupport
import Testing

@testable import FlowServer

/// Workers that answer, fail, leave and come back at random, and the sums that must be right.
@Suite("Calls, in any order of things")
struct CallMixTests {
  /// A worker that knows what it was told and answers as it is told to.
  private final class Worker {
    let client: TestClient
    private(set) var granted: Int
    private(set) var calls = 0
    /// What the pipeline wants of each call that is out.
    private(set) var wanted: [Int: Int] = [:]

    init(_ server: TestServer, demand: Int) throws {
      client = try server.framed("SERVE work \(demand) as=1")
      granted = demand
    }

    var out: [Int] { wanted.keys.sorted() }

    /// Reads what the server has said, and checks that it keeps to what it was granted.
    func listen() throws {
      for line in try client.linesSoFar() {
        let words = line.split(separator: " ")
        let call = try #require(words.count > 1 ? Int(words[1].dropFirst(2)) : nil)
        switch words[0] {
        case "=":
          calls += 1
          #expect(call == calls, "calls are counted from 1")
          wanted[call] = 0
        case "REQ": wanted[call]? += try #require(Int(words[2]))
        case "CANCEL": wanted[call] = nil
        default: Issue.record("\(line)")
        }
      }
      #expect(calls <= granted)
    }

    func act(_ random: inout some RandomNumberGenerator) throws {
      guard let call = out.randomElement(using: &random) else {
        if calls == granted {
          granted += 1
          try client.say("REQ 1 1")
        }
        return
      }
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        wanted[call] = nil
        try client.say("FAIL 1.\(call) broken")
      case 1, 2:
        wanted[call] = nil
        try client.say("= 1.\(call) x", "DONE 1.\(call)")
      case 3: try client.say("= 1.\(call) x")
      case 4:
        try client.say("= 1.\(call) late", "DONE 1.\(call)", "DONE 1.\(call)")
        wanted[call] = nil
      default:
        granted += 2
        try client.say("REQ 1 2")
      }
    }
  }

  @Test(
    "never more calls out than granted, nor values than asked for",
    arguments: RandomCases.seeds(16)
  )
  func sums(_ seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let server = try TestServer()
    let client = try server.framed()
    let most = Int.random(in: 1...4, using: &random)
    var demand = 0
    var values = 0
    var ended = false
    #expect(
      try client.ask(
        "SUB (1...40).publisher.flatMap(maxPublishers: .max(\(most)))"
          + " { ask(work, $0).retry(100).replaceError(with: null) } as=1"
      ) == "OK sub 1 - demand=0"
    )
    var workers: [Worker] = []
    for step in 0..<3000 where !ended {
      if workers.isEmpty || workers.count < 4 && Int.random(in: 0..<20, using: &random) == 0 {
        workers.append(try Worker(server, demand: Int.random(in: 1...2, using: &random)))
      }
      let index = Int.random(in: 0..<workers.count, using: &random)
      let worker = workers[index]
      try worker.listen()
      if Int.random(in: 0..<40, using: &random) == 0 {
        worker.client.close()
        workers.remove(at: index)
      } else {
        try worker.act(&random)
      }
      if step.isMultiple(of: 2) {
        let more = Int.random(in: 1...2, using: &random)
        demand += more
        try client.say("REQ 1 \(more)")
      }
      for line in try client.linesSoFar() {
        if line.hasPrefix("= 1 ") { values += 1 }
        if line == "DONE 1" { ended = true }
      }
      #expect(values <= demand)
      let out = server.server.perform { engine in
        engine.services.sorted.map { $0.running + $0.waitingCount }.reduce(0, +)
      }
      #expect(out <= most, "no more calls than maxPublishers")
    }
    #expect(ended)
    #expect(values >= 40)
    for worker in workers { worker.client.close() }
    #expect(try client.ask("CANCEL 1") == "OK cancel 1 ended")
    try server.wait(for: "the end of the service") { $0.services.sorted.isEmpty }
  }

  @Test(
    "a call may be cancelled by the value or the end of another",
    arguments: RandomCases.seeds(8)
  )
  func cancelledWithin(_ seed: UInt64) throws {
    var random = SeededGenerator(state: seed)
    let server = try TestServer()
    let worker = try server.framed("SERVE work max as=1")
    let client = try server.framed()
    for number in 1...20 {
      _ = try client.ask(
        "SUB (1...5).publisher.flatMap { ask(work, $0) }.prefix(2) max as=\(number)"
      )
      let calls = (number * 5 - 4)...(number * 5)
      let first = try #require(calls.randomElement(using: &random))
      let second = try #require(calls.randomElement(using: &random))
      let isFailure = Bool.random(using: &random)
      try worker.say("= 1.\(first) a", isFailure ? "FAIL 1.\(second) b" : "= 1.\(second) b")
      #expect(try client.line() == "= \(number) a")
      if isFailure {
        #expect(try client.line() == "FAIL \(number) b")
      } else {
        #expect(try client.lines(2) == ["= \(number) b", "DONE \(number)"])
      }
    }
    let cancelled = try worker.linesSoFar().filter { $0.hasPrefix("CANCEL") }.count
    #expect((80...100).contains(cancelled))
    #expect(server.server.perform { $0.services.sorted.map(\.running) } == [0])
  }
}

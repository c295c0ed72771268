import FlowServerSupport
import FlowTestSupport
import Foundation
import Testing

/// The mission's numbered scenarios with workers, over a real socket.
@Suite("Scenarios with workers")
struct CallScenarios {
  /// A worker with its open calls: their numbers and arguments.
  private struct Worker {
    let client: TestClient
    private(set) var out: [(number: Int, argument: String)] = []

    init(_ server: TestServer, of name: String, demand: Int) throws {
      client = try server.connect()
      _ = try client.ask("HELLO 1")
      _ = try client.ask("SERVE \(name) \(demand) as=1")
    }

    mutating func listen() throws {
      for line in try client.linesSoFar() {
        let words = line.split(separator: " ")
        guard let number = Int(words[1].dropFirst(2)) else { throw TestFailure(line) }
        switch words[0] {
        case "=": out.append((number, String(words[2])))
        case "CANCEL": out.removeAll { $0.number == number }
        default: break
        }
      }
    }

    /// Answers the oldest call, and requests one more.
    mutating func answer(_ make: (String) -> String) throws {
      guard !out.isEmpty else { return }
      let (number, argument) = out.removeFirst()
      try client.say("= 1.\(number) \(make(argument))", "DONE 1.\(number)", "REQ 1 1")
    }
  }

  @Test("15: calls a worker only for values that need it")
  func branch() throws {
    let server = try TestServer(time: .real)
    var worker = try Worker(server, of: "create", demand: 1)
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUBJECT lookups")
    _ = try client.ask(
      "PIPELINE zones = lookups.flatMap { found in "
        + "if found.exists { Just(found.zone) } else { ask(create, found.id) } }"
    )
    _ = try client.ask("SUB zones 10")
    try client.say("SEND lookups {\"exists\":true,\"zone\":\"a\"}")
    #expect(try client.lines(2) == ["= 1 \"a\"", "OK send lookups to=1 missed=0"])
    _ = try client.ask("SEND lookups {\"exists\":false,\"id\":7}")
    try client.say("SEND lookups {\"exists\":true,\"zone\":\"c\"}")
    #expect(try client.lines(2) == ["= 1 \"c\"", "OK send lookups to=1 missed=0"])
    try worker.listen()
    #expect(worker.out.map(\.argument) == ["7"])
    try worker.answer { "\"zone \($0)\"" }
    #expect(try client.line() == "= 1 \"zone 7\"")
    try worker.listen()
    #expect(worker.out.isEmpty)
  }

  static let hundred =
    "(1...100).publisher.buffer(size: 100, prefetch: .keepFull, whenFull: .dropOldest)"
    + ".flatMap(maxPublishers: .max(3))"

  @Test("25: two workers with a demand of one have at most one call each")
  func twoWorkers() throws {
    let server = try TestServer(time: .real)
    var workers = try (0..<2).map { _ in try Worker(server, of: "work", demand: 1) }
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUB \(Self.hundred) { ask(work, $0) } max")
    var answers: [String] = []
    var turn = 0
    try Patience.wait(for: "100 answers and the end") {
      for index in workers.indices {
        try workers[index].listen()
        #expect(workers[index].out.count <= 1)
      }
      // One worker answers, then the other, then both.
      turn += 1
      if turn % 3 != 1 { try workers[0].answer { $0 } }
      if turn % 3 != 2 { try workers[1].answer { $0 } }
      answers += try client.linesSoFar()
      return answers.count >= 101
    }
    #expect(answers.last == "DONE 1")
    let values = answers.compactMap { $0.hasPrefix("= 1 ") ? Int($0.dropFirst(4)) : nil }
    #expect(values.sorted() == Array(1...100))
  }

  @Test("25: with retry(3) no answer is lost when a worker is killed")
  func killed() throws {
    let server = try TestServer(time: .real)
    var workers = try (0..<2).map { _ in try Worker(server, of: "work", demand: 1) }
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    _ = try client.ask("SUB \(Self.hundred) { ask(work, $0).retry(3) } max")
    var answers: [String] = []
    try Patience.wait(for: "100 answers and the end") {
      for index in workers.indices { try workers[index].listen() }
      if answers.count >= 30, workers.count == 2 {
        #expect(workers[1].out.count == 1)
        workers[1].client.reset()
        workers.removeLast()
      }
      for index in workers.indices { try workers[index].answer { $0 } }
      answers += try client.linesSoFar()
      return answers.count >= 101
    }
    #expect(answers.last == "DONE 1")
    let values = answers.compactMap { $0.hasPrefix("= 1 ") ? Int($0.dropFirst(4)) : nil }
    #expect(values.sorted() == Array(1...100))
  }

  @Test("calls are distributed evenly over many workers")
  func manyWorkers() throws {
    let server = try TestServer(time: .real)
    var workers = try (0..<10).map { _ in try Worker(server, of: "work", demand: 3) }
    let client = try server.connect()
    _ = try client.ask("HELLO 1")
    try client.say("SUB (1...50).publisher.flatMap { ask(work, $0) } max")
    _ = try client.line()
    for index in workers.indices { try workers[index].listen() }
    #expect(workers.map(\.out.count) == Array(repeating: 3, count: 10))
    #expect(workers[0].out.map(\.argument) == ["1", "11", "21"])
    var values: [Int] = []
    try Patience.wait(for: "50 answers") {
      for index in workers.indices {
        try workers[index].answer { $0 }
        try workers[index].listen()
      }
      values += try client.linesSoFar().compactMap { Int($0.dropFirst(4)) }
      return values.count >= 50
    }
    #expect(values.sorted() == Array(1...50))
  }
}

import FlowTestSupport

/// Conversations with a server, one after the other, beside a client that must not notice.
final class FuzzPlay {
  private let port: UInt16
  private let bystander: TestClient
  /// Moves the server's clock on by so many seconds, if a test holds it.
  private let advance: ((Double) -> Void)?
  private var next = 1

  init(port: UInt16, advance: ((Double) -> Void)?) throws {
    self.port = port
    self.advance = advance
    bystander = try TestClient(port: port)
    _ = try bystander.line()
    for line in ["HELLO 1", "SUBJECT calm-7f3a", "SUB calm-7f3a max"] {
      _ = try bystander.ask(line)
    }
  }

  /// All that the server sent in a conversation, or its first four million octets.
  struct Outcome {
    var octets: [UInt8] = []
    var isWhole = true
    var output: ServerOutput { ServerOutput(octets) }
  }

  /// Says `pieces` one after the other, hears what comes of it, and goes without a word.
  func converse(_ pieces: [ArraySlice<UInt8>]) throws -> Outcome {
    let client = try TestClient(port: port)
    var outcome = Outcome()
    for piece in pieces {
      // The server may have said goodbye.
      try? client.send(Array(piece))
      try checkBystander()
      outcome.octets += client.octetsSoFar()
    }
    hear(client, &outcome)
    // What waits for room, and what was delayed.
    for seconds in [6.0, 40] where advance != nil {
      advance?(seconds)
      hear(client, &outcome)
    }
    client.reset()
    try waitUntilAlone()
    return outcome
  }

  private func hear(_ client: TestClient, _ outcome: inout Outcome) {
    var quietRounds = 0
    for _ in 0..<5000 where quietRounds < 3 {
      let hasArrived = client.hasArrived
      guard (try? checkBystander()) != nil else { return }
      let octets = client.octetsSoFar()
      outcome.octets += octets
      quietRounds = octets.isEmpty && hasArrived ? quietRounds + 1 : 0
      guard outcome.octets.count < 4_000_000 else { return outcome.isWhole = false }
    }
  }

  /// Sends the bystander a value, which must come.
  func checkBystander() throws {
    try bystander.say("SEND calm-7f3a \(next)")
    let lines = try bystander.lines(2)
    guard lines == ["= 1 \(next)", "OK send calm-7f3a to=1 missed=0"] else {
      throw TestFailure("the bystander got \(lines)")
    }
    next += 1
  }

  /// Asks until the server has noticed that the others are gone, and deletes what they have left.
  func waitUntilAlone() throws {
    for round in 1... {
      try deleteNames()
      let clients = try rows("LIST clients").count
      let streams = try rows("LIST streams").count
      if clients == 1, streams == 1 { return }
      guard round < 20_000 else { throw TestFailure("\(clients) clients, \(streams) streams left") }
    }
  }

  /// A FEED that waits for room at a subject is over when that is deleted.
  private func deleteNames() throws {
    for row in try rows("LIST")
    where !row.hasPrefix("* subject calm-7f3a ") && !row.hasPrefix("* service ") {
      let words = row.split(separator: " ")
      guard words.count > 2 else { throw TestFailure("what is \(row)?") }
      let answer = try bystander.ask("DELETE \(words[2])")
      // What the others had sent may have been waiting, and has deleted it first.
      guard answer.hasPrefix("OK delete") || answer.hasPrefix("ERR unknown-name") else {
        throw TestFailure("\(row) is not deleted: \(answer)")
      }
    }
  }

  private func rows(_ command: String) throws -> [String] {
    try bystander.say(command)
    var rows: [String] = []
    while true {
      let line = try bystander.line()
      if line.hasPrefix("OK list ") { return rows }
      rows.append(line)
    }
  }
}

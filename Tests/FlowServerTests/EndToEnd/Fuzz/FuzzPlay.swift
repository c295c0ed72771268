import FlowServerSupport
import FlowTestSupport

/// Plays conversations with a server, one after the other, next to a bystander that must be served.
final class FuzzPlay {
  private let port: UInt16
  private let bystander: TestClient
  /// The server, if it runs in this process in virtual time, so that results are reproducible.
  private let held: TestServer?
  private var seconds = 0.0
  /// The bytes that the server had read before the conversation, without the bystander's.
  private var readBefore = 0
  private var postponedBefore: Int?
  private var next = 1

  init(port: UInt16) throws {
    held = nil
    self.port = port
    bystander = try Self.bystander(port)
  }

  init(held server: TestServer) throws {
    held = server
    port = server.port
    bystander = try Self.bystander(port)
  }

  private static func bystander(_ port: UInt16) throws -> TestClient {
    let bystander = try TestClient(port: port)
    _ = try bystander.line()
    for line in ["HELLO 1", "SUBJECT calm-7f3a", "SUB calm-7f3a max"] {
      _ = try bystander.ask(line)
    }
    return bystander
  }

  /// The server's output in a conversation, up to about four million bytes.
  struct Outcome {
    var bytes: [UInt8] = []
    var isWhole = true
    /// Whether the server postponed nothing: no work for a later turn, and no demand until bytes are
    /// sent.
    var isOfOnePiece = true
    var output: ServerOutput { ServerOutput(bytes) }
  }

  /// Sends `pieces` one after the other, collects the output, and resets the connection.
  func converse(_ pieces: [ArraySlice<UInt8>]) throws -> Outcome {
    begin()
    let client = try TestClient(port: port)
    return try converse(client) { outcome in
      for piece in pieces {
        // The server may have closed the connection.
        try? client.send(Array(piece))
        try checkBystander()
        if let held { try hear(client, held, &outcome) }
        outcome.bytes += client.bytesSoFar()
      }
    }
  }

  /// Sends `input`, as much as the kernel takes at once before the server's next turn.
  func converse(atOnce input: [UInt8]) throws -> Outcome {
    guard let held else { return try converse([input[...]]) }
    begin()
    let (client, rest) = try held.whileHeld {
      let client = try TestClient(port: port)
      return (client, try client.sendSome(input[...]))
    }
    return try converse(client) { _ in try? client.send(Array(rest)) }
  }

  private func begin() {
    guard let standing = held?.standing() else { return }
    readBefore = standing.read - bystander.sent
    postponedBefore = standing.postponed
  }

  private func converse(
    _ client: TestClient,
    _ say: (inout Outcome) throws -> Void
  ) throws -> Outcome {
    var outcome = Outcome()
    if held != nil { outcome.bytes = Array((try client.line() + "\n").utf8) }
    try say(&outcome)
    try hear(client, &outcome)
    // Time passes for values that wait for room or are delayed.
    for advance in [6.0, 40] {
      guard let held else { break }
      seconds += advance
      held.advance(toSecond: seconds)
      try hear(client, &outcome)
    }
    outcome.isOfOnePiece = held?.standing().postponed == postponedBefore
    client.reset()
    try waitUntilAlone()
    return outcome
  }

  private static let longest = 4_000_000

  private func hear(_ client: TestClient, _ outcome: inout Outcome) throws {
    if let held {
      try hear(client, held, &outcome)
    } else {
      try hearUntilQuiet(client, &outcome)
    }
    try checkBystander()
    outcome.isWhole = outcome.bytes.count < Self.longest
  }

  /// Collects the output until the server has read and run the whole input and sent all answers.
  private func hear(_ client: TestClient, _ server: TestServer, _ outcome: inout Outcome) throws {
    for _ in 0..<200_000 where outcome.bytes.count < Self.longest {
      let standing = server.standing()
      guard let sent = standing.sent else { return outcome.bytes += try client.bytesToTheEnd() }
      outcome.bytes += client.bytesSoFar()
      let isRead = standing.isPaused || standing.read - readBefore == bystander.sent + client.sent
      if isRead, !standing.goesOn, !standing.isSending, outcome.bytes.count == sent { return }
    }
    guard outcome.bytes.count >= Self.longest else {
      throw TestFailure("the server did not finish: \(server.standing()) of \(client.sent)")
    }
  }

  /// After this many values of the bystander without output, the conversation is over; a line of an
  /// expensive client may wait for some turns.
  private static let quiet = 30

  private func hearUntilQuiet(_ client: TestClient, _ outcome: inout Outcome) throws {
    var quietRounds = 0
    for _ in 0..<5000 where quietRounds < Self.quiet && outcome.bytes.count < Self.longest {
      let hasArrived = client.hasArrived
      try checkBystander()
      let bytes = client.bytesSoFar()
      outcome.bytes += bytes
      quietRounds = bytes.isEmpty && hasArrived ? quietRounds + 1 : 0
    }
  }

  /// Sends a value to the bystander, and expects it to arrive.
  func checkBystander() throws {
    try bystander.say("SEND calm-7f3a \(next)")
    let lines = try bystander.lines(2)
    guard lines == ["= 1 \(next)", "OK send calm-7f3a to=1 missed=0"] else {
      throw TestFailure("the bystander got \(lines)")
    }
    next += 1
  }

  /// Waits until the server has no other clients and streams, and deletes the names that they left.
  func waitUntilAlone() throws {
    var (clients, streams) = (0, 0)
    try Patience.wait(for: "one client and stream, not \(clients) and \(streams)") {
      clients = try rows("LIST clients").count
      streams = try rows("LIST streams").count
      // Last, since unread input of the others may still define names.
      try deleteNames()
      return clients == 1 && streams == 1
    }
  }

  /// Deletes all names of other clients, which also ends a FEED that waits for room.
  private func deleteNames() throws {
    for row in try rows("LIST")
    where !row.hasPrefix("* subject calm-7f3a ") && !row.hasPrefix("* service ") {
      let words = row.split(separator: " ")
      guard words.count > 2 else { throw TestFailure("unexpected row: \(row)") }
      let answer = try bystander.ask("DELETE \(words[2])")
      // Pending input of the others may have deleted it first.
      guard answer.hasPrefix("OK delete") || answer.hasPrefix("ERR unknown-name") else {
        throw TestFailure("\(row) is not deleted: \(answer)")
      }
    }
  }

  private func rows(_ command: String) throws -> [String] {
    try bystander.say(command)
    return try bystander.rest { $0.hasPrefix("OK list ") }.dropLast()
  }
}

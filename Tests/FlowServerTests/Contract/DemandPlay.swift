import FlowTestSupport
import Testing

/// Plays a client that requests, cancels and reopens streams at random, and a sender.
///
/// Compares each value with the demand, and the sums of missed values with those sent.
struct DemandPlay {
  private struct Reader {
    var expression: String
    var asked = 0
    var values = 0
    var dropped = 0
    /// The number of values sent to the subject since the stream was opened.
    var sent = 0
    var isOpen = true
  }

  private var random: SeededGenerator
  private let client: TestClient
  private let sender: TestClient
  private var readers: [Int: Reader] = [:]
  private var next = 1

  init(seed: UInt64, server client: TestClient, sender: TestClient) {
    random = SeededGenerator(state: seed)
    self.client = client
    self.sender = sender
  }

  mutating func open(_ expressions: String...) throws {
    for expression in expressions {
      guard try client.ask("SUB \(expression) as=\(next)").hasPrefix("OK sub") else {
        throw TestFailure("not opened: \(expression)")
      }
      readers[next] = Reader(expression: expression)
      next += 1
    }
  }

  /// Plays a random command, and checks the output.
  mutating func step() throws {
    let ids = readers.keys.filter { readers[$0]?.isOpen == true }.sorted()
    switch random.number(below: 8) {
    case 0...2:
      guard let id = ids.randomElement(using: &random) else { break }
      let count = random.number(below: 5) + 1
      readers[id]?.asked += count
      try client.say("REQ \(id) \(count)")
    case 3:
      guard let id = ids.randomElement(using: &random), let reader = readers[id] else { break }
      try take(client.linesSoFar())
      guard readers[id]?.isOpen == true else { break }
      try cancel(id)
      try open(reader.expression)
    default:
      let name = ["a", "b"][random.number(below: 2)]
      let count = random.number(below: 6) + 1
      for _ in 0..<count {
        _ = try sender.ask("SEND \(name) \(random.number(below: 100))")
      }
      for id in ids where readers[id]?.expression == name { readers[id]?.sent += count }
    }
    try take(client.linesSoFar())
  }

  private mutating func cancel(_ id: Int) throws {
    let answer = try client.ask("CANCEL \(id)")
    let numbers = answer.split { !$0.isNumber }.compactMap { Int($0) }
    guard let reader = readers[id], numbers.count >= 4, numbers[0] == id else {
      throw TestFailure(answer)
    }
    #expect(numbers[1] == reader.values)
    // The counts of all reasons, if there are other ones than `no-demand`.
    #expect(numbers.count == 4 || numbers[4...].reduce(0, +) == numbers[2], "\(answer)")
    if reader.expression == "a" {
      // On a plain subject the sum is exact.
      #expect(reader.sent == numbers[1] + numbers[2] + numbers[3] + reader.dropped, "\(answer)")
    }
    readers[id]?.isOpen = false
  }

  private mutating func take(_ lines: [String]) throws {
    for line in lines {
      let words = line.split(separator: " ")
      guard words.count > 1, let id = Int(words[1]), let reader = readers[id] else {
        throw TestFailure("what is '\(line)'?")
      }
      #expect(reader.isOpen, "\(line) after the end")
      switch words[0] {
      case "=":
        readers[id]?.values += 1
        #expect(reader.values < reader.asked, "\(reader.expression): \(line)")
      case "DROP": readers[id]?.dropped += Int(words[2]) ?? 0
      case "DONE", "FAIL": readers[id]?.isOpen = false
      default: throw TestFailure("what is '\(line)'?")
      }
    }
  }
}

extension SeededGenerator {
  mutating func number(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}

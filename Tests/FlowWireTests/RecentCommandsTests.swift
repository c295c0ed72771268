import Testing

@testable import FlowWire

@Suite("Recent commands")
struct RecentCommandsTests {
  private static let lines = [
    "HELLO 1", "HELLO 1 name=a", "hello 1", "SUBJECT orders flow=slowest", "SUB orders 10",
    "SUB orders 11",
    "SUB orders 10 ", "@t SUB orders 10", "TAKE orders 2", "PUB orders", "PUB orders as=3",
    "SERVE resize 4",
    "QUIT", "REQ 1 10", "DONE 1", "SEND orders 1", "SEND orders 2", "PING", "PING x", "AUTH secret",
    "LIST",
    "SUB orders.filter { $0.price > 10 && $0.price < 20 && $0.customer != \"nobody\" && $0.paid == true } 5",
    "NONSENSE", "SUB", "REQ 1", "", "TAKE a 0",
  ]

  private func outcome(_ read: () throws(CommandError) -> TaggedCommand) -> String {
    do throws(CommandError) { return "\(try read())" } catch { return "\(error)" }
  }

  @Test("are what the lines mean, however often and in whichever order they come")
  func same() {
    var recent = RecentCommands()
    var place = 0
    for step in [1, 0, 2, 5, 1, 7, 11, 0, 3] {
      for _ in Self.lines {
        let line = Array(Self.lines[place].utf8)
        place = (place + step) % Self.lines.count
        line.withUnsafeBytes { bytes in
          let expected = outcome { () throws(CommandError) in try TaggedCommand(bytes) }
          #expect(outcome { () throws(CommandError) in try recent.read(bytes) } == expected)
        }
      }
      place = (place + 1) % Self.lines.count
    }
  }

  @Test("a verb knows its place among all")
  func places() {
    #expect(Verb.allCases.map(\.place) == Array(Verb.allCases.indices))
  }
}

import FlowCore
import Testing

@testable import flowclient

@Suite("demand of sub")
struct DemandTests {
  private func receive(_ count: Int, _ plan: inout DemandPlan) {
    for _ in 0..<count { plan.receive() }
  }

  @Test("a window is asked for at once and refilled at half")
  func window() {
    var plan = DemandPlan(window: .upTo(10), limit: nil)
    #expect(plan.next() == .max(10))
    receive(4, &plan)
    #expect(plan.next() == .none)
    receive(1, &plan)
    #expect(plan.next() == .max(5))
    receive(10, &plan)
    #expect(plan.next() == .max(10))
  }

  @Test("a window of one asks for one after each")
  func one() {
    var plan = DemandPlan(window: .upTo(1), limit: nil)
    for _ in 1...3 {
      #expect(plan.next() == .max(1))
      #expect(plan.next() == .none)
      receive(1, &plan)
    }
  }

  @Test("never asks for more than is wanted in all", arguments: [1, 3, 4, 7, 100])
  func limit(_ window: UInt64) {
    var plan = DemandPlan(window: .upTo(window), limit: 7)
    var asked = 0
    while !plan.isComplete {
      let more = plan.next().max ?? .max
      asked += more
      #expect(plan.outstanding > 0)
      receive(1, &plan)
    }
    #expect(asked == 7)
    #expect(plan.next() == .none)
  }

  /// What is asked for in all in ten round trips, in each of which all that was asked for comes.
  private func askedInTenTrips(_ roundTrip: UInt64, limit: UInt64?, most: Int) -> Int {
    var plan = DemandPlan(window: .atLeast(16_384), limit: limit)
    var asked = 0
    for trip in 0..<10 {
      plan.adapt(at: UInt64(trip) * 200_000_000, roundTrip: roundTrip)
      asked += plan.next().max ?? .max
      plan.receive(min(most, plan.outstanding.max ?? 0), bytes: 1000)
    }
    return asked
  }

  @Test("it grows where the server is far away, but never beyond what is wanted in all")
  func distance() {
    #expect(askedInTenTrips(200_000_000, limit: nil, most: .max) > 1_000_000)
    #expect(askedInTenTrips(200_000_000, limit: 50_000, most: .max) == 50_000)
    // Near by, or with a standard output that takes little, it stays as it is.
    #expect(askedInTenTrips(100_000, limit: nil, most: .max) == 10 * 16_384)
    #expect(askedInTenTrips(200_000_000, limit: nil, most: 5000) <= 10 * 5000 + 16_384)
  }

  @Test("max is said once, and is the number where there is one")
  func unlimited() {
    var plan = DemandPlan(window: .unlimited, limit: nil)
    #expect(plan.next() == .unlimited)
    receive(1000, &plan)
    #expect(plan.next() == .none)
    #expect(!plan.isComplete)
    var counted = DemandPlan(window: .unlimited, limit: 5)
    #expect(counted.next() == .max(5))
    #expect(counted.next() == .none)
  }

  @Test("by hand nothing is asked for but what is added")
  func byHand() {
    var plan = DemandPlan(window: .byHand, limit: nil)
    #expect(plan.next() == .none)
    #expect(plan.add(3) == .max(3))
    receive(2, &plan)
    #expect(plan.outstanding == 1)
    #expect(StatusLine.text(plan).hasPrefix("asked 3, received 2, 1 to come"))
    plan.endAtAsked()
    #expect(!plan.isComplete)
    receive(1, &plan)
    #expect(plan.isComplete)
    #expect(plan.add(nil) == .unlimited)
    #expect(StatusLine.text(plan).hasPrefix("asked all, received 3 "))
  }
}

@Suite("keys of sub --manual")
struct KeyTests {
  private func press(_ text: String) -> [Keys.Wish] {
    var keys = Keys()
    return text.utf8.compactMap { keys.press($0) } + keys.end()
  }

  @Test(
    "each key has its meaning",
    arguments: [
      ("  ", [Keys.Wish.ask(1), .ask(1)]), ("12\n", [.ask(12)]), ("3\n4\n", [.ask(3), .ask(4)]),
      ("a", [.ask(nil)]), ("q", [.quit]), ("\u{4}", [.quit]), ("\n", []), ("0\n", []),
      ("12\u{7f}\n", [.ask(1)]), ("1\u{7f}\u{7f}2\r", [.ask(2)]), ("x", [.unknown(0x78)]),
      ("99999999999999999999999\n", [.ask(.max)]), ("7", [.ask(7)]),
    ]
  )
  func keys(_ text: String, _ wishes: [Keys.Wish]) {
    #expect(press(text) == wishes + [.askNoMore])
  }
}

import FlowCore
import FlowRemote
import FlowTestSupport
import Testing

@Suite("what is asked for of a durable subscription")
struct DurableDemandTests {
  /// A server as protocol.md has it: a request acknowledges the oldest values that it has sent.
  private struct PlayedServer {
    var demand = 0
    var sent = 0
    var acknowledged = 0

    mutating func request(_ count: Int) {
      acknowledged = min(sent, acknowledged + count)
      demand += count
    }

    mutating func send() -> Bool {
      guard demand > 0 else { return false }
      demand -= 1
      sent += 1
      return true
    }
  }

  @Test(
    "only what was taken is ever acknowledged, and no more is there than the window",
    arguments: RandomCases.seeds(40)
  )
  func random(_ seed: UInt64) {
    var random = SeededGenerator(state: seed)
    let window = Int.random(in: 1...20, using: &random)
    var durable = DurableDemand(window: window)
    var wanted = Subscribers.Demand.max(Int.random(in: 0...30, using: &random))
    if seed.isMultiple(of: 3) { wanted = .unlimited }
    var server = PlayedServer()
    let first = durable.open(wanted)
    wanted = wanted == .unlimited ? wanted : wanted - first
    server.demand = first.max ?? .max
    var taken = 0
    for _ in 0..<2000 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: _ = server.send()
      case 1 where taken < server.sent:
        taken += 1
        durable.take()
      case 2: wanted += .max(Int.random(in: 0...3, using: &random))
      default:
        let more = durable.more(wanted)
        wanted = wanted == .unlimited ? wanted : wanted - more
        server.request(more.max ?? .max)
      }
      #expect(server.acknowledged <= taken)
      #expect(server.sent - server.acknowledged + server.demand <= window)
    }
    // Nothing stands still: all that is sent is taken, and more is asked for.
    while server.send() {}
    while taken < server.sent {
      taken += 1
      durable.take()
    }
    #expect(durable.more(.max(1)) == .max(1))
    server.request((durable.acknowledge().max ?? 0) + 1)
    #expect(server.acknowledged == taken)
  }

  @Test("what is opened anew begins with the window, and owes nothing from before")
  func again() {
    var durable = DurableDemand(window: 4)
    #expect(durable.open(.max(3)) == .max(3))
    durable.take()
    #expect(durable.open(.unlimited) == .max(4))
    #expect(durable.more(.unlimited) == .none)
    #expect(durable.acknowledge() == .none)
  }
}

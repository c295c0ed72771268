import FlowWire
import Testing

@Suite("Demand")
struct DemandTests {
  private static let most: UInt64 = 9_223_372_036_854_775_807

  @Test(
    "sums saturate at unlimited",
    arguments: [
      (Demand.max(1), Demand.max(2), Demand.max(3)),
      (.none, .none, .none),
      (.max(most), .max(1), .unlimited),
      (.max(most), .max(most), .unlimited),
      (.max(most), .none, .max(most)),
      (.unlimited, .max(1), .unlimited),
      (.max(1), .unlimited, .unlimited),
      (.unlimited, .unlimited, .unlimited),
    ]
  )
  func sums(_ first: Demand, _ second: Demand, _ sum: Demand) {
    #expect(first + second == sum)
    var total = first
    total += second
    #expect(total == sum)
  }

  @Test("what was sent is no longer demanded, and unlimited stays so")
  func sent() {
    var demand = Demand.max(3)
    demand -= 2
    #expect(demand == .max(1))
    demand -= 1
    #expect(demand == .none)
    demand = .unlimited
    demand -= 1
    #expect(demand == .unlimited)
  }

  @Test("past 2^63-1 it is unlimited")
  func saturation() {
    #expect(Demand.max(Self.most).max == Self.most)
    #expect(Demand.max(Self.most + 1) == .unlimited)
    #expect(Demand.max(.max) == .unlimited)
    #expect(Demand.unlimited.max == nil)
  }

  @Test("is ordered and spelled as on the wire")
  func orderAndText() {
    #expect(Demand.none < .max(1) && Demand.max(1) < .max(2) && Demand.max(Self.most) < .unlimited)
    #expect("\(Demand.max(12)) \(Demand.none) \(Demand.unlimited)" == "12 0 max")
  }
}

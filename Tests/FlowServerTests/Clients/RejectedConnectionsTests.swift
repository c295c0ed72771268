import Testing

@testable import FlowServer

@Suite("Connections without a descriptor")
struct RejectedConnectionsTests {
  @Test("are told of once a second at most, all of them")
  func log() {
    var turnedAway = RejectedConnections()
    let advice = "rejected: no file descriptors are left; raise the limit (ulimit -n)"
    #expect(turnedAway.add(at: 5) == "1 connection was \(advice)")
    #expect(turnedAway.add(at: 6) == nil)
    #expect(turnedAway.add(at: 1_000_000_004) == nil)
    #expect(turnedAway.add(at: 1_000_000_005) == "3 connections were \(advice)")
    #expect(turnedAway.add(at: 1_000_000_006) == nil)
    #expect(turnedAway.add(at: 9_000_000_000) == "2 connections were \(advice)")
  }
}

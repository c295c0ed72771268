import FlowTestSupport
import Testing

@testable import FlowServer

@Suite("StreamTable")
struct StreamTableTests {
  @Test("is a dictionary in the order of its keys", arguments: RandomCases.seeds(20))
  func dictionary(seed: UInt64) {
    var random = SeededGenerator(state: seed)
    var table = StreamTable<String>()
    var expected: [UInt64: String] = [:]
    for step in 0..<500 {
      let id = UInt64(random.number(below: 40))
      let element = random.number(below: 3) == 0 ? nil : "\(step)"
      table[id] = element
      expected[id] = element
      #expect(table.count == expected.count)
      #expect(table.isEmpty == expected.isEmpty)
      #expect(table.ids == expected.keys.sorted())
      #expect(table.values == expected.sorted { $0.key < $1.key }.map(\.value))
    }
    for id in 0..<41 as Range<UInt64> { #expect(table[id] == expected[id]) }
  }
}

import Testing

@testable import FlowCore

@Suite("Fifo and RecentTable")
struct FifoTests {
  @Test("a Fifo behaves like an array", arguments: [1, 3, 64, 65, 1000])
  func isAnArray(_ most: Int) {
    var fifo = Fifo<Int>()
    var array: [Int] = []
    var next = 0
    for wave in 1...20 {
      for _ in 0..<(most * wave % 7 + most) {
        fifo.append(next)
        array.append(next)
        next += 1
      }
      for _ in 0..<(most * (wave % 3)) where !array.isEmpty {
        #expect(fifo.popFirst() == array.removeFirst())
      }
      if wave % 5 == 0 {
        fifo.removeAll { $0.isMultiple(of: 3) }
        array.removeAll { $0.isMultiple(of: 3) }
      }
      #expect(Array(fifo.elements) == array)
      #expect(fifo.first == array.first && fifo.count == array.count)
      #expect(array.indices.allSatisfy { fifo[$0] == array[$0] })
    }
    while let value = fifo.popFirst() { #expect(value == array.removeFirst()) }
    #expect(array.isEmpty && fifo.isEmpty && fifo.first == nil)
  }

  @Test("the ring shrinks with its contents")
  func shrinks() {
    var fifo = Fifo<Int>()
    for value in 0..<10_000 { fifo.append(value) }
    #expect(fifo.ring?.places.length == 16_384)
    for _ in 0..<9_900 { _ = fifo.popFirst() }
    #expect(fifo.ring.map { $0.places.length <= 1024 } == true)
    #expect(Array(fifo.elements) == Array(9_900..<10_000))
  }

  @Test("RecentTable does not find a removed element that was used last")
  func forgets() {
    var table = RecentTable<Int, String>()
    table[2] = "b"
    table[1] = "a"
    #expect(table[2] == "b")
    #expect(table.values == ["a", "b"])
    #expect(table.removeValue(forKey: 2) == "b")
    #expect(table[2] == nil)
    table[1] = "c"
    #expect(table[1] == "c")
    table[1] = nil
    #expect(table[1] == nil && table.values.isEmpty)
  }
}

import FlowWire
import Testing

@Suite("times and sizes")
struct QuantityTests {
  @Test(
    "a size is read in each of its spellings",
    arguments: [
      ("5000", 5000), ("64KiB", 65_536), ("64k", 65_536), ("64K", 65_536), ("1MiB", 1 << 20),
      ("1m", 1 << 20), ("2G", 2 << 30), ("99999999999999G", .max), ("64kb", nil), ("k", nil),
      ("-1k", nil), ("", nil),
    ] as [(String, Int64?)]
  )
  func sizes(text: String, bytes: Int64?) {
    #expect(Quantity.size(text[...]) == bytes)
  }
}

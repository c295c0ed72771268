import FlowWire
import Testing

@testable import flowclient

@Suite("Demand by keys")
struct DemandKeysTests {
  @Test(
    "is a sign, with a number and a stream before it",
    arguments: [
      ("", "+", nil, 1), ("5", "+", nil, 5), ("", "*", nil, nil), ("2:5", "+", 2, 5),
      ("2:", "+", 2, 1), ("2:", "*", 2, nil),
      ("18446744073709551615", "+", nil, UInt64.max),
    ] as [(String, Unicode.Scalar, UInt64?, UInt64?)]
  )
  func asks(_ typed: String, _ sign: Unicode.Scalar, _ stream: UInt64?, _ count: UInt64?) throws {
    let keys = try #require(DemandKeys(typed, sign))
    #expect(keys.stream == stream.map { StreamID(rawValue: $0) })
    #expect(keys.count == count)
  }

  @Test(
    "is nothing else",
    arguments: [
      ("S", "+"), ("5", "-"), ("0", "+"), ("5", "*"), (":5", "+"), ("0:5", "+"), ("1:2:3", "+"),
      ("18446744073709551616", "+"), ("99999999999999999:1", "+"), ("５", "+"), (" ", "+"),
    ] as [(String, Unicode.Scalar)]
  )
  func others(_ typed: String, _ sign: Unicode.Scalar) {
    #expect(DemandKeys(typed, sign) == nil)
  }
}

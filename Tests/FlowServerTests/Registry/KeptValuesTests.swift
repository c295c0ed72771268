import FlowLanguage
import Testing

@testable import FlowServer

@Suite("KeptValues")
struct KeptValuesTests {
  @Test("keeps the last values under their numbers")
  func keepsLast() {
    var kept = KeptValues(limit: 3)
    #expect(kept.start == 0)
    #expect(kept.end == 0)
    for number in 0..<8 {
      kept.append(value("\(number)"))
      #expect(kept.end == UInt64(number) + 1)
      for kept in (kept.start..<kept.end).map({ ($0, kept[$0]) }) {
        #expect(text(kept.1) == "\(kept.0)")
      }
    }
    #expect(kept.start == 5)
  }

  private func value(_ text: String) -> Value {
    Array(text.utf8).withUnsafeBytes { Value(octets: $0) }
  }

  private func text(_ value: Value) -> String {
    value.withOctets { String(decoding: $0, as: UTF8.self) }
  }
}

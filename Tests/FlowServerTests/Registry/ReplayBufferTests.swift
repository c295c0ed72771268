import FlowLanguage
import FlowSubjects
import Testing

@testable import FlowServer

@Suite("ReplayBuffer")
struct ReplayBufferTests {
  @Test("keeps the last values under their numbers")
  func keepsLast() {
    var kept = ReplayBuffer(limit: 3)
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

  @Test("forgets the oldest when it is told to, and keeps as many as before again")
  func forgets() {
    var kept = ReplayBuffer(limit: 4)
    var next = 0
    for drops in [0, 1, 0, 2, 1, 0, 0, 3, 0, 1, 4, 0, 0, 0, 0, 0] {
      kept.append(value("\(next)"))
      next += 1
      for _ in 0..<min(drops, kept.count) { kept.dropFirst() }
      #expect(kept.end == UInt64(next))
      #expect(kept.count <= 4)
      for number in kept.start..<kept.end { #expect(text(kept[number]) == "\(number)") }
      #expect((kept.bytes > 0) == (kept.count > 0))
    }
    #expect(kept.count == 4)
  }

  private func value(_ text: String) -> Value {
    Array(text.utf8).withUnsafeBytes { Value(bytes: $0) }
  }

  private func text(_ value: Value) -> String {
    value.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}

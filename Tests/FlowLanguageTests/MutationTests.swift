import FlowLanguage
import Testing

@Suite("No text crashes")
struct MutationTests {
  /// The same numbers on every run.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test("a thousand spoilt texts are refused or run")
  func mutations() {
    var dice = Dice(state: 17)
    let seeds = OperatorTable.all.map(\.example)
    let scraps =
      Array("(){}[].,:\"\\$0 1-+*/%!?<>=&|é\n") + ["let", "if", "in", "...", "null"].joined()
    var refused = 0
    for round in 0..<1000 {
      var text = Array(seeds[round % seeds.count])
      for _ in 0...Int.random(in: 0..<4, using: &dice) {
        let place = Int.random(in: 0...text.count, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: text.insert(scraps.randomElement(using: &dice) ?? " ", at: place)
        case 1: text.removeSubrange(place..<min(place + 2, text.count))
        default: text.insert(contentsOf: text.prefix(place).suffix(9), at: place)
        }
      }
      refused += isRefused(String(text)) ? 1 : 0
    }
    #expect(refused > 100)
    #expect(refused < 1000)
  }

  /// Whether `text` is refused, in which case the place lies within it; otherwise it runs a while.
  private func isRefused(_ text: String) -> Bool {
    let host = TestHost(subjects: "taps", "orders", "returns")
    do {
      let recorder = try host.run(text)
      for payload in ["1", "{\"price\":3}", "[]", "x", "null"] {
        for name in ["taps", "orders", "returns"] { host.send(payload, to: name) }
      }
      host.wait(until: 2)
      recorder.cancel()
      return false
    } catch {
      #expect(error.offset >= 0 && error.length >= 0)
      #expect(error.offset + error.length <= text.count)
      #expect(!error.message.isEmpty)
      return true
    }
  }
}

import FlowLanguage
import FlowTestSupport
import Testing

@Suite("No text crashes")
struct MutationTests {
  @Test("five thousand spoilt texts are refused or run")
  func mutations() {
    var dice = Dice(state: 17)
    let functions = FunctionTable.all.map { "taps.map { \($0.example) }" }
    let seeds =
      OperatorTable.all.map(\.example) + functions + [
        "taps.map { switch $0 { case 1, -2...3: \"\\($0.a)\" default: let n = $0[0]; [\"n\": n] } }",
        "Publishers.Zip3(taps, orders, returns).map { a, b, c in (x: a, y: (b, c.0)) }",
        "Publishers.MergeMany([taps, orders]).flatMap { Result<Int, E>.Publisher(.success($0)) }",
        "Publishers.Sequence(sequence: [1, 2]).map { let (a, b): Int = ($0, $0.1); User(id: b) }",
      ]
    let scraps =
      Array("(){}[].,:\"\\$0 1-+*/%!?<>=&|é\n")
      + ["let", "if", "in", "...", "null", "case", "switch", "default"].joined()
    var refused = 0
    let count = RandomCases.count(5000)
    for round in 0..<count {
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
    #expect(refused > count / 50)
    #expect(refused < count)
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

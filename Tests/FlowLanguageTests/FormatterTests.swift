import FlowLanguage
import Testing

@Suite("the layout of files")
struct FormatterTests {
  private func format(_ text: String) -> String { FlowFile(text, name: "x").formatted }

  @Test(
    "the canonical layout",
    arguments: [
      ("", ""), ("\n\n\n", ""), ("subject   a\n\n\n\nSUBJECT b", "SUBJECT a\n\nSUBJECT b\n"),
      ("  pipeline a=b . map {$0}", "PIPELINE a = b . map {$0}\n"),
      ("Run  r =a .assign( to:  b )   # end ", "RUN r = a .assign( to: b )  # end\n"),
      ("SUBJECT a   current \"x  y\"  flow=free", "SUBJECT a current \"x  y\" flow=free\n"),
      ("  # one\n#two\t", "# one\n#two\n"), ("SET  a   5s # x", "set a 5s  # x\n"),
      ("Include   x.flow", "include x.flow\n"),
      (
        "pipeline a = b\n# only\n     .filter { x in # big\n x > 1\n}\n\n.map { $0 }",
        "PIPELINE a = b\n  # only\n  .filter { x in  # big\n    x > 1\n  }\n  .map { $0 }\n"
      ),
      (
        "PIPELINE a = b.flatMap {\nJust($0)\n.delay(for: 1)\n}\n.map { [\n1,\n2\n] }",
        "PIPELINE a = b.flatMap {\n  Just($0)\n    .delay(for: 1)\n}\n  .map { [\n    1,\n    2\n  ] }\n"
      ),
      (
        "test   \"a  b\"   tick 1s # t\n a 1\n# c\n\n longer <- u-1 # d\n longer ! 3\n longer 12",
        "test \"a  b\" tick 1s  # t\n    a         1\n    # c\n\n    longer ⇠  u-1 # d\n"
          + "    longer ⇣  3\n    longer    12\n"
      ),
      (
        "PIPELINE slow = taps.buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest).flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }",
        "PIPELINE slow = taps\n  .buffer(size: 20, prefetch: .keepFull, whenFull: .dropOldest)\n"
          + "  .flatMap(maxPublishers: .max(3)) { Just($0).delay(for: 3) }\n"
      ),
    ]
  )
  func layout(_ text: String, _ expected: String) {
    #expect(format(text) == expected)
    #expect(format(expected) == expected)
  }

  /// The same numbers on every run.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test("spoilt files keep their meaning and their comments, and a second time nothing changes")
  func keepsMeaning() {
    let seed = """
      # a shop
      SUBJECT orders current "a # b"  # see
      pipeline dear = orders
        .filter { order in   # only these
          order.price > 100 && order.name != "x\\("y")  }"
        }

        # and
        .map { $0.price }
      set stall 5s
      test "t" tick 1s
        orders 1'a b'2
        # more
        dear <- u # all
      RUN totals = dear.scan(0) { $0 + $1 }.assign(to: orders)
      """
    var dice = Dice(state: 5)
    var formatted = 0
    for _ in 0..<1000 {
      var text = Array(seed)
      for _ in 0...Int.random(in: 0..<4, using: &dice) {
        let place = Int.random(in: 0..<text.count, using: &dice)
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: text.insert("(){}[]\"#\n .'".randomElement(using: &dice) ?? " ", at: place)
        case 1: text.remove(at: place)
        default: text.insert(contentsOf: text.prefix(place).suffix(9), at: place)
        }
      }
      let before = FlowFile(String(text), name: "x")
      guard before.findings.isEmpty else { continue }
      formatted += 1
      let after = FlowFile(before.formatted, name: "x")
      #expect(after.formatted == before.formatted, "\(String(text))")
      #expect(after.statements.map(meaning) == before.statements.map(meaning), "\(String(text))")
      #expect(after.comments.map(\.text) == before.comments.map(\.text), "\(String(text))")
      #expect(marks(before.formatted) == marks(String(text)), "\(String(text))")
    }
    #expect(formatted > 300)
  }

  /// A statement without what the layout may change.
  private func meaning(_ statement: FlowFile.Statement) -> String {
    switch statement.kind {
    case .command:
      let text = statement.line.text.filter { !$0.isWhitespace }
      return text.prefix(8).uppercased() + text.dropFirst(8)
    case .set(let key, let value): return "set \(key) \(value)"
    case .include(let path): return "include \(path)"
    case .test(let test):
      return
        "test \(test.name) \(test.tick) \(test.rows.map { "\($0.name) \($0.kind) \($0.ticks)" })"
    }
  }

  /// How many characters of each sort there are that no layout may add or leave out.
  private func marks(_ text: String) -> [Character: Int] {
    text.reduce(into: [:]) { counts, character in
      if "#(){}[]\"'".contains(character) { counts[character, default: 0] += 1 }
    }
  }
}

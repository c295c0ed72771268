/// Writes random expressions, with blanks and parentheses here and there.
struct ExpressionWriter {
  private var dice: Dice

  init(seed: UInt64) { dice = Dice(state: seed) }

  private mutating func one(of texts: [String]) -> String {
    texts.randomElement(using: &dice) ?? ""
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &dice)
  }

  private mutating func isLucky(_ chances: Int) -> Bool { number(1...chances) == 1 }

  private mutating func list(_ range: ClosedRange<Int>, _ body: (inout Self) -> String) -> String {
    (0..<number(range)).map { _ in body(&self) }.joined(separator: one(of: [", ", ","]))
  }

  /// Any expression, at most so deep.
  mutating func expression(depth: Int) -> String {
    guard depth > 0 else { return leaf() }
    let inner = depth - 1
    switch number(0...17) {
    case 0, 1, 2:
      let sign = one(of: ["+", "-", "*", "/", "%", "==", "<", ">=", "&&", "||", "??", "...", "..<"])
      return operand(inner) + " \(sign) " + operand(inner)
    case 3: return one(of: ["-", "!", "- "]) + operand(inner)
    case 4:
      return operand(inner) + " ? " + expression(depth: inner) + " : " + expression(depth: inner)
    case 5: return postfix(inner) + one(of: [".price", ".a.b", " .count", "\n  .x", ".1.0"])
    case 6: return postfix(inner) + "[" + expression(depth: inner) + "]"
    case 7: return "[" + list(0...3) { $0.expression(depth: inner) } + "]"
    case 8:
      return "[" + list(1...3) { $0.operand(inner) + ": " + $0.expression(depth: inner) } + "]"
    case 9: return call(inner)
    case 10: return "if \(condition(inner)) {\(block(inner))} else {\(block(inner))}"
    case 11: return "if \(condition(inner)) {\(block(inner))} else if a {\(block(inner))} else {b}"
    case 12: return selection(inner)
    case 13: return string(inner)
    case 14: return postfix(inner) + one(of: [".map ", ".first(where: x)", "(1)"]) + closure(inner)
    case 15: return "(" + list(2...3) { $0.expression(depth: inner) } + ")"
    case 16: return "(a: " + expression(depth: inner) + ", b: " + operand(inner) + ")"
    default: return "(" + expression(depth: inner) + ")"
    }
  }

  private mutating func leaf() -> String {
    one(of: [
      "0", "42", "1.5", "2.50e3", "true", "false", "null", "$0", "$1", "order", "\"\"", "\"é\\n\"",
      "\"\\u{301}x\\\"\"", "[:]", "[]", "(\\.a.b)", ".keepFull", "taps", "1_000",
      "\"a\r\n\u{1F600}\"",
    ])
  }

  /// What may stand beside a sign: in parentheses if it may be a choice.
  private mutating func operand(_ depth: Int) -> String {
    isLucky(3) ? leaf() : "(" + expression(depth: depth) + ")"
  }

  private mutating func postfix(_ depth: Int) -> String {
    isLucky(2)
      ? one(of: ["$0", "order", "\"text\"", "[1, 2]", "f(x)", "f(/a\\/[)]/)"]) : operand(depth)
  }

  /// What an `if` or `switch` looks at: without a closure at its end.
  private mutating func condition(_ depth: Int) -> String {
    one(of: ["a", "$0.b > 1", "xs.contains({ $0 })", "f(1)[g { 2 }]", "!c"])
      + (isLucky(2) ? " && (\(expression(depth: depth)))" : "")
  }

  private mutating func block(_ depth: Int) -> String {
    let lets = (0..<number(0...2)).map { _ in
      "let \(one(of: ["n", "m", "n: Int", "(n, m)"])) = \(expression(depth: depth - 1));"
    }
    return " " + lets.joined(separator: " ") + " " + one(of: ["", "return "])
      + expression(depth: depth) + " "
  }

  private mutating func closure(_ depth: Int) -> String {
    "{" + one(of: [" ", " a in", " a, b in", "\n"]) + block(depth) + "}"
  }

  private mutating func call(_ depth: Int) -> String {
    let name = one(of: ["f", "order.map", ".max", "$0.split"])
    switch number(0...5) {
    case 0: return one(of: ["f", "order.map", "$0.split"]) + " " + closure(depth)
    case 4: return name + " " + closure(depth) + " by: " + closure(depth)
    case 5:
      let join = one(of: ["Zip", "Merge3", "MergeMany", "CombineLatest"])
      let count = join.last?.wholeNumberValue ?? 2
      return "Publishers.\(join)(" + list(count...count) { $0.expression(depth: depth) } + ")"
    case 1: return name + "(" + list(0...2) { $0.expression(depth: depth) } + ")"
    case 2: return name + "(size: " + expression(depth: depth) + ", 2) " + closure(depth)
    default: return name + "(" + closure(depth) + ", by: " + closure(depth) + ")"
    }
  }

  private mutating func selection(_ depth: Int) -> String {
    var cases = ""
    for number in 0..<number(0...2) {
      let pattern = one(of: [
        "\(number)", "-\(number)...5", "..<\(number)", "\"a\(number)\"...",
        "\(number).5, \"x\(number)\"",
      ])
      cases += " case \(pattern):" + block(depth)
    }
    return "switch \(condition(depth)) {" + cases + " default:" + block(depth) + "}"
  }

  private mutating func string(_ depth: Int) -> String {
    let parts = (0..<number(1...3)).map { _ in
      one(of: ["", "x", "\\\"", ")", "("]) + "\\(" + expression(depth: depth) + ")"
    }
    return "\"" + parts.joined() + one(of: ["", "!"]) + "\""
  }

  /// A text that is not quite `text`.
  mutating func spoil(_ text: String) -> String {
    var characters = Array(text)
    for _ in 0...number(0...2) {
      let place = number(0...characters.count)
      switch number(0...2) {
      case 0:
        characters.insert(
          contentsOf: one(of: ["(", "}", "\"", "\\", " let ", "?", ".", "1"]),
          at: place
        )
      case 1: characters.removeSubrange(place..<min(place + 2, characters.count))
      default: characters.insert(contentsOf: characters.prefix(place).suffix(5), at: place)
      }
    }
    return String(characters)
  }
}

import FlowTestSupport
import Testing

@testable import FlowLanguage

@Suite("Trees are printed in one way")
struct PrinterTests {
  @Test(
    "the text is canonical",
    arguments: [
      ("taps  .map{ $0*2 }", "taps.map { $0 * 2 }"),
      ("taps\n  .filter { ($0.price) > (1+2)*3 }", "taps.filter { $0.price > (1 + 2) * 3 }"),
      ("taps.scan(0){a,b in a+b}", "taps.scan(0) { a, b in a + b }"),
      ("taps.scan(0, { $0 })", "taps.scan(0) { $0 }"),
      ("taps.first(where:{ $0 })", "taps.first(where: { $0 })"),
      (
        "f { if a{1}else if b{2}else{let c=3;c} }",
        "f { if a { 1 } else if b { 2 } else { let c = 3; c } }"
      ),
      ("a ?1:b ? 2:3", "a ? 1 : b ? 2 : 3"), ("(a ? 1 : 2) ?? 3", "(a ? 1 : 2) ?? 3"),
      ("a ?? b ?? c", "a ?? b ?? c"), ("(a ?? b) ?? c", "(a ?? b) ?? c"),
      ("a - (b - c) - d", "a - (b - c) - d"), ("-(-a)", "--a"), ("(-a).b", "(-a).b"),
      ("1 ... 3", "1...3"), ("(1...3).publisher", "(1...3).publisher"),
      ("[1,2,]", "[1, 2]"), ("[ : ]", "[:]"), ("[\"a\":1]", "[\"a\": 1]"),
      (#""a\("b")c\(1)""#, #""abc\(1)""#), (#""\u{301}\u{e9}\/\'""#, #""\u{301}é/'""#),
      ("if xs.contains({ $0 }) { 1 } else { 2 }", "if xs.contains({ $0 }) { 1 } else { 2 }"),
      ("(\\.a).b", "(\\.a).b"), ("map(\\.a.b)", "map(\\.a.b)"), ("1.50", "1.5"),
      (
        "switch a{case 1,-2...3:x case ..<\"b\":y case 5...:z default:w}",
        "switch a { case 1, -2...3: x case ..<\"b\": y case 5...: z default: w }"
      ),
      ("buffer(size:20,prefetch:.keepFull)", "buffer(size: 20, prefetch: .keepFull)"),
      ("f { x -> [Int]? in x }", "f { x in x }"), ("a!", "a ?? fail(\"a is null\")"),
      (
        "f { if let a = b { a } else { 0 } }",
        "f { if b != null { let a = b; a } else { 0 } }"
      ),
    ]
  )
  func canonical(text: String, expected: String) throws {
    let syntax = try Parser.parse(text, isName: { _ in false })
    #expect(SyntaxPrinter.print(syntax) == expected)
    #expect(try Parser.parse(expected, isName: { _ in false }).outline == syntax.outline)
  }

  @Test("random expressions are read, printed and read as the same tree")
  func identity() throws {
    let count = RandomCases.count(10_000)
    var writer = ExpressionWriter(seed: 7)
    var printed: Set<String> = []
    for _ in 0..<count {
      let text = writer.expression(depth: 4)
      let syntax = try Parser.parse(text, isName: { _ in false })
      let canonical = SyntaxPrinter.print(syntax)
      let again = try Parser.parse(canonical, isName: { _ in false })
      #expect(again.outline == syntax.outline, "\(text) was printed as \(canonical)")
      #expect(SyntaxPrinter.print(again) == canonical)
      printed.insert(canonical)
    }
    #expect(printed.count > count * 8 / 10)
  }

  @Test("what is spoilt is refused, or read and printed as the same tree")
  func spoilt() throws {
    let count = RandomCases.count(10_000)
    var writer = ExpressionWriter(seed: 8)
    var refused = 0
    for _ in 0..<count {
      let text = writer.spoil(writer.expression(depth: 3))
      do {
        let syntax = try Parser.parse(text, isName: { _ in false })
        let canonical = SyntaxPrinter.print(syntax)
        let again = try? Parser.parse(canonical, isName: { _ in false })
        #expect(again?.outline == syntax.outline, "\(text) was printed as \(canonical)")
      } catch {
        refused += 1
        #expect(error.offset + error.length <= text.count)
      }
    }
    #expect(refused > count / 10)
    #expect(refused < count * 95 / 100)
  }
}

import FlowTestSupport
import Foundation
import Testing

@testable import FlowFiles
@testable import FlowLanguage

@Suite("the layout of files")
struct FormatterTests {
  private func format(_ text: String) -> String { FlowFile(text, name: "x").formatted }

  @Test(
    "the canonical layout",
    arguments: [
      ("", ""), ("\n\n\n", ""), ("subject   a\n\n\n\nSUBJECT b", "SUBJECT a\n\nSUBJECT b\n"),
      ("  pipeline a=b . map {$0}", "PIPELINE a = b.map { $0 }\n"),
      ("Run  r =a .assign( to:  b )   # end ", "RUN r = a.assign(to: b)  # end\n"),
      ("run r  restart=1s  =a .assign( to:  b )", "RUN r restart=1s = a.assign(to: b)\n"),
      ("run restart=a .assign( to:  b )", "RUN restart = a.assign(to: b)\n"),
      ("SUBJECT a   current \"x  y\"  flow=free", "SUBJECT a current \"x  y\" flow=free\n"),
      (
        "pipeline a=b.filter{$0.contains(/\\( #\"/)}\n.map {$0}",
        "PIPELINE a = b.filter { $0.contains(/\\( #\"/) }\n  .map { $0 }\n"
      ),
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

  @Test(
    "blanks in expressions are those of the canonical text, spellings stay",
    arguments: [
      ("b.map{$0*2+1}", "b.map { $0 * 2 + 1 }"), ("b.map({ $0 })", "b.map { $0 }"),
      ("b.map( { $0 } ) .count( )", "b.map { $0 }.count()"),
      ("b.scan(0,{ $0+$1 })", "b.scan(0) { $0 + $1 }"), ("b.scan( 0 , + )", "b.scan(0, +)"),
      ("b.filter{(a,c)in a>c}", "b.filter { (a, c) in a > c }"),
      ("b.map { (n:Int)->Int in return n+1 }", "b.map { (n: Int) -> Int in return n + 1 }"),
      ("b.map{[1.50,1_000,]}", "b.map { [1.50, 1_000,] }"),
      (#"b.map { "\( $0.a )\u{e9}'" }"#, #"b.map { "\($0.a)\u{e9}'" }"#),
      (#"b.map { "a  \($0.a+1) \( "\( $0.b )" )" }"#, #"b.map { "a  \($0.a + 1) \("\($0.b)")" }"#),
      (#"b.map{"\($0.map({$0*2}))"}"#, #"b.map { "\($0.map { $0 * 2 })" }"#),
      (
        "b.flatMap(maxPublishers:.max(1),{Just($0)})",
        "b.flatMap(maxPublishers: .max(1)) { Just($0) }"
      ),
      (
        "b.map{ $0.reduce(0,{$0+$1}) }.scan(1,{$0})",
        "b.map { $0.reduce(0) { $0 + $1 } }.scan(1) { $0 }"
      ),
      (
        "b.filter{if $0.reduce(0,{$0})>1{$0.reduce(0,{$1})}else{$0}}",
        "b.filter { if $0.reduce(0, { $0 }) > 1 { $0.reduce(0) { $1 } } else { $0 } }"
      ),
      ("b.scan((0,0)){(s,n)in (s.0+n,s.1*2)}", "b.scan((0, 0)) { (s, n) in (s.0 + n, s.1 * 2) }"),
      (
        "b.map{if let c=$0.d,c>=18,c%2==0{c}else{0}}",
        "b.map { if let c = $0.d, c >= 18, c % 2 == 0 { c } else { 0 } }"
      ),
      ("b.map{let (a,c)=($0.0,$0.1);a??c}", "b.map { let (a, c) = ($0.0, $0.1); a ?? c }"),
      ("b.scan(0,*).scan(1,  +)", "b.scan(0, *).scan(1, +)"),
      ("b.first(where:{$0>1})", "b.first(where: { $0 > 1 })"),
      ("b.zip(c,{$0}).zip( d , { $1 } )", "b.zip(c) { $0 }.zip(d) { $1 }"),
      ("b.map{($0+1)*(2)}", "b.map { ($0 + 1) * (2) }"),
      ("b.map { -$0 - -1 }", "b.map { -$0 - -1 }"),
      ("b.filter{$0>(1)&&($0)<5}", "b.filter { $0 > (1) && ($0) < 5 }"),
      ("b.map{if $0>1{1}else{2}}", "b.map { if $0 > 1 { 1 } else { 2 } }"),
      ("b.map{let a=$0;a}", "b.map { let a = $0; a }"),
      ("in-turn.map{in-turn}", "in-turn.map { in-turn }"),
      ("b.map { a in (a-1)*2 }", "b.map { a in (a-1) * 2 }"),
      ("Just<Int>( 1 )", "Just<Int>(1)"), ("b.map{$0!.a??0}", "b.map { $0!.a ?? 0 }"),
      ("b.map(\\.a.b)", "b.map(\\.a.b)"), ("b.map{[ \"a\":1 ]}", "b.map { [\"a\": 1] }"),
      ("b.map{switch $0{case 1,2:3 default:4}}", "b.map { switch $0 { case 1, 2: 3 default: 4 } }"),
      ("b.map { if let c = $0.d { c } else { 0 } }", "b.map { if let c = $0.d { c } else { 0 } }"),
      ("b.wrong(", "b.wrong("), ("b  .wrong  }", "b .wrong }"),
    ]
  )
  func expressions(_ text: String, _ expected: String) {
    #expect(format("pipeline a =\(text)") == "PIPELINE a = \(expected)\n")
    #expect(format("PIPELINE a = \(expected)") == "PIPELINE a = \(expected)\n")
  }

  @Test("a closure whose parentheses stand in other lines does not trail")
  func apart() {
    for text in [
      "PIPELINE a = b.map({\n  $0\n}\n)\n", "PIPELINE a = b.scan(\n  0,\n  { $0 }\n)\n",
      "PIPELINE a = b.map(\n  { $0 })\n",
    ] {
      #expect(format(text) == text)
    }
    #expect(
      format("PIPELINE a = b.scan(0,{\n$0\n})\n.map({ $0\n})")
        == "PIPELINE a = b.scan(0) {\n  $0\n}\n  .map { $0\n  }\n"
    )
  }

  @Test("within several lines, too, and a long line among them is broken")
  func lines() {
    let long = "." + String(repeating: "a", count: 60) + "()"
    #expect(
      format("pipeline x=b\n.map{ order in # c\nlet a=order.price;\n\na*2 }\n  \(long)\(long)")
        == "PIPELINE x = b\n  .map { order in  # c\n    let a = order.price;\n    a * 2 }\n"
        + "  \(long)\n  \(long)\n"
    )
    let source = "PIPELINE x = [1, 2].publisher\(long)\(long)\n"
    #expect(format(source) == "PIPELINE x = [1, 2].publisher\n  \(long)\n  \(long)\n")
  }

  @Test("a closure that is too long has its body on lines of its own")
  func longClosures() {
    let body =
      "if $0.exists { Just($0.zone) } else { ask(create, $0.id).retry(3).catch { Just(null) } }"
    let expected = """
      PIPELINE zone = lookups
        .flatMap { found, other in
          \(body)
        }
        .map { $0 }

      """
    #expect(
      format("PIPELINE zone = lookups.flatMap{ found , other in \(body)}.map{$0}") == expected
    )
    #expect(format(expected) == expected)
    #expect(
      format("pipeline z=Just(1).flatMap(maxPublishers:.max(1)){\(body)} # why")
        == """
        PIPELINE z = Just(1)
          .flatMap(maxPublishers: .max(1)) {
            \(body)
          }  # why

        """
    )
  }

  @Test("what is no expression is never broken, however long")
  func longMistakes() {
    let closure = "{ \(String(repeating: "found.name + ", count: 12))1 }"
    for text in [
      "PIPELINE\(closure) = a", "SUBJECT a \(closure)", "PIPELINE a = b.map \(closure) c.d",
    ] {
      #expect(format(text) == "\(text)\n")
    }
  }

  @Test("closures that stand in for workers are laid out, too")
  func services() {
    #expect(
      format("test \"x\"\n serve   it {Just($0+1)}#no\n  it 1\n serve b { x( } # c")
        == "test \"x\"\n    serve it  {Just($0+1)}#no\n    it        1\n    serve b   { x( } # c\n"
    )
    #expect(
      format("test \"x\"\n serve it {Just(1)} # c")
        == "test \"x\"\n    serve it  { Just(1) }  # c\n"
    )
  }

  @Test("random expressions keep their tree, and a second time nothing changes")
  func randomExpressions() throws {
    let count = RandomCases.count(400)
    var writer = ExpressionWriter(seed: 9)
    var changed = 0
    for _ in 0..<count {
      // No string goes on in the next line of a file, as one of the writer does.
      let text = writer.expression(depth: 4).replacing("\r\n", with: " ")
      let source = FlowFile("PIPELINE a = \(text)", name: "x")
      guard source.statements.count == 1 else { continue }
      let formatted = source.formatted
      #expect(format(formatted) == formatted, "\(text)")
      #expect(outline(FlowFile(formatted, name: "x")) == outline(source), "\(text)\n\(formatted)")
      if formatted != "PIPELINE a = \(text)\n" { changed += 1 }
    }
    #expect(changed > count / 4)
  }

  private func outline(_ file: FlowFile) -> [String] { file.statements.map(meaning) }

  @Test("the shipped files are as they would be laid out, and so they are when squeezed")
  func shipped() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Examples")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasSuffix(".flow") }
    #expect(names.count >= 3)
    for name in names {
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      #expect(format(text) == text)
      let squeezed = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.hasPrefix("PIPELINE") || line.hasPrefix("  .")
          ? String(line).replacing(" + ", with: "+").replacing(", ", with: ",").replacing(
            " {",
            with: "{"
          )
          : String(line)
      }
      #expect(format(squeezed.joined(separator: "\n")) == text, "\(name)")
    }
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
    let count = RandomCases.count(1000)
    var dice = Dice(state: 5)
    var formatted = 0
    for _ in 0..<count {
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
    #expect(formatted > count * 3 / 10)
  }

  /// A statement without what the layout may change.
  private func meaning(_ statement: FlowFile.Statement) -> String {
    switch statement.kind {
    case .command:
      let parts = statement.line.text.split(separator: "=", maxSplits: 1).map(String.init)
      let head = parts[0].filter { !$0.isWhitespace }.uppercased()
      guard parts.count == 2,
        let syntax = try? Parser.parse(parts[1], isName: { _ in true })
      else { return statement.line.text.filter { !$0.isWhitespace }.uppercased() }
      return head + syntax.outline
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
      if "#{}[]\"'".contains(character) { counts[character, default: 0] += 1 }
    }
  }
}

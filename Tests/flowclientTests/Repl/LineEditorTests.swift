import FlowTestSupport
import Testing

@testable import flowclient

@Suite("A line being typed")
struct LineEditorTests {
  /// A text with `|` where the cursor is.
  private func editor(_ picture: String) -> LineEditor {
    let parts = picture.split(separator: "|", omittingEmptySubsequences: false)
    var editor = LineEditor()
    editor.set(parts.joined(), cursor: parts[0].count)
    return editor
  }

  private func picture(_ editor: LineEditor) -> String {
    String(editor.head) + "|" + String(editor.characters[editor.cursor...])
  }

  private static let presses: [(String, [TerminalKey], String)] = [
    ("a|c", [.character("b")], "ab|c"),
    ("e|", [.character("\u{301}"), .backspace], "|"),
    ("注文|", [.left, .character("x")], "注x|文"),
    ("👨|", [.character("\u{200D}"), .character("👩"), .backspace], "|"),
    ("ab|cd", [.home, .delete], "|bcd"), ("ab|cd", [.end, .backspace], "abc|"),
    ("|", [.backspace, .delete, .left, .right, .control("t")], "|"),
    ("SUB orders|", [.control("w")], "SUB |"), ("SUB orders |", [.control("w")], "SUB |"),
    ("orders.map|", [.deleteWordLeft], "orders.|"), ("|a.b c", [.wordRight], "a|.b c"),
    ("a.bc|", [.wordLeft], "a.|bc"), ("ab| cd ef", [.deleteWordRight], "ab| ef"),
    ("ab|cd", [.control("k")], "ab|"), ("ab|cd", [.control("u")], "|cd"),
    ("ab|cd", [.control("k"), .home, .control("y")], "cd|ab"),
    ("a b c|", [.control("w"), .control("w"), .control("y")], "a b c|"),
    ("a b| c", [.control("w"), .left, .control("w"), .control("y")], "a|  c"),
    ("ab|", [.control("t")], "ba|"), ("a|bc", [.control("t")], "ba|c"),
    ("a|b", [.lineBreak], "a\n|b"), ("a\nb|c", [.home], "a\n|bc"),
    ("a\n|b", [.control("u")], "a|b"),
    ("a|\nb", [.control("k")], "a|b"), ("a|\nb", [.end, .character("x")], "ax|\nb"),
  ]

  @Test("changes as keys are pressed", arguments: presses)
  func press(_ before: String, _ keys: [TerminalKey], _ after: String) {
    var editor = editor(before)
    for key in keys { #expect(editor.press(key) == true) }
    #expect(picture(editor) == after)
  }

  @Test("leaves to others what it does not know")
  func others() {
    var editor = editor("ab|")
    for key: TerminalKey in [
      .enter, .tab, .up, .down, .escape, .control("r"), .control("c"), .alt("x"),
    ] {
      let hasChanged = editor.press(key)
      #expect(!hasChanged)
    }
    #expect(picture(editor) == "ab|")
  }

  @Test("is walked over line by line")
  func lines() {
    var editor = editor("abc\nd\nefg|")
    #expect(editor.moveUp() == true)
    #expect(picture(editor) == "abc\nd|\nefg")
    #expect(editor.moveUp() == true)
    #expect(picture(editor) == "a|bc\nd\nefg")
    #expect(editor.moveUp() == false)
    #expect(editor.moveDown() == true)
    #expect(editor.moveDown() == true)
    #expect(picture(editor) == "abc\nd\ne|fg")
    #expect(editor.moveDown() == false)
  }

  @Test("takes no more than there is room for")
  func bound() {
    var editor = LineEditor()
    #expect(editor.insert(String(repeating: "a", count: LineEditor.longest)) == true)
    #expect(editor.insert("b") == false)
    #expect(editor.press(.backspace) == true)
    #expect(editor.insert("b") == true)
    #expect(editor.characters.count == LineEditor.longest)
  }

  @Test("keeps its cursor inside, whatever is pressed", arguments: 0..<50)
  func random(_ seed: UInt64) {
    var dice = SeededGenerator(state: seed)
    var editor = LineEditor()
    let keys: [TerminalKey] = [
      .character("a"), .character(" "), .character("注"), .character("\u{301}"), .character("😀"),
      .character("\u{200D}"), .character("{"), .lineBreak, .backspace, .delete, .left, .right,
      .home,
      .end, .wordLeft, .wordRight, .control("k"), .control("u"), .control("w"), .control("y"),
      .control("t"), .deleteWordLeft, .deleteWordRight,
    ]
    for _ in 0..<300 {
      _ = editor.press(keys.randomElement(using: &dice) ?? .left)
      if Int.random(in: 0..<10, using: &dice) == 0 { _ = editor.moveUp() }
      if Int.random(in: 0..<10, using: &dice) == 0 { _ = editor.moveDown() }
      #expect(0...editor.characters.count ~= editor.cursor)
    }
    var same = LineEditor()
    same.set(editor.text)
    #expect(same.text == editor.text)
  }
}

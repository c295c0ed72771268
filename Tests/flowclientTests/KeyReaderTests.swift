import Testing

@testable import flowclient

@Suite("The keys of a line")
struct KeyReaderTests {
  private static let typed: [(String, [TerminalKey])] = [
    ("ab", [.character("a"), .character("b")]),
    ("é注😀", [.character("é"), .character("注"), .character("😀")]),
    ("e\u{301}", [.character("e"), .character("\u{301}")]),
    ("\r", [.enter]), ("\n", [.enter]), ("\r\n", [.enter]), ("\r\r", [.enter, .enter]),
    ("\t\u{7f}\u{8}", [.tab, .backspace, .backspace]),
    ("\u{1}\u{5}\u{12}", [.control("a"), .control("e"), .control("r")]),
    ("\u{1b}[A\u{1b}OB\u{1b}[C\u{1b}[D", [.up, .down, .right, .left]),
    ("\u{1b}[H\u{1b}[4~\u{1b}[3~", [.home, .end, .delete]),
    ("\u{1b}[1;5C\u{1b}[1;3D\u{1b}b\u{1b}f", [.wordRight, .wordLeft, .wordLeft, .wordRight]),
    ("\u{1b}d\u{1b}\u{7f}\u{1b}\r", [.deleteWordRight, .deleteWordLeft, .lineBreak]),
    ("\u{1b}\u{1b}[A", [.escape, .up]),
    ("\u{1b}\u{15}x", [.control("u"), .character("x")]),
    ("\u{1b}[38;5;1z\u{1b}[?1uq", [.character("q")]),
    (
      "\u{1b}[200~a\r\nb\rc\n注\u{1b}[A\u{1b}[201~d",
      [.paste("a\nb\nc\n注\u{1b}[A"), .character("d")]
    ),
    ("\u{1b}[200~\u{1b}[201~", [.paste("")]),
    ("\u{9b}x", [.character("x")]),
  ]

  @Test("are the same, wherever what comes is cut", arguments: typed)
  func cuts(_ text: String, _ keys: [TerminalKey]) {
    let bytes = Array(text.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var reader = KeyReader()
        var found = reader.read(bytes[..<first])
        found += reader.read(bytes[first..<second])
        found += reader.read(bytes[second...])
        #expect(found == keys)
      }
    }
  }

  @Test("are read from bytes that are no text")
  func broken() {
    var reader = KeyReader()
    #expect(reader.read([0xFF, 0x61]) == [.character("\u{FFFD}"), .character("a")])
    #expect(reader.read([0xE6, 0xB3, 0x61]) == [.character("\u{FFFD}"), .character("a")])
    #expect(reader.read([0xE6, 0xB3, 0x0D]) == [.character("\u{FFFD}"), .enter])
  }

  @Test("include an escape behind which nothing comes")
  func escape() {
    var reader = KeyReader()
    #expect(reader.read([27]) == [])
    #expect(reader.isUndecided)
    #expect(reader.settle() == [.escape])
    #expect(!reader.isUndecided)
    #expect(reader.read([27, UInt8(ascii: "[")]) == [])
    #expect(reader.settle() == [])
    #expect(reader.read("A".utf8) == [.character("A")])
  }

  @Test("include no paste that is too long, and go on behind it")
  func overlong() {
    var reader = KeyReader()
    let text = String(repeating: "a", count: KeyReader.longestPaste + 100)
    #expect(
      reader.read("\u{1b}[200~\(text)\u{1b}[201~x".utf8) == [.overlongPaste, .character("x")]
    )
    #expect(reader.read("\u{1b}[200~b\u{1b}[201~".utf8) == [.paste("b")])
  }
}

import Testing

@testable import flowclient

@Suite("Text as a terminal shows it")
struct DisplayTextTests {
  @Test(
    "takes columns",
    arguments: [
      ("", 0), ("abc", 3), ("naïve", 5), ("e\u{301}", 1), ("注文", 4), ("ｆ", 2), ("한글", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("😀", 2), ("…", 1), ("a✓b", 3), ("\u{1F1E9}\u{1F1EA}", 2),
      ("क्ष", 2), ("　", 2),
    ]
  )
  func width(_ text: String, _ columns: Int) {
    #expect(DisplayText.width(text) == columns)
  }

  @Test(
    "is cut where it does not fit",
    arguments: [
      ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("注文注文", 8, "注文注文"), ("注文注文", 7, "注文注…"),
      ("注文注文", 6, "注文…"), ("e\u{301}e\u{301}e", 2, "e\u{301}…"), ("ab", 1, "…"), ("ab", 0, ""),
    ]
  )
  func cut(_ text: String, _ columns: Int, _ result: String) {
    #expect(DisplayText.cut(text, to: columns) == result)
    #expect(DisplayText.width(result) <= columns)
  }

  @Test("is folded between words, and inside of one that is too long")
  func fold() {
    #expect(DisplayText.fold("one two three", to: 8) == ["one two", "three"])
    #expect(DisplayText.fold("one two three", to: 13) == ["one two three"])
    #expect(DisplayText.fold("one two three", to: 10, indent: 2) == ["one two", "  three"])
    #expect(DisplayText.fold("abcdefghijkl", to: 8) == ["abcdefgh", "ijkl"])
    #expect(DisplayText.fold("", to: 8) == [""])
    let text = (1...60).map { "注\($0)文" }.joined(separator: " ")
    for columns in 12...80 {
      let lines = DisplayText.fold(text, to: columns, indent: 4)
      #expect(lines.allSatisfy { DisplayText.width($0) <= columns })
      let words = lines.flatMap { $0.split(separator: " ") }.joined()
      #expect(words == text.filter { $0 != " " })
    }
  }

  @Test("shows nothing that a terminal obeys")
  func visible() {
    let text = "a\u{1b}[31mb\u{9b}2J\tc\u{202e}d\nöx"
    #expect(DisplayText.visible(text) == "a\\x1B[31mb\\u{9B}2J c\\u{202E}d\\nöx")
    #expect(DisplayText.visible("ö…×", isASCII: true) == "\\u{00F6}~x")
  }

  @Test("stands in columns that fit", arguments: 20...120)
  func table(_ width: Int) {
    let table = TextTable(
      columns: [
        .init(title: "name", least: 6), .init(title: "注文の数", isNumber: true),
        .init(title: "more", least: 4, rank: 1), .init(title: "rest", rank: 2),
      ],
      rows: [
        ["a name that is rather long, and longer", "12", "text text text", "x"],
        ["b", "3", "", "yyyyyyyyyy"],
      ]
    )
    #expect(table.lines(width: width).count == 3)
    #expect(table.lines(width: width).allSatisfy { DisplayText.width($0) <= width })
    let folded = table.foldedLines(width: width)
    #expect(folded.allSatisfy { DisplayText.width($0) <= width })
    #expect(folded.joined().filter { $0 == "," }.count == 1)
  }
}

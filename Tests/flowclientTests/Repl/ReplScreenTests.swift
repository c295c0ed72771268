import FlowTestSupport
import Testing

@testable import flowclient

@Suite("The foot of the terminal")
struct ReplScreenTests {
  private func view(_ text: String, cursor: Int? = nil, hint: String = "") -> ReplView {
    var view = ReplView()
    view.characters = Array(text)
    view.cursor = cursor ?? view.characters.count
    view.hint = hint
    return view
  }

  private func rows(_ view: ReplView, _ columns: Int, _ height: Int = 24) -> [String] {
    view.picture(TerminalSize(columns: columns, rows: height)).rows.map { row in
      row.map(\.glyph).joined()
    }
  }

  @Test("wraps what does not fit, wide characters whole")
  func wraps() {
    #expect(rows(view("abcdefghij"), 12) == ["flow> abcde", "fghij"])
    #expect(rows(view("注文注文"), 12) == ["flow> 注文", "注文"])
    #expect(rows(view("a\nb"), 40) == ["flow> a", "  ... b"])
    let picture = view("注文注文", cursor: 2).picture(TerminalSize(columns: 12, rows: 24))
    #expect(picture.cursorRow == 1 && picture.cursorColumn == 0)
  }

  @Test("shows nothing that a terminal obeys, and no halves of characters")
  func visible() {
    #expect(rows(view("a\u{1b}[2Jb\u{202e}"), 60) == ["flow> a\\x1B[2Jb\\u{202E}"])
    #expect(rows(view("\u{301}"), 60) == ["flow> ◌\u{301}"])
    #expect(rows(view("👨\u{200D}👩"), 60) == ["flow> 👨👩"])
    #expect(rows(view("❤\u{FE0F}x"), 60) == ["flow> ❤x"])
  }

  @Test("has a hint behind the text, cut where the row ends")
  func hints() {
    #expect(rows(view("SUB ", hint: "EXPR [N|max]"), 40) == ["flow> SUB EXPR [N|max]"])
    #expect(rows(view("SUB ", hint: "EXPR [N|max]"), 20) == ["flow> SUB EXPR [N|…"])
    var plain = view("SUB ", hint: "EXPR [N|max]")
    plain.isColored = false
    #expect(rows(plain, 40) == ["flow> SUB ", "  (EXPR [N|max])"])
  }

  @Test("has carets below a mistake, in the row that it is in")
  func carets() {
    let text = "PIPELINE a = orders\n  .debonce(for: 1)\n  .map"
    var view = view(text)
    view.mistake = Diagnosis(Array(text))
    #expect(
      rows(view, 80) == [
        "flow> PIPELINE a = orders", "  ...   .debonce(for: 1)",
        "         ^^^^^^^ there is no operator \"debonce\"; did you mean \"debounce\"?",
        "  ...   .map",
      ]
    )
    for columns in 10...80 {
      for row in view.picture(TerminalSize(columns: columns, rows: 24)).rows {
        #expect(row.width < columns)
      }
    }
  }

  @Test("shows the rows around the cursor of what is longer than the terminal")
  func window() {
    let text = (1...100).map { "line \($0)" }.joined(separator: "\n")
    for cursor in [0, 300, text.count] {
      let picture = view(text, cursor: cursor).picture(TerminalSize(columns: 60, rows: 10))
      #expect(picture.rows.count == 9)
      #expect(0..<9 ~= picture.cursorRow)
    }
  }

  @Test(
    "is on the screen what was to be shown, whatever was there before",
    arguments: [12, 20, 60, 200],
    RandomCases.seeds(20)
  )
  func incremental(_ columns: Int, _ seed: UInt64) {
    var dice = SeededGenerator(state: seed)
    var editor = LineEditor()
    var screen = ReplScreen(seed % 2 == 0 ? .many : .none)
    var terminal = TestScreen(columns: columns)
    var printed: [String] = []
    let texts = ["a", "b ", "注文", "e\u{301}", "😀", "👍🏽", "\t", "\n", "x.y(", "🇩🇪", "\u{1b}", "ö"]
    for turn in 0..<120 {
      switch Int.random(in: 0..<10, using: &dice) {
      case 0: _ = editor.press(.control("u"))
      case 1: _ = editor.press(.backspace)
      case 2: _ = editor.press(.left)
      case 3: _ = editor.press(.home)
      case 4:
        printed.append("= 1 \(turn)")
        terminal.write(screen.erase() + "= 1 \(turn)\n")
      default: editor.insert(texts.randomElement(using: &dice) ?? "")
      }
      var view = view(editor.text, cursor: editor.cursor)
      if turn % 3 == 0 { view.hint = "a hint of 注文 and more" }
      if turn % 7 == 0 { view.below = ["one", "two"] }
      let picture = view.picture(TerminalSize(columns: columns, rows: 40))
      terminal.write(screen.show(picture, columns: columns))
      var fresh = TestScreen(columns: columns)
      for line in printed { fresh.write(line + "\n") }
      var other = ReplScreen(.none)
      fresh.write(other.show(picture, columns: columns))
      let isSame =
        terminal.lines == fresh.lines && terminal.row == fresh.row
        && terminal.column == fresh.column && !terminal.hasWrapped
      #expect(isSame, "in turn \(turn): \(terminal.lines) instead of \(fresh.lines)")
      if !isSame { return }
    }
  }

  @Test("writes little for a key at the end of a line")
  func economy() {
    var screen = ReplScreen(.many)
    let size = TerminalSize(columns: 80, rows: 24)
    _ = screen.show(view("SEND orders {\"id\"").picture(size), columns: 80)
    #expect(screen.show(view("SEND orders {\"id\":").picture(size), columns: 80) == ":")
    #expect(screen.show(view("SEND orders {\"id\":").picture(size), columns: 80) == "")
    let text = screen.show(view("SEND orders {\"id\"").picture(size), columns: 80)
    #expect(text.utf8.count < 16)
  }
}

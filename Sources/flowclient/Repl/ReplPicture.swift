/// The rows at the foot of the terminal, and the cursor in them.
struct ReplPicture: Equatable {
  var rows: [[ReplCell]] = []
  var cursorRow = 0
  var cursorColumn = 0
}

/// One character as it is shown, with its width in columns.
struct ReplCell: Equatable {
  let glyph: String
  let width: Int
  let style: ReplStyle
  /// Whether terminals differ in how many columns they give it.
  let isUncertain: Bool

  init(_ character: Character, _ style: ReplStyle = .plain) {
    self.style = style
    if let ascii = character.asciiValue, 32...126 ~= ascii {
      glyph = String(character)
      width = 1
      isUncertain = false
      return
    }
    let text = Self.shown(character)
    width = DisplayText.width(text)
    glyph = text
    isUncertain =
      text.unicodeScalars.count > 1 && text.unicodeScalars.contains { $0.value > 0x1F000 }
  }

  private static func shown(_ character: Character) -> String {
    let scalars = character.unicodeScalars
    var text = String(character)
    if scalars.count > 1 {
      // What joins emoji or chooses their look: their parts take the same columns everywhere.
      text = ""
      text.unicodeScalars.append(
        contentsOf: scalars.filter { $0 != "\u{200D}" && !("\u{FE00}"..."\u{FE0F}" ~= $0) }
      )
    }
    text = DisplayText.visible(text)
    // A mark without a character that it could stand on.
    return DisplayText.width(text) == 0 ? "◌\(text)" : text
  }
}

extension ReplCell {
  /// The columns that a character takes.
  static func width(of character: Character) -> Int {
    if let ascii = character.asciiValue, 32...126 ~= ascii { return 1 }
    return ReplCell(character).width
  }

  static func cells(_ text: String, _ style: ReplStyle) -> [ReplCell] {
    text.map { ReplCell($0, style) }
  }
}

extension [ReplCell] {
  var width: Int { reduce(0) { $0 + $1.width } }
}

enum ReplStyle: Equatable {
  case plain, prompt, hint, mistake, match
}

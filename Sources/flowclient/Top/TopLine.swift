/// One line of the screen, at most as wide as the terminal.
struct TopLine: Equatable {
  enum Style: Equatable {
    case plain, bold, dim, good, warning, bad
  }

  var text: String
  var style = Style.plain
  var isSelected = false

  init(_ text: String, _ style: Style = .plain, isSelected: Bool = false) {
    self.text = text
    self.style = style
    self.isSelected = isSelected
  }

  /// The text, with the codes of its colours where there are any.
  func shown(colored: Bool) -> String {
    let codes = (isSelected ? ["7"] : []) + (style.code.map { [$0] } ?? [])
    guard colored, !codes.isEmpty, !text.isEmpty else { return text }
    return "\u{1b}[\(codes.joined(separator: ";"))m\(text)\u{1b}[0m"
  }
}

extension TopLine.Style {
  fileprivate var code: String? {
    switch self {
    case .plain: nil
    case .bold: "1"
    case .dim: "2"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    }
  }
}

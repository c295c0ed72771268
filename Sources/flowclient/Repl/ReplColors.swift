import FlowWire

/// The colours that a terminal has, and what they are used for.
enum ReplColors: Equatable {
  case none, sixteen, many

  init(_ surroundings: any Surroundings, isColored: Bool) {
    guard isColored else {
      self = .none
      return
    }
    let term = surroundings.value(of: .terminal) ?? ""
    let isRich =
      term.contains("256color") || term.contains("direct")
      || surroundings.value(of: .moreColors) != nil
    self = isRich ? .many : .sixteen
  }

  /// Returns the codes that change one style into another.
  func change(from old: ReplStyle, to new: ReplStyle) -> String {
    guard self != .none, old != new else { return "" }
    guard let code = code(of: new) else { return "\u{1b}[0m" }
    return old == .plain ? "\u{1b}[\(code)m" : "\u{1b}[0;\(code)m"
  }

  private func code(of style: ReplStyle) -> String? {
    switch style {
    case .plain: nil
    case .prompt: "1"
    // Bright black is the grey of 16 colours.
    case .hint: self == .many ? "38;5;244" : "90"
    case .mistake: "31"
    case .match: "7"
    }
  }

  /// The text in the colour of a stream; several streams in a row have different ones.
  func text(_ text: String, of stream: StreamID) -> String {
    let number = Int(truncatingIfNeeded: stream.rawValue &- 1)
    switch self {
    case .none: return text
    case .sixteen: return "\u{1b}[\(Self.few[abs(number % Self.few.count)])m\(text)\u{1b}[0m"
    case .many:
      return "\u{1b}[38;5;\(Self.several[abs(number % Self.several.count)])m\(text)\u{1b}[0m"
    }
  }

  func text(_ text: String, code: Int?) -> String {
    guard self != .none, let code else { return text }
    return "\u{1b}[\(code)m\(text)\u{1b}[0m"
  }

  private static let few = [36, 33, 35, 32, 34, 96, 93, 95, 92, 94]
  /// To be read on black as well as on white.
  private static let several = [37, 172, 133, 71, 68, 167, 30, 136, 97, 64, 32, 131]
}

/// A key of a terminal, or a paste.
enum TerminalKey: Equatable, Sendable {
  case character(Unicode.Scalar)
  /// Text that the terminal says was pasted, with its line ends as LF.
  case paste(String)
  /// A paste that was too long to be kept.
  case overlongPaste
  /// A letter pressed together with Control, or with Alt.
  case control(Character)
  case alt(Character)
  /// Enter, and Enter with Alt.
  case enter, lineBreak
  case tab, escape
  case backspace, delete, deleteWordLeft, deleteWordRight
  case left, right, up, down, home, end, pageUp, pageDown, wordLeft, wordRight
}

enum TerminalKey: Equatable, Sendable {
  case character(Unicode.Scalar)
  /// Text that the terminal reports as pasted, with LF line ends.
  case paste(String)
  /// A paste beyond the limit.
  case overlongPaste
  /// A letter with Control; `alt` is a letter with Alt.
  case control(Character)
  case alt(Character)
  /// Enter; `lineBreak` is Enter with Alt.
  case enter, lineBreak
  case tab, escape
  case backspace, delete, deleteWordLeft, deleteWordRight
  case left, right, up, down, home, end, pageUp, pageDown, wordLeft, wordRight
}

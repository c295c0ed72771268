/// The grammar of names, which have levels: `sensors/kitchen/temp`.
///
/// A level is letters, digits, `_` and `-`. It begins with a letter or `_`; one behind a `/` may begin
/// with a digit, too. A name has 128 bytes at most.
public enum NameGrammar {
  /// The most bytes of a name.
  public static let longest = 128

  /// What stands between two levels.
  static let separator = UInt8(ascii: "/")

  public static let text =
    "a name: a letter or \"_\", then letters, digits, \"_\" or \"-\", in levels with \"/\" between them,"
    + " at most 128 in all"

  public static func isName(_ text: some StringProtocol) -> Bool {
    guard text.utf8.count <= longest else { return false }
    var isFirst = true
    var beginsLevel = true
    for byte in text.utf8 {
      if beginsLevel {
        guard byte.beginsWord || !isFirst && byte.isDigit else { return false }
        (isFirst, beginsLevel) = (false, false)
      } else if byte == separator {
        beginsLevel = true
      } else if !byte.isInWord {
        return false
      }
    }
    return !beginsLevel
  }

  /// Whether it is one level by itself, as the code of a failure is.
  public static func isWord(_ text: some StringProtocol) -> Bool {
    isName(text) && !text.utf8.contains(separator)
  }

  /// What is said where a name is expected and `text` is none.
  public static func expected(insteadOf text: some StringProtocol) -> String {
    if text.utf8.contains(UInt8(ascii: "*")), NamePattern(String(text)) != nil {
      return "one name; SUB, LIST and STATS take patterns"
    }
    guard text.utf8.contains(separator), !text.utf8.contains(UInt8(ascii: ".")) else {
      return Self.text
    }
    let levels = text.split(separator: "/").joined(separator: "/")
    return isName(levels) ? "a name without empty levels, such as \(levels)" : Self.text
  }
}

extension UInt8 {
  var isDigit: Bool { self &- 0x30 < 10 }

  /// `A-Z`, `a-z` or `_`.
  var beginsWord: Bool { (self | 0x20) &- 0x61 < 26 || self == 0x5F }

  /// `A-Z`, `a-z`, `0-9`, `_` or `-`.
  var isInWord: Bool { beginsWord || isDigit || self == 0x2D }
}

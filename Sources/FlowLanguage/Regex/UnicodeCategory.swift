/// The general categories of Unicode, by the names that `\p{…}` takes.
///
/// Unicode Standard Annex 44, table 12.
enum UnicodeCategory {
  private static let all: [(name: String, category: Unicode.GeneralCategory)] = [
    ("Lu", .uppercaseLetter), ("Ll", .lowercaseLetter), ("Lt", .titlecaseLetter),
    ("Lm", .modifierLetter), ("Lo", .otherLetter), ("Mn", .nonspacingMark), ("Mc", .spacingMark),
    ("Me", .enclosingMark), ("Nd", .decimalNumber), ("Nl", .letterNumber), ("No", .otherNumber),
    ("Pc", .connectorPunctuation), ("Pd", .dashPunctuation), ("Ps", .openPunctuation),
    ("Pe", .closePunctuation), ("Pi", .initialPunctuation), ("Pf", .finalPunctuation),
    ("Po", .otherPunctuation), ("Sm", .mathSymbol), ("Sc", .currencySymbol),
    ("Sk", .modifierSymbol), ("So", .otherSymbol), ("Zs", .spaceSeparator),
    ("Zl", .lineSeparator), ("Zp", .paragraphSeparator), ("Cc", .control), ("Cf", .format),
    ("Co", .privateUse), ("Cn", .unassigned),
  ]

  /// Those that a name stands for: one, or with a name of one letter all that begin with it.
  static func named(_ name: String) -> [Unicode.GeneralCategory] {
    all.filter { $0.name == name || name.count == 1 && $0.name.hasPrefix(name) }.map(\.category)
  }
}

/// One word, number, text or sign, and where it stands.
struct Lexeme {
  enum Kind: Equatable {
    case identifier(String)
    case parameter(Int)
    case int(Int)
    /// An integer above all Ints; the smallest one, behind a `-`, is the least Int.
    case uint(UInt)
    case double(Double)
    case string([Segment])
    /// What stands between the slashes of a regular expression.
    case pattern(String)
    case symbol(String)
    case end
  }

  /// A part of a string: text, or the place of an interpolated expression.
  enum Segment: Equatable {
    case text(String)
    case expression(Range<Int>)
  }

  let kind: Kind
  let range: Range<Int>
  /// Whether it is the first on its line.
  let startsLine: Bool
}

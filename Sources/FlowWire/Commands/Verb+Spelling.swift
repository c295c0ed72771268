extension Verb {
  /// Its index in `allCases`.
  public var place: Int { unsafe Int(unsafeBitCast(self, to: UInt8.self)) }  // memory 7

  /// Finds a verb by its spelling, ignoring case.
  init?(_ word: UnsafeRawBufferPointer) {
    guard (1...8).contains(word.count) else { return nil }
    guard let verb = unsafe Self.bySpelling[Self.packed(word)],
      verb.rawValue.utf8.count == word.count
    else { return nil }
    self = verb
  }

  private static let bySpelling = Dictionary(
    uniqueKeysWithValues: allCases.map { verb in (packed(verb.rawValue.utf8), verb) }
  )

  /// Packs up to eight bytes into one number, lower case letters as capitals.
  private static func packed(_ word: some Sequence<UInt8>) -> UInt64 {
    word.reduce(0) { $0 << 8 | UInt64($1 &- 0x61 < 26 ? $1 & 0x5F : $1) }
  }
}

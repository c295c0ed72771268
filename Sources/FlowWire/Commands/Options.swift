private import Spelling

/// The `key=value` fields at the end of a command, in any order.
struct Options {
  let verb: Verb
  private var values: [(key: String, value: String)] = []
  private var known: [String] = []
  /// Words without `=`, kept until the command's options are known, then refused.
  private var strayWords: [String] = []

  init(verb: Verb) {
    self.verb = verb
  }

  mutating func add(_ word: String) throws(WireError) {
    guard let equals = word.utf8.firstIndex(of: .equals), equals > word.startIndex else {
      strayWords.append(word)
      return
    }
    let key = String(word[..<equals])
    let value = String(word[word.utf8.index(after: equals)...])
    guard max(key.utf8.count, value.utf8.count) <= Name.longest else {
      throw verb.entry.usage("\(quoted(word)) has more than \(Name.longest) bytes")
    }
    if values.contains(where: { $0.key == key }) {
      throw verb.entry.usage("\(key) is given twice")
    }
    values.append((key, value))
  }

  /// Throws if an option was not read, or if there was a stray word.
  func end() throws(WireError) {
    if let word = strayWords.first {
      guard known.contains(word) else {
        throw verb.entry.usage("unexpected argument \(quoted(word))")
      }
      let value = strayWords.count > 1 ? strayWords[1] : "…"
      throw verb.entry.usage("\(word) needs a value; did you mean \(quoted("\(word)=\(value)"))?")
    }
    for (key, _) in values where !known.contains(key) {
      let hint = nearest(to: key, among: known).map { "did you mean \($0)?" }
      let all =
        known.isEmpty
        ? "\(verb.rawValue) takes no options" : "expected \(known.joined(separator: ", "))"
      throw verb.entry.usage("unknown option \(quoted(key)); \(hint ?? all)")
    }
  }

  /// Throws if one of `keys` is given without the option `other` that it needs.
  func refuse(_ keys: String..., without other: String) throws(WireError) {
    guard let (key, _) = values.first(where: { keys.contains($0.key) }) else { return }
    throw verb.entry.usage("\(key) needs \(other)")
  }

  /// Throws if an option's name and value were written as two words.
  func refuse(asWords keys: String...) throws(WireError) {
    guard let (key, value) = values.first(where: { keys.contains($0.key) }) else { return }
    let words = quoted("\(key) \(value)")
    throw verb.entry.usage("unknown option \(quoted(key)); did you mean \(words)?")
  }

  mutating func text(_ key: String) -> String? {
    if values.isEmpty, strayWords.isEmpty { return nil }
    known.append(key)
    return values.first { $0.key == key }?.value
  }

  mutating func streamID(_ key: String) throws(WireError) -> StreamID? {
    try read(key, "a number from 1 to \(StreamID.largest)") { text in
      UInt64(decimal: text.utf8).flatMap {
        1...StreamID.largest ~= $0 ? StreamID(rawValue: $0) : nil
      }
    }
  }

  mutating func word(_ key: String) throws(WireError) -> String? {
    try read(key, Name.wordGrammar) { Name.isWord($0) ? String($0) : nil }
  }

  mutating func name(_ key: String) throws(WireError) -> String? {
    try read(key, Name.grammar) { Name.isName($0) ? String($0) : nil }
  }

  mutating func place(_ key: String) throws(WireError) -> StreamPlace? {
    try read(key, "a client and its stream, such as 7.1") { StreamPlace($0) }
  }

  mutating func number(_ key: String, in range: ClosedRange<Int>) throws(WireError) -> Int? {
    try read(key, "a number from \(range.lowerBound) to \(range.upperBound)") { text in
      UInt64(decimal: text.utf8).flatMap { Int(exactly: $0) }.flatMap { range ~= $0 ? $0 : nil }
    }
  }

  /// Reads a size in bytes.
  mutating func size(_ key: String, upTo limit: Int) throws(WireError) -> Int? {
    try read(key, "a size such as 64KiB, 1MiB or 5000, from 1 to \(limit)") { text in
      Quantity.size(text).flatMap { Int(exactly: $0) }.flatMap { 1...limit ~= $0 ? $0 : nil }
    }
  }

  /// Reads a duration in nanoseconds.
  mutating func duration(_ key: String) throws(WireError) -> Int64? {
    try read(key, "a time such as 250ms, 5s or 2m") { text in
      Quantity.duration(text).flatMap { $0 > 0 ? $0 : nil }
    }
  }

  /// Reads a number of values per second.
  mutating func rate(_ key: String) throws(WireError) -> Int? {
    try read(key, "a number of values such as 10/s, from 1/s to 1000000000/s") { text in
      guard text.hasSuffix("/s") else { return nil }
      return UInt64(decimal: text.utf8.dropLast(2)).flatMap { Int(exactly: $0) }
        .flatMap { 1...1_000_000_000 ~= $0 ? $0 : nil }
    }
  }

  mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String,
    _ type: Choice.Type
  ) throws(WireError) -> Choice? {
    try read(key, alternatives(type)) { Choice(rawValue: String($0)) }
  }

  mutating func flag(_ key: String) throws(WireError) -> Bool? {
    try read(key, "yes or no") { ["yes": true, "no": false][String($0)] }
  }

  private mutating func read<Result>(
    _ key: String,
    _ expected: @autoclosure () -> String,
    _ convert: (Substring) -> Result?
  ) throws(WireError) -> Result? {
    guard let text = text(key) else { return nil }
    guard let result = convert(text[...]) else {
      throw verb.entry.usage("\(key) is \(quoted(text)), expected \(expected())")
    }
    return result
  }
}

/// Joins the choices for a message: `a, b or c`.
func alternatives<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> String {
  let words = type.allCases.map(\.rawValue)
  guard let last = words.last, words.count > 1 else { return words.joined() }
  return "\(words.dropLast().joined(separator: ", ")) or \(last)"
}

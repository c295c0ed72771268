/// Reads the arguments of a verb; its errors show the command's form and an example.
struct ArgumentReader {
  let verb: Verb
  private var fields: FieldReader

  init(_ verb: Verb, _ fields: FieldReader) {
    self.verb = verb
    self.fields = fields
  }

  func usage(_ problem: String) -> WireError {
    verb.entry.usage(problem)
  }

  func unexpected(_ field: String, _ text: String, _ expected: String) -> WireError {
    usage("\(field) is \(quoted(text)), expected \(expected)")
  }

  /// Returns the next word without checking its length, or `nil` at the end.
  mutating func wordOfAnyLength() -> String? { fields.nextWord() }

  mutating func optionalWord() throws(WireError) -> String? {
    guard let word = wordOfAnyLength() else { return nil }
    try check(word)
    return word
  }

  mutating func word(_ field: String) throws(WireError) -> String {
    guard let word = try optionalWord() else { throw usage("\(field) is missing") }
    return word
  }

  /// Throws if a word is too long for the other checks.
  private func check(_ word: String) throws(WireError) {
    guard word.utf8.count > Name.longest else { return }
    throw usage("\(quoted(word)) has more than \(Name.longest) bytes")
  }

  /// Returns the rest of the line after one blank; `nil` if there is no blank.
  mutating func rest() -> UnsafeRawBufferPointer? { unsafe fields.rest() }

  mutating func text() -> String? { fields.text() }

  /// Throws if words are left.
  mutating func end() throws(WireError) {
    guard let word = wordOfAnyLength() else { return }
    throw usage("unexpected argument \(quoted(word))")
  }
}

extension ArgumentReader {
  /// Reads a name of any owner, `$…` names included.
  mutating func name(_ field: String = "name") throws(WireError) -> String {
    guard let word = wordOfAnyLength() else { throw usage("\(field) is missing") }
    guard Name.isReadable(word) else {
      throw unexpected(field, word, Name.expected(insteadOf: word))
    }
    return word
  }

  mutating func optionalPattern() throws(WireError) -> String? {
    guard let word = wordOfAnyLength() else { return nil }
    guard Name.isReadable(word) || Name.isPattern(word) else {
      throw unexpected("name", word, Name.expected(insteadOf: word))
    }
    return word
  }

  /// Reads `NAME[.STAGE]`: a name and the number of one of its stages.
  mutating func nameAndStage() throws(WireError) -> (name: String, stage: Int?) {
    guard let word = wordOfAnyLength() else { throw usage("name is missing") }
    let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard Name.isReadable(parts[0]) else {
      throw unexpected("name", word, Name.expected(insteadOf: word))
    }
    guard parts.count > 1 else { return (word, nil) }
    let name = String(parts[0])
    guard let number = UInt64(decimal: parts[1].utf8), let stage = Int(exactly: number) else {
      let expected = "a number from 0; SHOW \(name) shows the stages"
      throw unexpected("stage", String(parts[1]), expected)
    }
    return (name, stage)
  }

  /// Reads a name that a client may define, write to or end.
  mutating func ownName() throws(WireError) -> String {
    let word = try name()
    if Name.isReserved(word) {
      throw WireError(.denied, "\(word) belongs to the server; it can only be read")
    }
    return word
  }

  mutating func client() throws(WireError) -> Int {
    let word = try word("client")
    guard let number = UInt64(decimal: word.utf8), let client = Int(exactly: number) else {
      throw unexpected("client", word, "the number of a client; LIST clients lists them")
    }
    return client
  }

  /// Reads a stream's id or a name; if `own`, a name that a client may end.
  mutating func target(own: Bool) throws(WireError) -> Target {
    let word = try word("name or id")
    if word.utf8.first?.isDigit == true {
      guard let id = StreamID(word.utf8) else {
        let call = word.utf8.contains(.dot) ? ", or two for a call, such as 5.17" : ""
        throw unexpected("id", word, "a number up to \(StreamID.largest)\(call)")
      }
      return .stream(id)
    }
    if Name.isName(word) { return .name(word) }
    guard Name.isReserved(word) else {
      let expected = "the number of a stream, or \(Name.expected(insteadOf: word))"
      throw unexpected("name or id", word, expected)
    }
    if own { throw WireError(.denied, "\(word) belongs to the server; it can only be read") }
    return .name(word)
  }
}

extension ArgumentReader {
  mutating func expression() throws(WireError) -> Expression {
    guard let expression = fields.expression() else {
      throw usage("the name or pipeline is missing")
    }
    return expression
  }

  /// Reads the rest of the line as one expression.
  mutating func lastExpression() throws(WireError) -> Expression {
    guard let expression = fields.lastExpression() else {
      throw usage("the name or pipeline is missing")
    }
    return expression
  }

  /// Returns the range of the expression in the bytes of an unfinished line; `nil` before an
  /// expression begins.
  mutating func unfinishedExpression() -> Range<Int>? {
    let form = verb.form
    guard form.contains("EXPR"), fields.next != nil else { return nil }
    fields.skipBlanks()
    if form.contains("= EXPR") {
      while let byte = fields.next, !byte.isBlank, byte != .equals { fields.place += 1 }
      fields.skipBlanks()
      while optionWord() != nil { fields.skipBlanks() }
      guard fields.next == .equals else { return nil }
      fields.place += 1
      fields.skipBlanks()
    }
    let start = fields.place
    if form.hasSuffix("EXPR") { return unsafe start..<fields.line.count }
    _ = fields.expression()
    return start..<fields.place
  }

  /// Reads `NAME [KEY=VALUE…] = EXPR`; the blanks around the `=` may be missing.
  mutating func definition() throws(WireError) -> Definition {
    fields.skipBlanks()
    let start = fields.place
    while let byte = fields.next, !byte.isBlank, byte != .equals { fields.place += 1 }
    var field = unsafe ArgumentReader(verb, FieldReader(fields.bytes(start..<fields.place)))
    let name = try field.ownName()
    var options = Options(verb: verb)
    fields.skipBlanks()
    while let word = optionWord() {
      try options.add(word)
      fields.skipBlanks()
    }
    guard fields.next == .equals else { throw usage("\"=\" is missing after the name") }
    fields.place += 1
    guard let expression = fields.lastExpression() else {
      throw usage("the pipeline is missing after \"=\"")
    }
    return Definition(name: name, options: options, expression: expression)
  }

  struct Definition {
    let name: String
    var options: Options
    let expression: Expression
  }

  /// Reads the next word if it is `KEY=VALUE`.
  private mutating func optionWord() -> String? {
    let start = fields.place
    let word = unsafe String(decoding: fields.word(), as: UTF8.self)
    let key = word.prefix { $0 != "=" }
    if !key.isEmpty, key.count < word.count, key.allSatisfy({ $0.isLetter || $0 == "-" }) {
      return word
    }
    fields.place = start
    return nil
  }

  /// Reads a value that ends at the first blank outside brackets, braces and quotes, as an
  /// expression does.
  mutating func value() throws(WireError) -> [UInt8] {
    guard let value = fields.expression() else { throw usage("the value is missing") }
    return Array(value.text.utf8)
  }

  /// Reads the next word unless it is an option.
  mutating func wordBeforeOptions() throws(WireError) -> String? {
    fields.skipBlanks()
    let start = fields.place
    let word = unsafe fields.word()
    if unsafe word.isEmpty || word.contains(.equals) {
      fields.place = start
      return nil
    }
    let text = unsafe String(decoding: word, as: UTF8.self)
    try check(text)
    return text
  }

  /// Reads the initial demand of a stream; 0 if it is left out.
  mutating func firstDemand() throws(WireError) -> Demand {
    guard let word = try wordBeforeOptions() else { return .none }
    if word == "max" { return .unlimited }
    guard let count = UInt64(decimal: word.utf8) else {
      throw unexpected("demand", word, "a number or max")
    }
    return .max(count)
  }

  /// Reads the rest of the line as `key=value` fields.
  mutating func options() throws(WireError) -> Options {
    var options = Options(verb: verb)
    while let word = wordOfAnyLength() { try options.add(word) }
    return options
  }
}

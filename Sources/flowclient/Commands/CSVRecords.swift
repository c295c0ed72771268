import FlowLanguage

/// Makes an object of each record of CSV (RFC 4180); the first record has the names of the members.
///
/// A field is a string, except that a number, `true`, `false` or `null` without quotes is what JSON
/// takes it for. Blank lines are no records.
struct CSVRecords: ValueRecords {
  private enum State {
    case atStart, plain, quoted
    /// Behind a quote in a quoted field, which ends the field or precedes another quote.
    case behindQuote
    /// Behind a CR, which an LF must follow.
    case behindReturn
  }

  private struct Field {
    let end: Int
    let isQuoted: Bool
  }

  private let limit: Int
  private var state = State.atStart
  private var isQuoted = false
  /// The fields of a record without their quotes, one behind the other.
  private var text: [UInt8] = []
  private var fields: [Field] = []
  /// The text before each value of an object, from the first record.
  private var keys: [[UInt8]]?
  private var place = TextPlace()
  private var recordLine = 1
  private var quote = TextPlace()

  private struct TextPlace {
    var line = 1
    var column = 1
  }

  /// A record has at most `limit` bytes.
  init(limit: Int) { self.limit = limit }

  mutating func read(_ lines: ValueChunk) -> ReadValues {
    var read = ReadValues()
    let isFirst = place.line == 1 && place.column == 1
    let start = unsafe isFirst && lines.bytes.starts(with: Self.byteOrderMark) ? 3 : 0
    do throws(ClientError) {
      for index in unsafe start..<lines.bytes.count {
        try readByte(unsafe lines.bytes[index], &read)
      }
    } catch {
      read.failure = error
    }
    return read
  }

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  func end() -> ClientError? {
    guard state == .quoted else { return nil }
    return wrong("nothing ends the quotes that begin here", at: quote)
  }

  private mutating func readByte(_ byte: UInt8, _ read: inout ReadValues) throws(ClientError) {
    switch (state, Unicode.Scalar(byte)) {
    case (.quoted, "\""): state = .behindQuote
    case (.quoted, _): try add(byte)
    case (.atStart, "\""):
      (state, isQuoted, quote) = (.quoted, true, place)
    case (.behindQuote, "\""):
      state = .quoted
      try add(byte)
    case (.behindReturn, "\n"), (.atStart, "\n"), (.plain, "\n"), (.behindQuote, "\n"):
      try endRecord(&read)
    case (.behindReturn, _):
      throw wrong("a CR needs an LF behind it, or quotes around it", at: place)
    case (_, ","): try endField()
    case (_, "\r"): state = .behindReturn
    case (.behindQuote, _):
      throw wrong("expected a comma or a line end behind the quotes", at: place)
    case (.plain, "\""):
      throw wrong("a quote in a field needs quotes around the field", at: place)
    case (.atStart, _), (.plain, _):
      state = .plain
      try add(byte)
    }
    if byte == 10 {
      place = TextPlace(line: place.line + 1)
    } else if byte & 0xC0 != 0x80 {
      place.column += 1
    }
  }

  private mutating func add(_ byte: UInt8) throws(ClientError) {
    text.append(byte)
    try checkLength()
  }

  private func checkLength() throws(ClientError) {
    guard text.count + fields.count > limit else { return }
    let message = "the record in line \(recordLine) is longer than the limit of \(limit) bytes"
    throw ClientError(.badInput, message)
  }

  private mutating func endField() throws(ClientError) {
    fields.append(Field(end: text.count, isQuoted: isQuoted))
    (state, isQuoted) = (.atStart, false)
    try checkLength()
  }

  private mutating func endRecord(_ read: inout ReadValues) throws(ClientError) {
    let isBlank = fields.isEmpty && text.isEmpty && !isQuoted
    if !isBlank {
      try endField()
      if let keys {
        try add(keys, to: &read)
      } else {
        keys = try header()
      }
    }
    (state, isQuoted) = (.atStart, false)
    text.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    recordLine = place.line + 1
  }

  // MARK: Objects

  private func header() throws(ClientError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    var names: Set<ArraySlice<UInt8>> = []
    var start = 0
    for field in fields {
      var key: [UInt8] = [keys.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ",")]
      try append(text[start..<field.end], to: &key)
      key.append(UInt8(ascii: ":"))
      guard names.insert(text[start..<field.end]).inserted else {
        let name = String(decoding: text[start..<field.end], as: UTF8.self)
        throw ClientError(.badInput, "line \(recordLine): the header has \"\(name)\" twice")
      }
      keys.append(key)
      start = field.end
    }
    return keys
  }

  private func add(_ keys: [[UInt8]], to read: inout ReadValues) throws(ClientError) {
    guard fields.count == keys.count else {
      throw ClientError(
        .badInput,
        "line \(recordLine) has \(Figure.counted(fields.count, "field")),"
          + " but the header has \(keys.count)"
      )
    }
    try read.add { (output: inout [UInt8]) throws(ClientError) in
      var start = 0
      for (key, field) in zip(keys, fields) {
        output += key
        let content = text[start..<field.end]
        if !field.isQuoted, CSVText.isLiteral(content) {
          output += content
        } else {
          try append(content, to: &output)
        }
        start = field.end
      }
      output.append(UInt8(ascii: "}"))
    }
  }

  /// Adds a field as a JSON string.
  private func append(_ field: ArraySlice<UInt8>, to output: inout [UInt8]) throws(ClientError) {
    guard !field.allSatisfy(Self.isPlain) else {
      output.append(UInt8(ascii: "\""))
      output += field
      output.append(UInt8(ascii: "\""))
      return
    }
    guard let text = String(validating: field, as: UTF8.self) else {
      throw ClientError(.badInput, "line \(recordLine): a field is not UTF-8")
    }
    output += JSONText.string(text).utf8
  }

  /// Whether a byte stands in a JSON string as it is, and is ASCII.
  private static func isPlain(_ byte: UInt8) -> Bool {
    0x20..<0x7F ~= byte && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private func wrong(_ text: String, at place: TextPlace) -> ClientError {
    ClientError(.badInput, "line \(place.line), column \(place.column): \(text)")
  }
}

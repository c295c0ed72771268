private import Spelling

/// Reads fields from the bytes of a line, which must outlive the reader.
@safe  // memory 8
struct FieldReader {
  let line: UnsafeRawBufferPointer
  var place = 0

  init(_ line: UnsafeRawBufferPointer) {
    unsafe self.line = unsafe line
  }

  var next: UInt8? { unsafe place < line.count ? line[place] : nil }

  mutating func skipBlanks() {
    while let byte = next, byte.isBlank { place += 1 }
  }

  mutating func skipWord() {
    while let byte = next, !byte.isBlank { place += 1 }
  }

  /// Returns the bytes up to the next blank; empty at the end.
  mutating func word() -> UnsafeRawBufferPointer {
    let start = place
    skipWord()
    return unsafe bytes(start..<place)
  }

  /// Returns the next word after blanks; `nil` at the end.
  mutating func nextWord() -> String? {
    skipBlanks()
    let word = unsafe word()
    return unsafe word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
  }

  /// Returns the rest of the line after one blank as text; `nil` if there is no blank.
  mutating func text() -> String? {
    unsafe rest().map { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the remaining words for an error message; none if they are many, long or not plain
  /// text.
  mutating func shownWords() -> [String] {
    var words: [String] = []
    skipBlanks()
    guard unsafe line.count - place <= Name.longest else { return [] }
    while next != nil {
      let word = unsafe word()
      guard unsafe word.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return [] }
      unsafe words.append(String(decoding: word, as: UTF8.self))
      skipBlanks()
    }
    return words
  }

  /// Returns the rest of the line after one blank; `nil` if there is no blank.
  mutating func rest() -> UnsafeRawBufferPointer? {
    guard next != nil else { return nil }
    let start = place + 1
    place = unsafe line.count
    return unsafe bytes(start..<place)
  }

  func bytes(_ range: Range<Int>) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: line[range])
  }

  /// Returns the column of a byte's character, counted in characters from 1.
  func column(of place: Int) -> Int {
    let before = unsafe line[..<place]
    if unsafe before.allSatisfy({ $0 < 0x80 && $0 != .carriageReturn }) { return place + 1 }
    return unsafe String(decoding: before, as: UTF8.self).count + 1
  }

  /// Throws if the line is not UTF-8 or is too costly to examine.
  func checkText() throws(WireError) {
    if unsafe line.allSatisfy({ $0 < 0x80 }) { return }
    if let text = unsafe String(validating: line, as: UTF8.self) {
      guard !isStreamSafe(text.unicodeScalars) else { return }
      throw WireError(.usage, "the line has more than 30 combining marks in a row")
    }
    var bytes = unsafe line.makeIterator()
    var decoder = UTF8()
    var valid = 0
    while case .scalarValue(let scalar) = unsafe decoder.decode(&bytes) {
      valid += UTF8.width(scalar)
    }
    throw WireError(
      .usage,
      "column \(column(of: valid)) is not UTF-8; commands are text, only values may be any bytes"
    )
  }
}

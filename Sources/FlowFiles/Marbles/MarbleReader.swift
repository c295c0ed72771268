internal import FlowLanguage
internal import Spelling

/// Reads a row of a test.
struct MarbleReader {
  private let line: [Character]
  private let number: Int
  private let file: FlowFile
  private var index = 0

  init(_ line: [Character], number: Int, file: FlowFile) {
    self.line = line
    self.number = number
    self.file = file
  }

  mutating func row() throws(Finding) -> MarbleTest.Row {
    if let service = service() { return service }
    skipBlanks()
    let start = index
    let name = word()
    skipBlanks()
    if name == "test", next == "\"" {
      throw wrong(
        "a test must begin at the start of its line, and its rows must be indented",
        from: start
      )
    }
    var kind = MarbleTest.Row.Kind.values
    var ticks: [[Marble]] = []
    var content = index
    if read("⇠") || read("<-") {
      kind = .demand
      skipBlanks()
      content = index
      ticks = try self.ticks(ofDemand: true)
    } else if read("⇣") || read("!") {
      skipBlanks()
      content = index
      kind = .drops(try count())
    } else {
      ticks = try self.ticks(ofDemand: false)
    }
    return .init(
      name: name,
      kind: kind,
      ticks: ticks,
      number: number,
      column: start + 1,
      text: trimmed(line[content...])
    )
  }

  /// Reads `serve NAME { … }`, if it is that; else a subject may be called so.
  private mutating func service() -> MarbleTest.Row? {
    let start = index
    skipBlanks()
    let isService = word() == "serve"
    skipBlanks()
    let column = index + 1
    let name = word()
    skipBlanks()
    guard isService, next == "{" else {
      index = start
      return nil
    }
    var scanner = LineScanner()
    let end = scanner.scan(line, from: index) ?? line.count
    return .init(
      name: name,
      kind: .service(closure: trimmed(line[index..<end]), column: index + 1),
      ticks: [],
      number: number,
      column: column,
      text: trimmed(line[index...])
    )
  }

  private mutating func word() -> String {
    let start = index
    while let character = next, !character.isWhitespace { index += 1 }
    return String(line[start..<index])
  }

  private var next: Character? { index < line.count ? line[index] : nil }

  private mutating func skipBlanks() {
    while let character = next, character.isWhitespace { index += 1 }
  }

  private mutating func read(_ sign: String) -> Bool {
    guard line[index...].starts(with: sign) else { return false }
    index += sign.count
    return true
  }

  private func wrong(_ message: String, from start: Int) -> Finding {
    let length = max(1, index - start)
    return file.finding(.error, message, line: number, column: start + 1, length: length)
  }

  private func trimmed(_ text: ArraySlice<Character>) -> String {
    String(text[...(text.lastIndex { !$0.isWhitespace } ?? text.startIndex - 1)])
  }

  private mutating func count() throws(Finding) -> Int {
    let start = index
    let word = word()
    skipBlanks()
    guard let count = Int(word), count >= 0, next == nil || next == "#" else {
      throw wrong("expected the number of dropped values, found \"\(word.excerpt())\"", from: start)
    }
    return count
  }

  /// Reads marbles to the end of the row.
  mutating func ticks(ofDemand: Bool) throws(Finding) -> [[Marble]] {
    var ticks: [[Marble]] = []
    while let character = next, !(character == "#" && line[index - 1].isWhitespace) {
      let start = index
      index += 1
      if character.isWhitespace { continue }
      if character == "-" {
        ticks.append([])
      } else if character == "[" {
        ticks.append(try several(ofDemand, from: start))
      } else {
        ticks.append([try marble(character, ofDemand)])
      }
    }
    return ticks
  }

  private mutating func several(_ ofDemand: Bool, from start: Int) throws(Finding) -> [Marble] {
    var marbles: [Marble] = []
    while let character = next {
      index += 1
      if character == "]" { return marbles }
      if !character.isWhitespace { marbles.append(try marble(character, ofDemand)) }
    }
    throw wrong("\"[\" has no \"]\"", from: start)
  }

  private mutating func marble(
    _ character: Character,
    _ ofDemand: Bool
  ) throws(Finding) -> Marble {
    let start = index - 1
    let text = character == "'" ? try quoted() : nil
    switch character {
    case "|" where !ofDemand: return .finished
    case "^" where !ofDemand: return .failure
    case ";" where ofDemand: return .cancel
    case "_" where ofDemand: return .absent
    case "u" where ofDemand: return .demand(nil)
    default: break
    }
    if ofDemand {
      if let count = Int(text ?? String(character)), count > 0 { return .demand(count) }
      let found = String(line[start..<index])
      throw wrong(
        "\(found) is not a demand; expected a digit, '20', u for unlimited, ; to cancel, _ or -",
        from: start
      )
    }
    if let text { return .value(text) }
    guard character.isMarble else {
      throw wrong(
        "\(character) is not a marble; expected a letter or digit, 'text', |, ^, [ab] or -",
        from: start
      )
    }
    return .value(String(character))
  }

  private mutating func quoted() throws(Finding) -> String {
    let start = index - 1
    var text = ""
    while let character = next {
      index += 1
      if character == "'" { return text }
      if character == "\\", let escaped = next {
        index += 1
        text.append(escaped)
      } else {
        text.append(character)
      }
    }
    throw wrong("the text has no closing '", from: start)
  }
}

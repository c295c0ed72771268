/// Where a text stops being JSON, and what was expected there.
///
/// The scan only says that a text is no JSON; this looks for the place, for people.
package struct JSONMistake: Equatable, Sendable {
  /// The bytes before it.
  package let offset: Int
  /// What is wrong, in a few words.
  package let text: String
}

extension JSONText {
  /// What is wrong with a `payload` that is not JSON.
  package static func mistake(in payload: UnsafeRawBufferPointer) -> JSONMistake {
    unsafe PaddedText.with(copyOf: payload) { text in
      var search = MistakeSearch(text)
      return search.run()
    }
  }
}

/// A walk over the tokens of a text, up to the first one that does not fit.
@safe  // memory 8
private struct MistakeSearch {
  private enum Expected {
    case value, valueOrEnd, key, keyOrEnd, colon, commaOrEnd, nothing
  }

  private let text: PaddedText
  private var next: JSONGrammar.Place
  private var expected = Expected.value
  /// What ends the arrays and objects that are open.
  private var closing: [Unicode.Scalar] = []

  init(_ text: PaddedText) {
    self.text = text
    unsafe next = unsafe text.start
  }

  mutating func run() -> JSONMistake {
    while true {
      unsafe next = unsafe JSONGrammar.blanks(next)
      if unsafe next == text.end { return end() }
      guard step() else { return mistake("expected \(what)") }
      if closing.count > Extent.mostHeight {
        return mistake("arrays and objects are nested deeper than \(Extent.mostHeight)")
      }
    }
  }

  private func end() -> JSONMistake {
    guard expected == .nothing else { return mistake("the value ends too early") }
    do {
      let bytes = unsafe UnsafeBufferPointer(start: text.start, count: text.count)
      _ = unsafe try UTF8Span(validating: bytes.span)
      return mistake("expected \(what)")
    } catch {
      return JSONMistake(offset: error.byteOffsets.lowerBound, text: "this is not UTF-8")
    }
  }

  private func mistake(_ words: String) -> JSONMistake {
    unsafe JSONMistake(offset: next - text.start, text: words)
  }

  private var what: String {
    switch expected {
    case .value, .valueOrEnd: "a value of JSON"
    case .key, .keyOrEnd: "a key in quotes"
    case .colon: "a colon"
    case .commaOrEnd: "a comma or \"\(closing.last ?? "]")\""
    case .nothing: "nothing more"
    }
  }

  /// Goes behind a token; whether it may stand there.
  private mutating func step() -> Bool {
    let unit = unsafe Unicode.Scalar(next.pointee)
    switch (expected, unit) {
    case (.valueOrEnd, "]"), (.keyOrEnd, "}"), (.commaOrEnd, "]"), (.commaOrEnd, "}"):
      guard unit == closing.last else { return false }
      closing.removeLast()
      return unsafe go(to: next + 1, closing.isEmpty ? .nothing : .commaOrEnd)
    case (.commaOrEnd, ","): return unsafe go(to: next + 1, closing.last == "}" ? .key : .value)
    case (.colon, ":"): return unsafe go(to: next + 1, .value)
    case (.key, _), (.keyOrEnd, _):
      return unsafe go(to: JSONString(at: next).map { unsafe $0.end + 1 }, .colon)
    case (.value, "{"), (.valueOrEnd, "{"):
      closing.append("}")
      return unsafe go(to: next + 1, .keyOrEnd)
    case (.value, "["), (.valueOrEnd, "["):
      closing.append("]")
      return unsafe go(to: next + 1, .valueOrEnd)
    case (.value, _), (.valueOrEnd, _):
      return unsafe go(to: scalar(unit), closing.isEmpty ? .nothing : .commaOrEnd)
    case (.colon, _), (.commaOrEnd, _), (.nothing, _): return false
    }
  }

  private mutating func go(to place: JSONGrammar.Place?, _ expected: Expected) -> Bool {
    guard let place = unsafe place else { return false }
    unsafe next = unsafe place
    self.expected = expected
    return true
  }

  /// Behind the string, number or word that begins with `unit`.
  private func scalar(_ unit: Unicode.Scalar) -> JSONGrammar.Place? {
    switch unit {
    case "\"": unsafe JSONString(at: next).map { unsafe $0.end + 1 }
    case "0"..."9", "-": unsafe JSONGrammar.number(next)
    case "t": unsafe JSONGrammar.word("true", at: next)
    case "f": unsafe JSONGrammar.word("false", at: next)
    case "n": unsafe JSONGrammar.word("null", at: next)
    default: nil
    }
  }
}

import Testing

@testable import FlowLanguage

/// Numbers at the edges of what can be told: what they are written into must not trap.
enum EdgeNumbers {
  static let ints = [
    "-9223372036854775808", "-9223372036854775807", "-1", "0", "1", "2", "65536", "65537",
    "4294967296", "9007199254740991", "9007199254740992", "9007199254740993",
    "4611686018427387904", "9223372036854775806", "9223372036854775807", "9223372036854775808",
    "18446744073709551615", "18446744073709551616",
  ]

  static let doubles = [
    "-0.0", "0.5", "1e308", "-1e308", "1e-308", "1e400", "1e-400", "9.3e18", "-9.3e18", "3e9",
    "1e-9223372036854775808", "1e9223372036854775807", "1e99999999999999999999",
  ]

  static let all = ints + doubles

  static let times =
    all
    + ["seconds", "milliseconds", "microseconds", "nanoseconds"].flatMap { unit in
      all.map { ".\(unit)(\($0))" }
    }

  private static let bounds = [
    "-9223372036854775808", "-1", "0", "1", "5", "9223372036854775806", "9223372036854775807",
  ]

  static let ranges = ["...", "..<"].flatMap { sign in
    bounds.flatMap { low in bounds.map { "\(low)\(sign)\($0)" } }
  }
}

/// The forms of a signature, as in `collect(), collect(count) or collect(.byTime(…, time))`, with the
/// places where something may be written.
struct SignatureForm {
  fileprivate enum Part {
    case text(String)
    case slot(Slot)
  }

  /// What may stand in a place, by the word that stands for it in signatures.
  enum Slot: String, CaseIterable {
    case count, number, index, size, time, value, initial, text, label, service, publisher, subject
    case element, a, b, key, object
    /// A literal range.
    case range
    /// A literal number.
    case literal
    /// `.unlimited`.
    case limit

    /// Something ordinary.
    var usual: String {
      switch self {
      case .count, .size: "2"
      case .number, .index, .literal, .a, .b, .element: "1"
      case .time: ".milliseconds(5)"
      case .value: "7"
      case .initial: "0"
      case .text, .label, .key: "\"x\""
      case .service: "resize"
      case .publisher: "[5, 6].publisher"
      case .subject: "sink"
      case .object: "[\"y\": 1]"
      case .range: "0...1"
      case .limit: ".max(2)"
      }
    }

    var edges: [String] {
      switch self {
      case .count, .number, .index, .size, .literal, .a, .b, .element: EdgeNumbers.all
      case .value, .initial, .key, .text, .label: EdgeNumbers.all + EdgeNumbers.ranges
      case .time: EdgeNumbers.times
      case .publisher: EdgeNumbers.ranges.map { "(\($0)).publisher" }
      case .range: EdgeNumbers.ranges
      case .limit: EdgeNumbers.all.map { ".max(\($0))" }
      case .service, .subject, .object: []
      }
    }
  }

  private var parts: [Part] = []

  /// Reads one form; `closure` is what stands in the place of one.
  ///
  /// - Throws: a word that is no known kind of argument.
  private init(_ form: Substring, closure: (String) -> String) throws {
    var rest = form
    var isFirst = true
    while let character = rest.first {
      if character == "{" {
        let text = Self.bracketed(rest)
        rest = rest.dropFirst(text.count)
        parts.append(.text(closure(String(text))))
      } else if rest.hasPrefix(", …") {
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix(".unlimited") {
        rest = rest.dropFirst(10)
        parts.append(.slot(.limit))
      } else if character.isNumber {
        let text = rest.prefix { $0.isNumber || $0 == "." }
        rest = rest.dropFirst(text.count)
        parts.append(.slot(text.contains("...") ? .range : .literal))
      } else if character.isLetter {
        let word = rest.prefix { $0.isLetter || $0.isNumber }
        let isMember = parts.last.map { $0.endsInDot } ?? false
        rest = rest.dropFirst(word.count)
        let isLabel = rest.first == ":"
        let isKnown = ["true", "DispatchQueue", "Error"].contains(word)
        if isFirst || isMember || isLabel || isKnown || word.first?.isUppercase == true {
          parts.append(.text(String(word)))
        } else {
          let slot = try #require(Slot(rawValue: String(word)), "what goes in for \(word)?")
          parts.append(.slot(slot))
        }
      } else {
        parts.append(.text(String(character)))
        rest = rest.dropFirst()
      }
      isFirst = false
    }
  }

  /// The forms in `signature` of what is called `name`.
  static func all(
    of signature: String,
    name: String,
    closure: (String) -> String
  ) throws -> [SignatureForm] {
    var forms: [String] = [""]
    var depth = 0
    var rest = signature[...]
    while let character = rest.first {
      if depth == 0, let separator = [", ", " or "].first(where: { rest.hasPrefix($0 + name) }) {
        rest = rest.dropFirst(separator.count)
        forms.append("")
        continue
      }
      if "([{".contains(character) { depth += 1 }
      if ")]}".contains(character) { depth -= 1 }
      forms[forms.count - 1].append(character)
      rest = rest.dropFirst()
    }
    return try forms.map { try SignatureForm($0[...], closure: closure) }
  }

  private static func bracketed(_ text: Substring) -> Substring {
    var depth = 0
    for index in text.indices {
      if text[index] == "{" { depth += 1 }
      if text[index] == "}" { depth -= 1 }
      if depth == 0 { return text[...index] }
    }
    return text
  }

  /// The form with something usual in each place.
  var usual: String { filled(at: nil, with: "") }

  /// The form with each edge in each place, and something usual in all others.
  var edges: [String] {
    parts.indices.flatMap { place -> [String] in
      guard case .slot(let slot) = parts[place] else { return [] }
      return slot.edges.map { filled(at: place, with: $0) }
    }
  }

  private func filled(at place: Int?, with text: String) -> String {
    parts.indices.map { index in
      switch parts[index] {
      case .text(let text): text
      case .slot(let slot): index == place ? text : slot.usual
      }
    }
    .joined()
  }
}

extension SignatureForm.Part {
  fileprivate var endsInDot: Bool {
    if case .text(let text) = self { text.hasSuffix(".") } else { false }
  }
}

import Spelling

/// The text behind `with:` in which `$1` and `${name}` stand for what groups have matched.
///
/// Only what is written in the pipeline is such a text: what comes with a value is put in as it is.
struct ReplacementTemplate {
  private enum Piece {
    case text(String)
    case group(Int)
  }

  private let pattern: RegularExpression
  /// Where the text stands.
  private let range: Range<Int>

  /// No name in a pipeline is this one.
  private static let match = "the match"

  /// `arguments`, those of `replacing(/…/, with: text)`, with the closure that makes the same of a match in
  /// place of a text that has a `$`; as they are if there is none.
  static func expanding(_ arguments: [Argument]) throws(Diagnostic) -> [Argument] {
    guard arguments.count == 2, case .pattern(let pattern) = arguments[0].value.kind,
      arguments[1].label == "with"
    else { return arguments }
    let text = arguments[1].value
    let parts: [Syntax]
    switch text.kind {
    case .literal(.string): parts = [text]
    case .interpolation(let several): parts = several
    default: return arguments
    }
    guard parts.contains(where: { $0.plainText?.contains("$") ?? false }) else { return arguments }
    let expression = try RegularExpression(pattern, at: arguments[0].value.range.lowerBound + 1)
    let template = ReplacementTemplate(pattern: expression, range: text.range)
    let closure = try template.closure(of: parts)
    return [arguments[0], Argument(label: nil, value: closure, range: arguments[1].range)]
  }

  private func closure(of parts: [Syntax]) throws(Diagnostic) -> Syntax {
    var made: [Syntax] = []
    for part in parts {
      guard let text = part.plainText else {
        made.append(part)
        continue
      }
      made += try pieces(of: text).map(syntax)
    }
    let text = node(.interpolation(made), above: made)
    let body = Block(lets: [], result: text)
    return node(.closure(Closure(parameters: [Self.match], body: body)), above: [text])
  }

  private func syntax(of piece: Piece) -> Syntax {
    switch piece {
    case .text(let text): return node(.literal(.string(text)))
    case .group(let number):
      let key: Value = pattern.hasNames ? .string(pattern.names[number]) : .int(number)
      let (match, place) = (node(.name(Self.match)), node(.literal(key)))
      let group = node(.element(match, place), above: [match, place])
      let nothing = node(.literal(.string("")))
      return node(.infix("??", group, nothing), above: [group, nothing])
    }
  }

  private func node(_ kind: Syntax.Kind, above children: [Syntax] = []) -> Syntax {
    Syntax(kind: kind, range: range, height: 1 + (children.map(\.height).max() ?? 0))
  }

  // MARK: What stands behind a dollar

  private func pieces(of text: String) throws(Diagnostic) -> [Piece] {
    var pieces: [Piece] = []
    var plain = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "$" else {
        plain.append(character)
        continue
      }
      if rest.first == "$" {
        plain.append(rest.removeFirst())
      } else if let (number, length) = try group(at: rest) {
        pieces += [.text(plain), .group(number)]
        plain = ""
        rest = rest.dropFirst(length)
      } else {
        plain.append(character)
      }
    }
    return pieces + [.text(plain)]
  }

  /// The group that is named behind a dollar, and in how many characters.
  private func group(at rest: Substring) throws(Diagnostic) -> (number: Int, length: Int)? {
    let digits = rest.prefix(2).prefix { $0.isASCII && $0.isNumber }
    for length in [digits.count, 1] where length > 0 && !digits.isEmpty {
      let number = Int(digits.prefix(length)) ?? 0
      if number < pattern.names.count { return (number, length) }
    }
    if !digits.isEmpty { throw unknown(String(digits)) }
    guard rest.first == "{", let end = rest.firstIndex(of: "}") else { return nil }
    let name = rest[..<end].dropFirst()
    guard let number = pattern.names.firstIndex(where: { $0 == name }) else {
      throw unknown("{\(name)}")
    }
    return (number, name.count + 2)
  }

  private func unknown(_ name: String) -> Diagnostic {
    let count = pattern.names.count - 1
    let groups = count == 0 ? "no groups" : count == 1 ? "1 group" : "\(count) groups"
    let name = name.excerpt()
    let message = "\"$\(name)\" is no group: the regular expression has \(groups)"
    return Diagnostic("\(message); write $$\(name) for the text", at: range)
  }
}

extension Syntax {
  /// The text of a literal.
  fileprivate var plainText: String? {
    if case .literal(.string(let text)) = kind { text } else { nil }
  }
}

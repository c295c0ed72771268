/// What stands in the parentheses of a foreign word, and before its dot, as it is written.
struct ForeignCall {
  /// What stands before the dot.
  var base = "value"
  /// The arguments, without their labels; the closure behind them is the last.
  var arguments: [String] = []
  /// The labels of the arguments.
  var labels: Set<String> = []
  /// Where the `map` begins that it stands behind, and the closure of that.
  var map: (start: Int, closure: String)?

  /// The argument at a place that is no closure, or `general` if there is none.
  func argument(_ place: Int, _ general: String) -> String {
    let plain = plain
    return place < plain.count ? plain[place] : general
  }

  /// The arguments that are no closures.
  var plain: [String] { arguments.filter { !$0.hasPrefix("{") } }

  /// Whether there is a second argument that is no closure.
  var hasSecond: Bool { plain.count > 1 }

  /// The closure, or `general` if there is none.
  func closure(_ general: String = "{ value in … }") -> String {
    arguments.last { $0.hasPrefix("{") } ?? general
  }

  /// Whether there is a closure.
  var hasClosure: Bool { arguments.contains { $0.hasPrefix("{") } }

  /// A time: a bare number is one of milliseconds, as in JavaScript.
  func time(_ place: Int, _ general: String = ".milliseconds(300)") -> String {
    let text = argument(place, general)
    return text.allSatisfy { $0.isNumber || $0 == "_" } ? ".milliseconds(\(text))" : text
  }

  /// The first argument as a closure or a key path, if it selects a member: it may be `{ $0.id }`,
  /// `\.id`, `$0.id` or `"id"`.
  var key: String? {
    guard let text = arguments.first else { return nil }
    if text.hasPrefix("{") || text.hasPrefix("\\") { return text }
    if text.hasPrefix("$0") { return "{ \(text) }" }
    let name = member(0, "")
    return text.hasPrefix("\"") && name.first?.isLetter ?? false ? "\\.\(name)" : nil
  }

  /// All arguments as a list, or `general` if there are none.
  func list(_ general: String) -> String {
    arguments.isEmpty ? general : arguments.joined(separator: ", ")
  }

  /// The publishers that an operator is given as arguments or as one array.
  func publishers(_ general: [String] = ["a", "b"]) -> [String] {
    var all = arguments.filter { !$0.hasPrefix("{") }
    if all.count == 1, all[0].hasPrefix("["), all[0].hasSuffix("]") {
      all = Self.parts(all[0].dropFirst().dropLast())
    }
    return all.count < 2 ? general : all
  }

  /// The text of a string literal, if the argument is one that names a member.
  func member(_ place: Int, _ general: String) -> String {
    let text = argument(place, general)
    let inside = text.filter { $0 != "\"" && $0 != "'" }
    return inside.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" } ? inside : general
  }

  /// What stands between the commas that are outside of brackets and quotes.
  static func parts(_ text: Substring) -> [String] {
    var parts = [""]
    var depth = 0
    var isQuoted = false
    for character in text {
      switch character {
      case "\"": isQuoted.toggle()
      case "(", "[", "{": depth += isQuoted ? 0 : 1
      case ")", "]", "}": depth -= isQuoted ? 0 : 1
      case "," where depth == 0 && !isQuoted:
        parts.append("")
        continue
      default: break
      }
      parts[parts.count - 1].append(character)
    }
    return parts.map { part in
      let trimmed = part.drop { $0.isWhitespace }
      return String(trimmed.reversed().drop { $0.isWhitespace }.reversed())
    }
    .filter { !$0.isEmpty }
  }
}

extension ForeignCall {
  /// The arguments of a call in a text, each in one line.
  init(_ arguments: [Argument], in text: (Range<Int>) -> String) {
    labels = Set(arguments.compactMap(\.label))
    self.arguments = arguments.flatMap { argument -> [String] in
      let whole = text(argument.value.range)
      if case .unread = argument.value.kind { return Self.unread(whole) }
      guard whole.contains(where: \.isNewline) else { return [whole] }
      return [SyntaxPrinter.print(argument.value)]
    }
  }

  /// The arguments in brackets that could not be read.
  private static func unread(_ text: String) -> [String] {
    if text.hasPrefix("{") { return [text] }
    return text.hasSuffix(")") ? parts(text.dropFirst().dropLast()) : []
  }

  /// The same, behind `base`.
  init(
    _ arguments: [Argument],
    behind base: Syntax,
    in text: (Range<Int>) -> String
  ) {
    self.init(arguments, in: text)
    self.base = text(base.range)
    if case .call(let callee, let inside) = base.kind, case .member(_, let name) = callee.kind,
      OperatorTable.entry(name.text)?.name == "map", inside.count == 1,
      case .closure = inside[0].value.kind
    {
      map = (name.range.lowerBound, SyntaxPrinter.print(inside[0].value))
    }
  }
}

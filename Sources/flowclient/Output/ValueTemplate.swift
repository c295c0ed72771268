import FlowLanguage
import Programs

/// The template of `--format template`: a text with members of the value in braces.
///
/// `{a.b[0]}` is a member of a member's element, `{["a.b"]}` a member with any name, `{}` the whole value
/// and `{#}` its number; `{{` and `}}` are braces.
struct ValueTemplate: Sendable, Equatable {
  enum Step: Sendable, Equatable {
    case member(String)
    case element(Int)
  }

  enum Part: Sendable, Equatable {
    case text([UInt8])
    case number
    /// The whole value.
    case value
    case path([Step], spelling: String)
  }

  let parts: [Part]

  init(_ template: String) throws(UsageError) {
    var parts: [Part] = []
    var text = ""
    var rest = Substring(template)
    while let character = rest.popFirst() {
      guard character == "{" || character == "}" else {
        text.append(character)
        continue
      }
      if rest.first == character {
        rest.removeFirst()
        text.append(character)
        continue
      }
      guard character == "{" else { throw Self.refusal(template, "} stands alone; }} is a brace") }
      guard let end = Self.end(of: rest) else {
        throw Self.refusal(template, "{\(rest) has no end; {{ is a brace")
      }
      if !text.isEmpty { parts.append(.text(Array(text.utf8))) }
      text = ""
      guard let part = Self.part(rest[..<end]) else {
        throw Self.refusal(template, "{\(rest[..<end])} is no path; one is {price} or {a.b[0]}")
      }
      parts.append(part)
      rest = rest[end...].dropFirst()
    }
    if !text.isEmpty { parts.append(.text(Array(text.utf8))) }
    self.parts = parts
  }

  private static func refusal(_ template: String, _ text: String) -> UsageError {
    UsageError("the template is \"\(template)\", in which \(text)")
  }

  /// The place of the brace that ends a path; braces between quotes do not count.
  private static func end(of text: Substring) -> Substring.Index? {
    var isQuoted = false
    return text.firstIndex { character in
      if character == "\"" { isQuoted.toggle() }
      return character == "}" && !isQuoted
    }
  }

  private static func part(_ text: Substring) -> Part? {
    switch text {
    case "": return .value
    case "#": return .number
    default: break
    }
    var steps: [Step] = []
    var rest = text
    while !rest.isEmpty {
      if rest.first == "[" {
        guard let step = bracketed(&rest) else { return nil }
        steps.append(step)
        continue
      }
      if !steps.isEmpty, rest.popFirst() != "." { return nil }
      let name = rest.prefix { !".[]{}\"".contains($0) }
      guard !name.isEmpty else { return nil }
      steps.append(.member(String(name)))
      rest = rest.dropFirst(name.count)
    }
    return .path(steps, spelling: String(text))
  }

  /// Reads `[0]` or `["a"]`.
  private static func bracketed(_ rest: inout Substring) -> Step? {
    rest.removeFirst()
    if rest.first == "\"" {
      let name = rest.dropFirst().prefix { $0 != "\"" }
      rest = rest.dropFirst(name.count + 1)
      guard rest.hasPrefix("\"]") else { return nil }
      rest = rest.dropFirst(2)
      return .member(String(name))
    }
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    guard rest.popFirst() == "]" else { return nil }
    return Int(digits).map(Step.element)
  }
}

// MARK: - Printing

extension ValueTemplate {
  /// Adds the text for value number `number`, and to `missing` what it lacks, by its spelling.
  func append(
    _ payload: UnsafeRawBufferPointer,
    number: UInt64,
    missing: inout [String: UInt64],
    to output: inout [UInt8]
  ) {
    var whole: Value?
    for part in parts {
      switch part {
      case .text(let text): output += text
      case .number: output += "\(number)".utf8
      case .value:
        unsafe JSONPayload.withText(of: payload) { text, _ in
          unsafe output.append(contentsOf: text)
        }
      case .path(let steps, let spelling):
        let value = unsafe whole ?? Value(bytes: payload).decoded
        whole = value
        guard let found = Self.value(at: steps, in: value) else {
          missing[spelling, default: 0] += 1
          continue
        }
        if case .string(let text) = found.decoded {
          output += text.utf8
        } else {
          unsafe found.withBytes { unsafe output.append(contentsOf: $0) }
        }
      }
    }
  }

  private static func value(at steps: [Step], in value: Value) -> Value? {
    var value = value
    for step in steps {
      switch (step, value.decoded) {
      case (.member(let name), .object(let object)):
        guard let member = object[name] else { return nil }
        value = member
      case (.element(let number), .array(let array)):
        guard array.elements.indices.contains(number) else { return nil }
        value = array.elements[number]
      default: return nil
      }
    }
    return value
  }
}

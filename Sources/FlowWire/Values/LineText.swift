/// A line built directly as bytes, because interpolating a `String` costs more than the rest of a
/// line.
struct LineText: ExpressibleByStringInterpolation {
  let bytes: [UInt8]

  init(stringLiteral text: String) {
    var line = Text(literalCapacity: text.utf8.count, interpolationCount: 0)
    line.appendLiteral(text)
    self.init(stringInterpolation: line)
  }

  init(stringInterpolation text: Text) {
    var text = text
    text.bytes.append(.lineFeed)
    bytes = text.bytes
  }

  struct Text: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      // Leaves room for the line end.
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16 + 1)
    }

    mutating func appendLiteral(_ literal: String) { append(literal) }

    private mutating func append(_ text: String) {
      var text = text
      text.withUTF8 { unsafe bytes.append(contentsOf: $0) }
    }

    /// Appends a verb in lower case, as answers have it.
    mutating func appendInterpolation(_ verb: Verb) {
      for letter in verb.rawValue.utf8 { bytes.append(letter | 0x20) }
    }

    mutating func appendInterpolation(_ count: Int) { append(decimal: UInt64(clamping: count)) }

    private mutating func append(decimal number: UInt64) {
      unsafe withDecimalDigits(of: number) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func appendInterpolation(_ id: StreamID) {
      append(decimal: id.rawValue)
      guard id.isCall else { return }
      bytes.append(.dot)
      append(decimal: id.call)
    }

    mutating func appendInterpolation(_ demand: Demand) {
      if let count = demand.max { append(decimal: count) } else { append("max") }
    }

    mutating func appendInterpolation(_ settings: SubjectSettings) {
      guard settings == SubjectSettings(flow: settings.flow) else {
        return append(escaped(settings.description))
      }
      append("passthrough flow=")
      append(settings.flow.rawValue)
    }

    mutating func appendInterpolation(_ part: some CustomStringConvertible) {
      append(part.description)
    }

    /// Appends a blank and the text, if there is one.
    mutating func appendInterpolation(rest text: String?) {
      guard let text else { return }
      bytes.append(.space)
      append(text)
    }

    mutating func appendInterpolation(_ value: [UInt8]) { bytes += value }

    /// Appends a blank and the initial demand, unless it is none.
    mutating func appendInterpolation(first demand: Demand) {
      if demand != .none { appendInterpolation(rest: demand.description) }
    }

    /// Appends a blank and the text on one line, unless it is empty.
    mutating func appendInterpolation(text: String) {
      if !text.isEmpty { appendInterpolation(rest: escaped(text)) }
    }

    /// Appends a blank and `key=value`, if there is a value.
    mutating func appendInterpolation(_ key: String, _ value: (some CustomStringConvertible)?) {
      if let value { appendInterpolation(rest: "\(key)=\(value)") }
    }
  }
}

extension [UInt8] {
  mutating func append(tag: String) {
    append(.at)
    append(contentsOf: escaped(tag).utf8)
    append(.space)
  }

  mutating func append(_ line: LineText) {
    if isEmpty { self = line.bytes } else { self += line.bytes }
  }
}

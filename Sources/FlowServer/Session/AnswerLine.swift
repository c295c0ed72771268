/// A line that answers a command, put together as the bytes that go out: an interpolated `String`
/// would cost more than all else about it.
struct AnswerLine: ExpressibleByStringInterpolation {
  let bytes: [UInt8]

  init(stringLiteral text: String) { bytes = Array(text.utf8) }

  init(stringInterpolation text: Text) { bytes = text.bytes }

  struct Text: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      // With room for the line end.
      bytes.reserveCapacity(literalCapacity + interpolationCount * 16 + 1)
    }

    mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

    mutating func appendInterpolation(_ part: some CustomStringConvertible) {
      bytes += part.description.utf8
    }
  }
}

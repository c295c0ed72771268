/// A line that answers a command, put together as the octets that go out: an interpolated `String`
/// would cost more than all else about it.
struct AnswerLine: ExpressibleByStringInterpolation {
  let octets: [UInt8]

  init(stringLiteral text: String) { octets = Array(text.utf8) }

  init(stringInterpolation text: Text) { octets = text.octets }

  struct Text: StringInterpolationProtocol {
    fileprivate var octets: [UInt8] = []

    init(literalCapacity: Int, interpolationCount: Int) {
      // With room for the line end.
      octets.reserveCapacity(literalCapacity + interpolationCount * 16 + 1)
    }

    mutating func appendLiteral(_ literal: String) { octets += literal.utf8 }

    mutating func appendInterpolation(_ part: some CustomStringConvertible) {
      octets += part.description.utf8
    }
  }
}

/// Why the next frame cannot be found.
enum Framing {
  case badCount
  case countTooLarge(limit: Int)
  case noLineEnd

  /// The error of the `BYE` that follows.
  var error: WireError {
    switch self {
    case .badCount:
      WireError(.framing, "a counted value must begin with \": ID LEN\", for example \": 1 5\"")
    case .countTooLarge(let limit):
      WireError(.framing, "a counted value is longer than \(limit) bytes")
    case .noLineEnd:
      WireError(.framing, "a counted value is not followed by a line end")
    }
  }
}

internal import FlowSubjects
internal import FlowWire

/// What NATS has lost of a subject's stream.
struct StreamLoss: Equatable {
  let name: String
  /// Whether the whole stream is gone, rather than only its last values.
  let isWhole: Bool
  /// The sequence of the last value that is left, or 0.
  let last: UInt64
  /// The sequence of the last value that is known to have been stored.
  let newest: UInt64
  /// How many lost values not every subscription had got, as far as this server knows.
  let count: UInt64

  /// How many lost values a reader misses that comes to the value at `place` next.
  func missed(from place: UInt64) -> UInt64 { newest - min(newest, max(place - 1, last)) }

  var text: String {
    let what = isWhole ? "the stream of \(name)" : "the end of the stream of \(name)"
    let values = count == 1 ? "1 unread value" : "\(count) unread values"
    return "NATS has lost \(what)" + (count > 0 ? " with \(values)" : "")
  }

  /// Why the subject cannot be used.
  var error: DefinitionError {
    DefinitionError(.away, "\(text); DELETE \(name), then define it again")
  }
}

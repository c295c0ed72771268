internal import FlowSubjects
internal import FlowWire

/// The part of a subject's stream that NATS has lost.
struct StreamLoss: Equatable {
  let name: String
  /// Whether the whole stream is gone, not only its last values.
  let isWhole: Bool
  /// The last remaining sequence, or 0.
  let last: UInt64
  /// The last sequence known to have been stored.
  let newest: UInt64
  /// How many lost values some subscription had not got, as far as this server knows.
  let count: UInt64

  /// How many lost values a reader misses whose next value is at `place`.
  func missed(from place: UInt64) -> UInt64 { newest - min(newest, max(place - 1, last)) }

  var text: String {
    let what = isWhole ? "the stream of \(name)" : "the end of the stream of \(name)"
    let values = count == 1 ? "1 unread value" : "\(count) unread values"
    return "NATS has lost \(what)" + (count > 0 ? " with \(values)" : "")
  }

  var error: DefinitionError {
    DefinitionError(.away, "\(text); DELETE \(name), then define it again")
  }
}

/// What comes into a stage: a value, or a payload of which none has been made.
@safe  // memory 8
enum Incoming {
  case value(Value)
  case payload(UnsafeRawBufferPointer)

  /// The value; of a payload one that has a copy of it.
  var value: Value {
    switch self {
    case .value(let value): value
    case .payload(let payload): unsafe Value(bytes: payload)
    }
  }
}

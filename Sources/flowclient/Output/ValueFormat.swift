import FlowWire

/// How one value looks in the output.
struct ValueFormat: Sendable, Equatable {
  enum Form {
    /// The payload alone and a line end.
    case line
    /// The payload alone.
    case raw
    /// An object a line, see `JSONRecord`.
    case json
    /// For people: `12:30:25.104 #1 {"id":1}`.
    case terminal(colored: Bool)
  }

  var form: Form

  /// Whether the time of receipt is part of the output.
  var needsTime: Bool {
    switch form {
    case .line, .raw: false
    case .json, .terminal: true
    }
  }

  /// Adds value number `number`, received at `time`, to `output`.
  func append(
    _ payload: UnsafeRawBufferPointer,
    number: UInt64,
    time: String,
    to output: inout [UInt8]
  ) {
    switch form {
    case .line:
      unsafe output.append(contentsOf: payload)
      output.append(Self.lineFeed)
    case .raw:
      unsafe output.append(contentsOf: payload)
    case .json:
      output.append(contentsOf: "{\"n\":\(number),\"time\":\"\(time)\"".utf8)
      unsafe JSONRecord.append(payload, to: &output)
      output.append(contentsOf: "}\n".utf8)
    case .terminal(let colored):
      let head = "\(time) #\(number)"
      output.append(contentsOf: (colored ? "\u{1b}[2m\(head)\u{1b}[0m " : "\(head) ").utf8)
      unsafe Self.appendVisibly(payload, to: &output)
      output.append(Self.lineFeed)
    }
  }

  private static let lineFeed: UInt8 = 10

  /// Leaves nothing in a payload that a terminal would obey or not show.
  static func appendVisibly(_ payload: UnsafeRawBufferPointer, to output: inout [UInt8]) {
    guard unsafe payload.contains(where: { $0 < 32 || $0 >= 127 }) else {
      unsafe output.append(contentsOf: payload)
      return
    }
    for scalar in unsafe String(decoding: payload, as: UTF8.self).unicodeScalars {
      let text = scalar.isUnseen ? scalar.escaped(asASCII: true) : String(scalar)
      output.append(contentsOf: text.utf8)
    }
  }
}

extension ValueFormat.Form: Equatable {}
